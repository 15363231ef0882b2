// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"
#include "kbx/task/dropout.h"
#include "kbx/task/rounding.h"

namespace kbx::task_fused_hardshrink_dropout {
namespace {

// The value of an element that dropout keeps: two roundings, 1 / (1 - p) and the product.
at::Tensor kept_value(const Question& q) {
  const at::Tensor x = q.before.tensor("input").to(at::kDouble);
  return q.before.flag("training") ? x / (1 - q.before.number("p")) : x;
}

std::vector<Bounded> hardshrink_dropout_bounds(const Question& q) {
  const at::Tensor got = *q.got[0].as<at::Tensor>(), kept = kept_value(q);
  const double p = q.before.flag("training") ? q.before.number("p") : 0, lambd = q.before.number("lambd");
  const at::Tensor rounding = kept.abs() * (p == 0 ? 0 : 2 * spacing(at::kFloat));
  // Within rounding of lambd either side is right.
  const at::Tensor unclear = (kept.abs() - static_cast<float>(lambd)).abs().le(rounding).logical_and(rounding.gt(0));
  const at::Tensor shrunk = at::where(unclear, kept, at::hardshrink(kept, static_cast<float>(lambd)));
  std::vector<Bounded> out = dropout_bounds(got, shrunk, at::where(unclear, kept.abs(), rounding), p);
  if (!q.before.flag("inplace")) return out;
  const at::Tensor after = q.after.tensor("input").to(at::kDouble);
  for (Bounded& b : dropout_bounds(after, kept, rounding, p)) {
    b.quantity = "input after the call: " + b.quantity;
    out.push_back(std::move(b));
  }
  const at::Tensor difference = (got - at::hardshrink(after, static_cast<float>(lambd))).abs();
  out.push_back({.quantity = "result, from hardshrink of the input after the call",
                 .error = difference.numel() == 0 ? 0 : difference.max().item<double>()});
  return out;
}

Cases hardshrink_dropout_cases() {
  const auto f = at::kFloat;
  const Recipe x = randn({128, 128}, f);
  return {
      {"defaults", {{"input", randn({25, 25}, f)}}},
      {"p 0.3", {{"input", randn({37, 53}, f)}, {"p", 0.3}}},
      {"not training", {{"input", randn({5, 5}, f)}, {"training", false}}},
      {"lambd", {{"input", randn({33, 17}, f)}, {"lambd", 0.7}}},
      {"not training, lambd", {{"input", x}, {"p", 0.1}, {"training", false}, {"lambd", 1.25}}},
      {"p 0.1", {{"input", x}, {"p", 0.1}, {"training", true}, {"inplace", false}, {"lambd", 0.5}}},
      {"p 0.9", {{"input", x}, {"p", 0.9}}},
      {"outliers, not training", {{"input", outliers({64, 64}, f, 0.01, 10)}, {"training", false}}},
      {"outliers", {{"input", outliers({64, 64}, f, 0.01, 10)}, {"p", 0.1}}},
      {"p 0", {{"input", x}, {"p", 0.0}}},
      {"p 1", {{"input", x}, {"p", 1.0}}},
      {"at the threshold",
       {{"input", values({0.5, -0.5, 0.50000006, -0.50000006, 0, -0.0, 1}, f)}, {"training", false}}},
      {"lambd 0", {{"input", x}, {"lambd", 0.0}}},
      {"inplace", {{"input", x}, {"p", 0.4}, {"inplace", true}}},
      {"inplace, not training", {{"input", randn({9, 9}, f)}, {"training", false}, {"inplace", true}}},
      {"one element", {{"input", randn({1}, f)}, {"training", false}}},
      {"empty", {{"input", empty({0, 3}, f)}, {"training", false}}},
      {"transposed", {{"input", transposed(randn({50, 70}, f))}}},
  };
}

KBX_TASK(Fusion, fused_hardshrink_dropout) {
  return {
      .signature = "fused_hardshrink_dropout(input, p=0.5, training=True, inplace=False, lambd=0.5)",
      .description = R"(Dropout, then hard shrinkage, of a float32 tensor of any shape.
training=True: each element is set to zero with probability p (0 <= p <= 1), independently of the others and of earlier
calls, and multiplied by 1 / (1 - p) otherwise; p = 0 changes nothing and p = 1 gives zeros. training=False: dropout is
skipped. Then y = z where |z| > lambd, else 0 (lambd >= 0, compared in float32).
inplace=True: dropout is done in place, so that input holds its result, not yet shrunk, after the call (with
training=False it does not change). The float32 result is in every case a new tensor of the input's shape.
Any source of randomness is right: the share of dropped elements and the absence of patterns are tested, two calls must
differ, and kept elements are checked one by one. The input may be a strided view.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def fused_hardshrink_dropout(input, p=0.5, training=True, inplace=False, lambd=0.5):
    dropped = F.dropout(input, p=p, training=training, inplace=inplace)
    return F.hardshrink(dropped, lambd)
)",
      .reference = [](const Args& in) -> Results {
        at::Tensor x = in.tensor("input");
        if (in.flag("training"))
          x = in.flag("inplace") ? at::dropout_(x, in.number("p"), true) : at::dropout(x, in.number("p"), true);
        // Compared as float32 does it, though the reference's x is double.
        return {at::hardshrink(x, static_cast<float>(in.number("lambd")))};
      },
      .cases = hardshrink_dropout_cases(),
      .sizes = power_sizes("input", at::kFloat, 12, 27, {.low = 0, .high = 1}),
      .cost = streaming_cost({"input"}, 3),
      .contract =
          {Distribution{hardshrink_dropout_bounds},
           "kept elements are exact but for two roundings; the share of dropped ones and their correlations stay "
           "within six standard deviations of chance"},
      .mutates = {"input"},
  };
}

}  // namespace
}  // namespace kbx::task_fused_hardshrink_dropout
