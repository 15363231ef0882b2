# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT with the version and the commit that is built, "+" behind it where files differ from it. Runs at each
# build, and touches the file only when it changes.
set(commit "unknown")
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE head RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changes ERROR_QUIET)
    set(commit "${head}")
    if(changes)
      string(APPEND commit "+")
    endif()
  endif()
endif()
set(text "// Made by version.cmake; do not edit.\n#include \"kbx/cli/version.h\"\n\nnamespace kbx {\n\nconst char* version() { return \"${VERSION}\"; }\nconst char* commit() { return \"${commit}\"; }\n\n}  // namespace kbx\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT "${text}" STREQUAL "${before}")
  file(WRITE ${OUTPUT} "${text}")
endif()
