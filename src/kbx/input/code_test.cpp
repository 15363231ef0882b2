// SPDX-License-Identifier: Apache-2.0
#include "kbx/input/code.h"

#include <gtest/gtest.h>

namespace kbx {
namespace {

std::string extract(std::string_view text) {
  return extract_code(text, {"gelu", "kernel_function", "my_gelu"});
}

const std::string kProgram = "import torch\n\ndef gelu(x):\n    return x\n";

TEST(ExtractCode, CodeAloneIsKeptToTheByte) {
  EXPECT_EQ(extract(kProgram), kProgram);
  EXPECT_EQ(extract("x = 1\r\n\r\ndef gelu(x): pass"), "x = 1\r\n\r\ndef gelu(x): pass");
  EXPECT_EQ(extract("\xef\xbb\xbf" + kProgram), kProgram);
  EXPECT_EQ(extract("\"\"\"Doc.\"\"\"\n" + kProgram), "\"\"\"Doc.\"\"\"\n" + kProgram);
}

TEST(ExtractCode, ChatBeforeUnfencedCodeIsDropped) {
  EXPECT_EQ(extract("Certainly! Here is the code.\nNote: it is fast.\n\n" + kProgram), kProgram);
}

TEST(ExtractCode, ChatAloneIsNoCode) {
  EXPECT_EQ(extract("I'm sorry, but I can't help with that."), "");
  EXPECT_EQ(extract("{{ code }}"), "");
  EXPECT_EQ(extract(" \n\n"), "");
  EXPECT_EQ(extract(""), "");
}

// Two real submissions lost their line breaks: what is left is still theirs to be judged.
TEST(ExtractCode, CodeWithoutLineBreaksIsKept) {
  EXPECT_EQ(extract("import torch import triton def gelu(x): return x"),
            "import torch import triton def gelu(x): return x");
}

TEST(ExtractCode, FencedBlock) {
  EXPECT_EQ(extract("Here:\n\n```python\n" + kProgram + "```\n\nIt works."), kProgram);
  EXPECT_EQ(extract("~~~\n" + kProgram + "~~~"), kProgram);
  EXPECT_EQ(extract("1. item\n   ```python\n" + kProgram + "   ```"), kProgram);
  EXPECT_EQ(extract("- item\n  ```python\n  def gelu(x):\n\n    pass\n  ```"), "def gelu(x):\n\n  pass\n");
}

TEST(ExtractCode, UnclosedFenceRunsToTheEnd) {
  EXPECT_EQ(extract("Here:\n```python\n" + kProgram), kProgram);
}

TEST(ExtractCode, FenceThatOnlyCloses) {
  EXPECT_EQ(extract(kProgram + "```\nThis implements gelu."), kProgram);
}

TEST(ExtractCode, LongerFenceHoldsShorterOnes) {
  const std::string code = "def gelu(x):\n  '''\n```\nexample\n```\n'''\n";
  EXPECT_EQ(extract("````python\n" + code + "````"), code);
}

TEST(ExtractCode, FenceInADocstringIsCode) {
  const std::string code = "def gelu(x):\n  '''\n```\nexample\n```\n'''\n  return x\n";
  EXPECT_EQ(extract(code), code);
  const std::string indented = "def gelu(x):\n    '''\n    ```python\n    gelu(1)\n    ```\n    '''\n";
  EXPECT_EQ(extract(indented), indented);
}

TEST(ExtractCode, TheLastClosedBlockWithTheEntryWins) {
  const std::string better = "import triton\ndef gelu(x):\n    return 2 * x\n";
  EXPECT_EQ(extract("```python\n" + kProgram + "```\nBetter:\n```python\n" + better + "```\n"), better);
  EXPECT_EQ(extract("```python\n" + kProgram + "```\nBetter:\n```python\n" + better), kProgram);
  EXPECT_EQ(extract("```python\n" + kProgram + "```\nUse:\n```python\nprint(gelu(3))\nassert 0\n```\n"), kProgram);
}

TEST(ExtractCode, EntryMayHaveAnyOfItsNames) {
  for (const char* code : {"def my_gelu(x): pass\n", "def kernel_function (x): pass\n", "gelu = lambda x: x\n"})
    EXPECT_EQ(extract("```python\na = 1\nb = 2\nc = 3\nd = 4\ne = 5\n```\n```python\n" + std::string(code) + "```"),
              code);
}

TEST(ExtractCode, BlocksThatTheEntryNeedsComeAlong) {
  const std::string kernel = "import triton\n@triton.jit\ndef k(x):\n    pass\n";
  const std::string unrelated = "total = 3\n";
  const std::string entry = "import torch\ndef gelu(x):\n    k[1](x)\n";
  EXPECT_EQ(extract("```triton\n" + kernel + "```\n```\n" + unrelated + "```\n```python\n" + entry + "```\n"),
            kernel + "\n\n" + entry);
}

TEST(ExtractCode, WhatTheNeededBlocksNeedComesToo) {
  EXPECT_EQ(extract("```\nimport triton.language as tl\n```\n```\ndef k(x):\n    tl.load(x)\n```\n"
                    "```\ndef gelu(x):\n    k(x)\n```"),
            "import triton.language as tl\n\n\ndef k(x):\n    tl.load(x)\n\n\ndef gelu(x):\n    k(x)\n");
}

TEST(ExtractCode, WithoutTheEntryTheLongestPythonBlock) {
  EXPECT_EQ(extract("```cpp\nint very_long_declaration = 42;\n```\n```python\nimport x\n```\n```python\na\n```"),
            "import x\n");
  EXPECT_EQ(extract("```cpp\nint a;\n```"), "int a;\n");
}

TEST(ExtractCode, OnlyWhatStandsAboveTheSeparatorCounts) {
  const std::string line(146, '#');
  EXPECT_EQ(extract(kProgram + line + "\nassert gelu(1) == 1\n"), kProgram);
  EXPECT_EQ(extract(kProgram + line + "\r\ndef gelu(x): pass\n"), kProgram);
  const std::string shorter = kProgram + std::string(145, '#') + "\nx = 1\n";
  EXPECT_EQ(extract(shorter), shorter);
}

TEST(ExtractCode, EndTokensEndTheText) {
  for (const char* token : {"<|im_end|>", "<|endoftext|>", "</s>", "<|EOT|>", "<|eot_id|>", "<end_of_turn>",
                            "<\xef\xbd\x9c"
                            "end\xe2\x96\x81of\xe2\x96\x81sentence\xef\xbd\x9c>"}) {
    EXPECT_EQ(extract(kProgram + token), kProgram) << token;
    EXPECT_EQ(extract(kProgram + token + "\n<|im_start|>user\nMore"), kProgram) << token;
    EXPECT_EQ(extract("```python\n" + kProgram + "```" + token), kProgram) << token;
  }
  EXPECT_EQ(extract("<s><|im_start|>assistant\n```python\n" + kProgram + "```<|im_end|>"), kProgram);
}

TEST(ExtractCode, WhatOnlyLooksLikeATokenIsCode) {
  for (const char* line : {"s = '</s>' + x\n", "m = a <b|c> d\n", "y = x <| y |>\n"}) {
    const std::string code = line + kProgram;
    EXPECT_EQ(extract(code), code);
  }
}

TEST(ExtractCode, ReasoningIsDropped) {
  EXPECT_EQ(extract("<think>\n```python\ndef gelu(x): draft\n```\n</think>\n```python\n" + kProgram + "```"), kProgram);
}

TEST(Defines, TopLevelOnly) {
  EXPECT_TRUE(defines("x = 1\ndef  f (a):\n  pass", "f"));
  EXPECT_TRUE(defines("f = g", "f"));
  EXPECT_FALSE(defines("  def f(a): pass", "f"));
  EXPECT_FALSE(defines("def ff(a): pass", "f"));
  EXPECT_FALSE(defines("f == g", "f"));
  EXPECT_FALSE(defines("f(1)", "f"));
}

}  // namespace
}  // namespace kbx
