// SPDX-License-Identifier: Apache-2.0
// Invariants and Distribution: the task's own function looks at the whole answer and says what it bounded.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include "kbx/base/error.h"
#include "kbx/check/compare.h"

namespace kbx {
namespace {

bool finite(const at::Tensor& t) {
  return t.isfinite().all().item<bool>();
}

// No equation can be trusted once NaN runs through it; where the reference itself is not finite, the function decides.
std::optional<Judgement> nonfinite(const std::vector<Output>& outputs) {
  for (const Output& output : outputs)
    if (finite(output.expected) && !finite(output.got))
      return Judgement{
          .verdict = Verdict::kNonfinite,
          .reason = fmt::format("{}: {} of {} elements are not finite", output.path,
                                output.got.isfinite().logical_not().sum().item<int64_t>(), output.got.numel()),
          .because = {},
          .worst = {}};
  return std::nullopt;
}

bool has_elements(const std::vector<Output>& outputs) {
  for (const Output& output : outputs)
    if (output.got.numel() > 0) return true;
  return false;
}

bool passes(const Bounded& b) {
  return b.error <= b.bound;
}

// Share of the bound; failures, NaN among them, above everything that passes.
double strain_of(const Bounded& b) {
  if (!passes(b)) return std::numeric_limits<double>::infinity();
  return b.bound > 0 ? b.error / b.bound : 0;
}

Judgement judge_bounded(const std::vector<Bounded>& bounded) {
  const Bounded* worst = nullptr;
  for (const Bounded& b : bounded)
    if (worst == nullptr || strain_of(b) > strain_of(*worst)) worst = &b;
  Judgement out;
  if (worst == nullptr) return out;
  out.worst = Worst{.output = worst->quantity,
                    .index = {},
                    .expected = fmt::format("at most {:.3g}", worst->bound),
                    .got = fmt::format("{:.3g}", worst->error),
                    .error = worst->error,
                    .bound = worst->bound};
  if (passes(*worst)) return out;
  out.verdict = Verdict::kWrongValue;
  out.reason = fmt::format("{} is {:.3g}, allowed is {:.3g}", worst->quantity, worst->error, worst->bound);
  return out;
}

using Check = std::function<std::vector<Bounded>(const Question&)>;

// Values that torch itself refuses, such as an index out of range, are the submission's fault and not the task's: the
// reference's own answer has come through here in the catalogue's test.
Judgement ask(const Check& check, const Question& question, const std::vector<Output>& outputs) {
  if (auto fault = nonfinite(outputs)) return *fault;
  std::vector<Bounded> bounded;
  try {
    bounded = check(question);
  } catch (const c10::Error& refused) {
    return {
        .verdict = Verdict::kWrongValue,
        .reason = fmt::format("the equations of the answer cannot be evaluated: {}", refused.what_without_backtrace()),
        .because = {},
        .worst = {}};
  }
  if (bounded.empty() && has_elements(outputs))
    throw Error(ErrorKind::kEnvironment, "a contract bounds nothing of an answer that has elements");
  return judge_bounded(bounded);
}

}  // namespace

Judgement compare_invariants(const Invariants& rule, const Question& question, const std::vector<Output>& outputs) {
  return ask(rule.check, question, outputs);
}

// That two calls differ is for the caller to see: it needs a second call.
Judgement compare_distribution(const Distribution& rule, const Question& question, const std::vector<Output>& outputs) {
  return ask(rule.check, question, outputs);
}

}  // namespace kbx
