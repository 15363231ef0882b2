# SPDX-License-Identifier: Apache-2.0
# kbx_add_library(NAME SOURCES... [LINK ...])  one library a folder, target kbx_NAME
# kbx_add_test(NAME SOURCES... [LINK ...])     one GoogleTest program a folder, target NAME_test
#
# With KBX_UNITY eight files are compiled as one: what a file costs is above all the headers of torch and of JSON and what
# they instantiate, several seconds each time. The dev preset compiles each file alone.
function(kbx_add_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(kbx_${name} STATIC ${arg_SOURCES})
  target_include_directories(kbx_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(kbx_${name} PUBLIC ${arg_LINK} PRIVATE kbx_warnings)
  set_target_properties(kbx_${name} PROPERTIES UNITY_BUILD ${KBX_UNITY})
endfunction()

function(kbx_add_test name)
  if(NOT KBX_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name}_test ${arg_SOURCES})
  target_link_libraries(${name}_test PRIVATE ${arg_LINK} GTest::gmock_main kbx_warnings)
  target_include_directories(${name}_test PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(${name}_test PRIVATE KBX_SOURCE_DIR="${CMAKE_SOURCE_DIR}" KBX_BINARY_DIR="${CMAKE_BINARY_DIR}")
  set_target_properties(${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests UNITY_BUILD ${KBX_UNITY})
  # One CTest test a program: discovery would start each program at build time, and torch takes a second to load.
  add_test(NAME ${name} COMMAND ${name}_test)
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS "${arg_LABELS}")
endfunction()
