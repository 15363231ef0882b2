# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a C++ file that holds the text of INPUT (or "[]" where it is missing) as kbx::embedded_catalog().
if(EXISTS ${INPUT})
  file(READ ${INPUT} text)
else()
  set(text "[]")
endif()
# Raw strings in pieces: some compilers limit the length of one. The pieces end at line ends, so that no character of
# several bytes is torn.
string(REPLACE "\n" "\n)kbx\"\nR\"kbx(" text "${text}")
file(WRITE ${OUTPUT}
  "// Made from ${NAME}; do not edit.\n#include \"kbx/cli/catalog.h\"\n\nnamespace kbx {\n\n"
  "std::string_view embedded_catalog() {\n  static constexpr char kText[] =\nR\"kbx(${text})kbx\";\n"
  "  return {kText, sizeof kText - 1};\n}\n\n}  // namespace kbx\n")
