# SPDX-License-Identifier: Apache-2.0
# Finds LibTorch as it lies in a Python environment, and that Python's headers. The wheel's own TorchConfig is not used:
# with a CUDA wheel it demands the CUDA toolkit, which this project does not need (the GPU arrives at run time).
#
#   KBX_PYTHON              the interpreter (cache variable; else $KBX_PYTHON, else <source>/.venv, else python3)
#   KBX_PYTHON_VERSION, KBX_PYTHON_INCLUDE, KBX_PYTHON_EXT_SUFFIX, KBX_TORCH_DIR, KBX_TORCH_VERSION
#   Targets: torch::cpu (c10, torch_cpu), torch::python (adds libtorch_python, for extension modules)
if(NOT KBX_PYTHON)
  if(DEFINED ENV{KBX_PYTHON})
    set(_python $ENV{KBX_PYTHON})
  elseif(EXISTS ${CMAKE_SOURCE_DIR}/.venv/bin/python)
    set(_python ${CMAKE_SOURCE_DIR}/.venv/bin/python)
  else()
    find_program(_python python3 REQUIRED)
  endif()
  set(KBX_PYTHON ${_python} CACHE FILEPATH "The Python whose torch is used")
endif()
execute_process(
  COMMAND ${KBX_PYTHON} -c "import sysconfig, platform, importlib.util as u, importlib.metadata as m
t = u.find_spec('torch')
assert t, 'no torch in this Python'
print(';'.join([platform.python_version(), sysconfig.get_paths()['include'], sysconfig.get_config_var('EXT_SUFFIX'),
                t.submodule_search_locations[0], m.version('torch')]))"
  OUTPUT_VARIABLE _found ERROR_VARIABLE _why RESULT_VARIABLE _rc OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT _rc EQUAL 0)
  message(FATAL_ERROR "The Python at ${KBX_PYTHON} has no usable torch:\n${_why}\n"
    "Run 'make setup', or name an environment with torch by -DKBX_PYTHON=/path/to/python, "
    "or leave the judge out with -DKBX_BUILD_JUDGE=OFF.")
endif()
list(GET _found 0 KBX_PYTHON_VERSION)
list(GET _found 1 KBX_PYTHON_INCLUDE)
list(GET _found 2 KBX_PYTHON_EXT_SUFFIX)
list(GET _found 3 KBX_TORCH_DIR)
list(GET _found 4 KBX_TORCH_VERSION)
string(REGEX MATCH "^[0-9]+\\.[0-9]+" _torch_short ${KBX_TORCH_VERSION})
if(_torch_short VERSION_LESS 2.7)
  message(FATAL_ERROR "torch ${KBX_TORCH_VERSION} is too old: 2.7 or newer is needed (older wheels have the old C++ ABI)")
endif()

if(NOT TARGET torch::cpu)
  set(_rpath "$ORIGIN/../lib")
  foreach(_lib c10 torch_cpu torch_python)
    add_library(torch::${_lib} SHARED IMPORTED)
    set_target_properties(torch::${_lib} PROPERTIES IMPORTED_LOCATION ${KBX_TORCH_DIR}/lib/lib${_lib}.so)
  endforeach()
  add_library(torch::cpu INTERFACE IMPORTED)
  # -idirafter: the wheel carries its own copy of fmt's headers, which must not shadow the system's.
  target_compile_options(torch::cpu INTERFACE
    "SHELL:-idirafter ${KBX_TORCH_DIR}/include" "SHELL:-idirafter ${KBX_TORCH_DIR}/include/torch/csrc/api/include")
  target_link_libraries(torch::cpu INTERFACE torch::torch_cpu torch::c10)
  # --exclude-libs: a compiler that links libstdc++ statically (toolchains beside the system's do) would let the program's
  # copy of std::string and of the streams take the place of the shared one inside libtorch: two halves of two libraries,
  # seen as "free(): invalid pointer" after torch prints a warning. What comes from archives is not exported.
  target_link_options(torch::cpu INTERFACE -Wl,-rpath,${KBX_TORCH_DIR}/lib -Wl,--allow-shlib-undefined
    -Wl,--exclude-libs,ALL)
  add_library(torch::python INTERFACE IMPORTED)
  target_include_directories(torch::python SYSTEM INTERFACE ${KBX_PYTHON_INCLUDE})
  target_link_libraries(torch::python INTERFACE torch::cpu torch::torch_python)
endif()
set(TorchFromPython_FOUND TRUE)
