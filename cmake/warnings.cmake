# SPDX-License-Identifier: Apache-2.0
# The warnings that all of our own code is compiled with.
add_library(kbx_warnings INTERFACE)
target_compile_options(kbx_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wmissing-field-initializers
  $<$<BOOL:${KBX_WERROR}>:-Werror>)
if(KBX_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
# g++ 12 sees overlaps and overruns that are not there in std::string's operator+ at -O3 (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(kbx_warnings INTERFACE -Wno-array-bounds -Wno-restrict -Wno-stringop-overread)
endif()
