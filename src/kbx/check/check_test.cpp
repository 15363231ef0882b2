// SPDX-License-Identifier: Apache-2.0
// judge() over whole tasks: exceptions by path, changed arguments, rules over the whole answer.
#include "kbx/check/check.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cmath>

#include "kbx/base/error.h"
#include "kbx/task/families.h"
#include "kbx/task/residual.h"

namespace kbx {
namespace {

using testing::HasSubstr;

// A task and a call of it, with what an honest submission gives; tests change `got` and `after`.
struct Call {
  Task task;
  Signature signature;
  Args before, after;
  Expectation expected;
  Results got;

  Call(Task task_, std::vector<std::pair<std::string, Value>> args)
      : task(std::move(task_)), signature(task.signature), before(&signature) {
    for (auto& [name, value] : args) before.set(name, std::move(value));
    expected = expect(task, before);
    after = before.map_tensors([](const at::Tensor& t) { return t.clone(); });
    got = task.reference(after);  // in the arguments' own dtypes
  }
  Judgement judged() const { return judge(task, before, after, got, expected); }
  Verdict verdict() const { return judged().verdict; }
};

Task task_of(std::string signature, std::function<Results(const Args&)> reference, Contract contract,
             std::vector<std::string> mutates = {}) {
  return {.signature = std::move(signature),
          .description = {},
          .snippet = {},
          .reference = std::move(reference),
          .cases = {},
          .sizes = {},
          .cost = {},
          .contract = std::move(contract),
          .mutates = std::move(mutates)};
}

Call doubled(bool with_out) {
  Task task = task_of("doubled(x, out=None)", [](const Args& in) { return deliver(in, "out", in.tensor("x") * 2); },
                      {Relative{.ulps = 1}, "why"}, {"out"});
  std::vector<std::pair<std::string, Value>> args = {{"x", at::randn({5})}};
  if (with_out) args.emplace_back("out", at::zeros({5}));
  return {std::move(task), std::move(args)};
}

TEST(Judge, HonestResultsPassWithTheWorstElement) {
  const Judgement j = doubled(false).judged();
  EXPECT_EQ(j.verdict, Verdict::kPassed);
  EXPECT_TRUE(j.reason.empty());
  EXPECT_EQ(j.because, "why");
  ASSERT_TRUE(j.worst);
  EXPECT_LE(j.worst->error, j.worst->bound);
}

TEST(Judge, StructureDtypeAndShapeComeFirst) {
  Call call = doubled(false);
  const at::Tensor right = *call.got[0].as<at::Tensor>();
  call.got = {right, right};
  EXPECT_EQ(call.verdict(), Verdict::kWrongStructure);
  call.got = {right.to(at::kHalf)};
  EXPECT_EQ(call.verdict(), Verdict::kWrongDtype);
  call.got = {right.unsqueeze(1)};
  EXPECT_EQ(call.verdict(), Verdict::kWrongShape);
  call.got = {right.clone()};
  EXPECT_EQ(call.verdict(), Verdict::kPassed);
}

TEST(Judge, OutHasToHoldTheResult) {
  Call call = doubled(true);
  EXPECT_EQ(call.verdict(), Verdict::kPassed);
  call.got = {call.got[0].as<at::Tensor>()->clone()};  // another tensor of the same content
  EXPECT_EQ(call.verdict(), Verdict::kPassed);
  call.after.tensor("out")[2] += 1;
  const Judgement j = call.judged();
  EXPECT_EQ(j.verdict, Verdict::kWrongValue);
  EXPECT_THAT(j.reason, HasSubstr("'out' does not hold what was returned as result"));
}

// A running sum that is kept in state when asked to.
Call kept(bool keep) {
  return {task_of("kept(x, state, keep=False)",
                  [](const Args& in) -> Results {
                    const at::Tensor sum = in.tensor("x").sum();
                    if (in.flag("keep")) in.tensor("state").add_(sum);
                    return {sum};
                  },
                  {Relative{.ulps = 8}, "why"}, {"state"}),
          {{"x", at::ones({9})}, {"state", at::ones({2})}, {"keep", keep}}};
}

TEST(Judge, ChangedArgumentsAreJudgedAsResultsAre) {
  Call call = kept(true);
  EXPECT_EQ(call.verdict(), Verdict::kPassed);
  EXPECT_EQ(call.after.tensor("state")[0].item<float>(), 10);
  EXPECT_EQ(call.before.tensor("state")[0].item<float>(), 1);
  call.after.tensor("state")[1] += 0.001;
  EXPECT_THAT(call.judged().reason, HasSubstr("state: 1 of 2 elements are wrong"));
  call.after.tensor("state").copy_(call.before.tensor("state"));
  EXPECT_EQ(call.verdict(), Verdict::kWrongValue);
}

TEST(Judge, ArgumentsThatThisCallLeavesAloneStayAsTheyAre) {
  Call call = kept(false);
  EXPECT_EQ(call.verdict(), Verdict::kPassed);
  call.after.tensor("state")[0] += 1;
  EXPECT_EQ(call.verdict(), Verdict::kMutatedInput);
}

TEST(Judge, ChangedArgumentsHaveMagnitudesBehindTheResults) {
  Call call = kept(true);
  call.task.contract.rule = Relative{.scale = 1, .magnitude = [](const Args& in) -> Results {
                                       return {at::ones({}, at::kDouble) * 8, in.tensor("state") * 1e6};
                                     }};
  EXPECT_EQ(call.verdict(), Verdict::kPassed);
  call.after.tensor("state")[1] += 0.1;  // of 1e6 * 2^-23
  EXPECT_EQ(call.verdict(), Verdict::kPassed);
  call.after.tensor("state")[1] += 0.1;
  EXPECT_EQ(call.verdict(), Verdict::kWrongValue);
}

TEST(Judge, ExceptionsFollowTheirPath) {
  Task task = task_of("extremes(x)",
                      [](const Args& in) -> Results {
                        const auto [value, index] = in.tensor("x").max(0);
                        return {value, index};
                      },
                      {.rule = Exact{},
                       .because = "why",
                       .except = {{"result[1]", Invariants{[](const Question& q) -> std::vector<Bounded> {
                                     const at::Tensor picked =
                                         q.before.tensor("x").gather(0, q.got[1].as<at::Tensor>()->unsqueeze(0));
                                     const at::Tensor off = picked.to(at::kDouble) - *q.got[0].as<at::Tensor>();
                                     return {{"values that the indices point at", off.abs().max().item<double>(), 0}};
                                   }}}}});
  Call call(std::move(task), {{"x", at::tensor({3.0, 5.0, 5.0, 1.0}, at::kFloat).unsqueeze(1)}});
  EXPECT_EQ(call.verdict(), Verdict::kPassed);
  for (const int64_t index : {1, 2}) {
    call.got[1] = at::tensor({index}, at::kLong);
    EXPECT_EQ(call.verdict(), Verdict::kPassed);
  }
  call.got[1] = at::tensor({0}, at::kLong);
  EXPECT_THAT(call.judged().reason, HasSubstr("values that the indices point at is 2, allowed is 0"));
  call.got[0] = at::tensor({4.0}, at::kFloat);
  EXPECT_THAT(call.judged().reason, HasSubstr("result[0]"));
}

TEST(Judge, PythonNumbersAreResultsToo) {
  Task task = task_of("number(x)",
                      [](const Args& in) -> Results {
                        return {in.number("x") * 2, "text"};
                      },
                      {Relative{.ulps = 1}, "why"});
  Call call(std::move(task), {{"x", 1.5}});
  EXPECT_EQ(call.verdict(), Verdict::kPassed);
  call.got = {3.5, "text"};
  EXPECT_EQ(call.verdict(), Verdict::kWrongValue);
  call.got = {3.0, "another"};
  EXPECT_EQ(call.verdict(), Verdict::kWrongValue);
  call.got = {at::scalar_tensor(3.0, at::kDouble), "text"};
  EXPECT_EQ(call.verdict(), Verdict::kWrongStructure);
}

Call qr() {
  Task task = task_of("qr(A)",
                      [](const Args& in) -> Results {
                        const auto [q, r] = at::linalg_qr(in.tensor("A"));
                        return {q, r};
                      },
                      {Invariants{[](const Question& question) -> std::vector<Bounded> {
                         const at::Tensor a = question.before.tensor("A").to(at::kDouble);
                         const at::Tensor &q = *question.got[0].as<at::Tensor>(),
                                          &r = *question.got[1].as<at::Tensor>();
                         const double bound = stable_bound(a.size(0), at::kFloat);
                         return {small("|A - QR|", a - at::matmul(q, r), frobenius(a), bound),
                                 orthonormal("|Q^T Q - I|", q, bound), zero("R below the diagonal", r.tril(-1))};
                       }},
                       "why"});
  return {std::move(task), {{"A", at::randn({12, 12})}}};
}

TEST(Judge, InvariantsTakeEveryRightAnswer) {
  Call call = qr();
  EXPECT_EQ(call.verdict(), Verdict::kPassed);
  call.got[0] = -*call.got[0].as<at::Tensor>();  // other signs, as good
  EXPECT_EQ(call.verdict(), Verdict::kWrongValue);
  call.got[1] = -*call.got[1].as<at::Tensor>();
  EXPECT_EQ(call.verdict(), Verdict::kPassed);
}

TEST(Judge, InvariantsRefuseTheWrongOnes) {
  Call call = qr();
  at::Tensor q = call.got[0].as<at::Tensor>()->clone();
  q[3][4] += 0.01;
  call.got[0] = q;
  EXPECT_THAT(call.judged().reason, HasSubstr("allowed is"));
  call.got[0] = q / 0;
  EXPECT_EQ(call.verdict(), Verdict::kNonfinite);
  call.got[0] = at::zeros_like(q);
  EXPECT_EQ(call.verdict(), Verdict::kWrongValue);
  call.got[0] = q.slice(1, 0, 11);
  EXPECT_EQ(call.verdict(), Verdict::kWrongShape);
}

TEST(Judge, InvariantsSeeATupleOfOneAsItsItem) {
  Task task = task_of("same(x)", [](const Args& in) -> Results { return {in.tensor("x").clone()}; },
                      {Invariants{[](const Question& q) -> std::vector<Bounded> {
                         return {{"sum", q.got.at(0).as<at::Tensor>()->sum().item<double>(), 10}};
                       }},
                       "why"});
  Call call(std::move(task), {{"x", at::ones({3})}});
  const Value right = call.got[0];
  call.got = {List{.items = {right}, .tuple = true}};
  EXPECT_EQ(call.verdict(), Verdict::kPassed);
  call.got = {List{.items = {List{.items = {right}}}}};
  EXPECT_EQ(call.verdict(), Verdict::kWrongStructure);
}

TEST(Judge, WhatTorchRefusesIsAWrongValue) {
  Task task = task_of("order(x)", [](const Args& in) -> Results { return {in.tensor("x").argsort()}; },
                      {Invariants{[](const Question& q) -> std::vector<Bounded> {
                         const at::Tensor sorted = q.before.tensor("x").index_select(0, *q.got[0].as<at::Tensor>());
                         return {{"steps down", static_cast<double>(sorted.diff().lt(0).sum().item<int64_t>()), 0}};
                       }},
                       "why"});
  Call call(std::move(task), {{"x", at::randn({9})}});
  EXPECT_EQ(call.verdict(), Verdict::kPassed);
  call.got = {at::full({9}, 9, at::kLong)};
  EXPECT_THAT(call.judged().reason, HasSubstr("cannot be evaluated"));
}

Task bounding(std::vector<Bounded> bounded, bool random) {
  const auto check = [bounded](const Question&) { return bounded; };
  return task_of("same(x)", [](const Args& in) -> Results { return {in.tensor("x").clone()}; },
                 {random ? Rule(Distribution{check}) : Rule(Invariants{check}), "why"});
}

TEST(Judge, OfSeveralBoundsTheWorstIsNamed) {
  const Call call(bounding({{"a", 1, 2}, {"b", 3, 4}, {"c", 0, 0}}, true), {{"x", at::ones({1})}});
  EXPECT_EQ(call.verdict(), Verdict::kPassed);
  EXPECT_EQ(call.judged().worst->output, "b");
}

TEST(Judge, ANanQuantityNeverPasses) {
  const double nan = std::nan("");
  for (const bool random : {false, true})
    for (const Bounded& b : {Bounded{"q", nan, 1}, Bounded{"q", 0, nan}, Bounded{"q", nan, nan}}) {
      const Call call(bounding({{"fine", 0, 1}, b}, random), {{"x", at::ones({1})}});
      EXPECT_EQ(call.verdict(), Verdict::kWrongValue);
      EXPECT_EQ(call.judged().worst->output, "q");
    }
}

TEST(Judge, AContractThatBoundsNothingIsAFaultOfTheTask) {
  EXPECT_THROW(Call(bounding({}, false), {{"x", at::ones({1})}}).judged(), Error);
  EXPECT_EQ(Call(bounding({}, false), {{"x", at::ones({0})}}).verdict(), Verdict::kPassed);
}

// int8 by row times int8 by column, as an ideal quantised product has it.
at::Tensor quantised_product(const Args& in) {
  const auto rounded = [](const at::Tensor& x, int64_t dim) {
    const at::Tensor scale = x.abs().amax(dim, true) / 127;
    return (x / scale).round() * scale;
  };
  return at::matmul(rounded(in.tensor("a").to(at::kDouble), 1), rounded(in.tensor("b").to(at::kDouble), 0));
}

Call quantised(std::function<at::Tensor(const Args&)> slack = nullptr) {
  at::manual_seed(3);
  Task task = task_of(
      "product(a, b)", [](const Args& in) -> Results { return {at::matmul(in.tensor("a"), in.tensor("b"))}; },
      {Quantised{
           .schemes = {{"whole tensors",
                        [](const Args& in) { return at::matmul(in.tensor("a"), in.tensor("b")).to(at::kDouble) * 2; },
                        nullptr},
                       {"rows and columns", quantised_product, std::move(slack)}}},
       "why"});
  Call call(std::move(task), {{"a", at::randn({16, 64})}, {"b", at::randn({64, 8})}});
  call.got = {quantised_product(call.before).to(at::kFloat)};
  return call;
}

TEST(Judge, AnIdealQuantisedResultPasses) {
  EXPECT_EQ(quantised().verdict(), Verdict::kPassed);
}

TEST(Judge, TheProductOfFloatsIsNoQuantisedResult) {
  Call call = quantised();
  call.got = {at::matmul(call.before.tensor("a"), call.before.tensor("b"))};
  const Judgement j = call.judged();
  EXPECT_EQ(j.verdict, Verdict::kWrongValue);
  EXPECT_THAT(j.reason, HasSubstr("nearer to the product of unquantised floats"));
}

TEST(Judge, AnotherErrorNamesTheNearestScheme) {
  Call call = quantised();
  call.got[0].as<at::Tensor>()->select(0, 3).mul_(1.01);
  EXPECT_THAT(call.judged().reason, HasSubstr("compared with the nearest scheme, 'rows and columns'"));
}

TEST(Judge, SlackIsForTheElementsThatHaveIt) {
  const auto slack = [](const Args&) {
    at::Tensor out = at::zeros({16, 8}, at::kDouble);
    out[2][1] = 0.5;
    return out;
  };
  Call call = quantised(slack);
  call.got[0].as<at::Tensor>()->select(0, 2).select(0, 1).add_(0.4);
  EXPECT_EQ(call.verdict(), Verdict::kPassed);
  call.got[0].as<at::Tensor>()->select(0, 2).select(0, 2).add_(0.4);
  EXPECT_EQ(call.verdict(), Verdict::kWrongValue);
}

TEST(Judge, OptimiserJudgesParametersAndState) {
  Task task = task_of("step(param, grad, momentum)",
                      [](const Args& in) -> Results {
                        const at::Tensor m = in.tensor("momentum"), p = in.tensor("param");
                        m.mul_(0.9).add_(in.tensor("grad"));
                        p.sub_(m * 0.1);
                        return {p};
                      },
                      {Optimiser{.ulps = 4, .floor = 1e-7}, "why"}, {"param", "momentum"});
  Call call(std::move(task), {{"param", at::randn({7})}, {"grad", at::randn({7})}, {"momentum", at::randn({7})}});
  EXPECT_EQ(call.verdict(), Verdict::kPassed);
  call.after.tensor("momentum")[3] += 1e-3;
  EXPECT_THAT(call.judged().reason, HasSubstr("momentum"));
}

TEST(Judge, AReferenceOfAnotherShapeIsAFaultOfTheTask) {
  Call call = doubled(false);
  call.expected.values = {at::zeros({6}, at::kDouble)};
  EXPECT_THROW(call.judged(), Error);
}

TEST(Published, IsTheRuleOfClose) {
  const Results right = {at::ones({3}), at::tensor({1, 2}, at::kLong)};
  EXPECT_TRUE(published_agrees(right, right));
  EXPECT_TRUE(published_agrees({at::ones({3}) + 1.5e-5, right[1]}, right));
  EXPECT_FALSE(published_agrees({at::ones({3}) + 3e-5, right[1]}, right));
  EXPECT_FALSE(published_agrees({at::ones({3}), at::tensor({1, 3}, at::kLong)}, right));
  EXPECT_FALSE(published_agrees({at::ones({3}, at::kHalf), right[1]}, right));
}

}  // namespace
}  // namespace kbx
