// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/signature.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace kbx {
namespace {

std::vector<std::string> names(const Signature& signature) {
  std::vector<std::string> out;
  for (const Parameter& p : signature.parameters()) out.push_back(p.name);
  return out;
}

std::string fallback(const Signature& signature, std::string_view name) {
  const Parameter* parameter = signature.find(name);
  if (parameter == nullptr) return "no such parameter";
  return parameter->fallback ? to_text(*parameter->fallback) : "no default";
}

TEST(Signature, NamesTheEntryAndItsParameters) {
  const Signature s("gelu(input, approximate='none')");
  EXPECT_EQ(s.entry(), "gelu");
  EXPECT_THAT(names(s), testing::ElementsAre("input", "approximate"));
  EXPECT_EQ(fallback(s, "input"), "no default");
  EXPECT_EQ(fallback(s, "approximate"), "'none'");
  EXPECT_EQ(s.find("x"), nullptr);
}

TEST(Signature, KnowsEveryFormOfDefault) {
  const Signature s(
      "f(a=None, b=True, c=False, d=-100, e=1e-05, f=0.5, g='mean', h=torch.strided, i=torch.float32, "
      "j=(0.9, 0.999), k=[1, 2], l=1, m=.5, n=+3, o=(), p=(7,), q=(7), r=\"x\", s=1e-15, t=2.)");
  const std::vector<std::pair<const char*, const char*>> right = {{"a", "None"},
                                                                  {"b", "True"},
                                                                  {"c", "False"},
                                                                  {"d", "-100"},
                                                                  {"e", "1e-05"},
                                                                  {"f", "0.5"},
                                                                  {"g", "'mean'"},
                                                                  {"h", "torch.strided"},
                                                                  {"i", "torch.float32"},
                                                                  {"j", "(0.9, 0.999)"},
                                                                  {"k", "[1, 2]"},
                                                                  {"l", "1"},
                                                                  {"m", "0.5"},
                                                                  {"n", "3"},
                                                                  {"o", "()"},
                                                                  {"p", "(7,)"},
                                                                  {"q", "7"},
                                                                  {"r", "'x'"},
                                                                  {"s", "1e-15"},
                                                                  {"t", "2.0"}};
  for (const auto& [name, text] : right) EXPECT_EQ(fallback(s, name), text) << name;
  EXPECT_NE(s.find("d")->fallback->as<int64_t>(), nullptr);
  EXPECT_NE(s.find("e")->fallback->as<double>(), nullptr);
}

TEST(Signature, KnowsStars) {
  const Signature bare("f(a, *, out=None, dim)");
  EXPECT_FALSE(bare.find("a")->keyword_only);
  EXPECT_TRUE(bare.find("out")->keyword_only);
  EXPECT_TRUE(bare.find("dim")->keyword_only);
  EXPECT_EQ(bare.parameters().size(), 3U);

  const Signature variadic("rand(*size, generator=None, layout=torch.strided)");
  EXPECT_TRUE(variadic.find("size")->variadic);
  EXPECT_FALSE(variadic.find("size")->keyword_only);
  EXPECT_TRUE(variadic.find("generator")->keyword_only);
}

// One of each shape that the catalogue's signatures take.
TEST(Signature, ReadsSignaturesOfTheCatalogue) {
  for (const char* text : {
           "matmul(tensor1, tensor2)",
           "asin(input_tensor)",
           "sub(input, other, *, alpha=1, out=None)",
           "index_fill_(dim, x, index, value)",
           "grid_sample(input, grid, mode='bilinear', padding_mode='zeros', align_corners=False)",
           "fused_cross_entropy_softmax_layernorm(logits, targets, normalized_shape, weight=None, ignore_index=-100, "
           "reduction='mean', label_smoothing=0.0, eps=1e-05, *, out=None)",
           "pseudoinverse_svd(A, full_matrices=True, rcond=1e-15, out=None)",
           "Adam(params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0)",
           "logspace(start, end, steps, base=10.0, dtype=None, layout=torch.strided, device=None, requires_grad=False)",
           "rand(*size, generator=None, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False, "
           "pin_memory=False)",
           "fftn(input, s=None, dim=None, norm=None, out=None)",
           "attention(q, k, v, causal=False, softmax_scale=None, *, out=None)",
       })
    EXPECT_NO_THROW(Signature{text}) << text;
}

TEST(Signature, SpacesAndTrailingCommasDoNotMatter) {
  EXPECT_EQ(names(Signature(" f ( a , b = ( 1 , 2 ) , ) ")), names(Signature("f(a,b=(1,2))")));
  EXPECT_TRUE(Signature("f()").parameters().empty());
}

TEST(Signature, RefusesWhatPythonRefuses) {
  for (const char* text :
       {"", "f", "f(", "f(a", "f(a,,b)", "f(a=)", "f(a=1, b)", "f(a, a)", "f(a) -> b", "f(1a)", "f(a='x)",
        "f(a=nothing)", "f(a=torch.flaot32)", "f(*, *)", "f(*a, *b)", "f(a b)", "f(a=(1, 2)", "f(a=-)", "(a)"})
    EXPECT_THROW(Signature{text}, std::invalid_argument) << text;
}

TEST(Signature, SaysWhereTheFaultIs) {
  try {
    Signature("f(a, b=?)");
    FAIL();
  } catch (const std::invalid_argument& wrong) {
    EXPECT_THAT(wrong.what(), testing::HasSubstr("at character 8"));
  }
}

}  // namespace
}  // namespace kbx
