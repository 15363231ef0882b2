// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/dropout.h"
#include "linear.h"

namespace kbx::task_fused_dropout_sigmoid_linear {
namespace {

std::vector<Bounded> dropout_sigmoid_linear_bounds(const Question& q) {
  const Args exact = in_double(q.before);
  const double p = q.before.flag("training") ? q.before.number("p") : 0;
  const at::Tensor z = linear_of(exact), kept = z.sigmoid() / (1 - p);
  const at::Tensor slack = through_sigmoid(z, linear_slack(exact, at::kFloat)) / (1 - p) + kept * 2;
  return dropout_bounds(*q.got[0].as<at::Tensor>(), kept, slack * spacing(at::kFloat) + kSmallestNormal, p);
}

Cases dropout_sigmoid_linear_cases() {
  const auto f = at::kFloat;
  const ArgRecipes few = linear_problem(2, 3, 4, true), many = linear_problem(64, 32, 128, true);
  const ArgRecipes wild = {{"input", outliers({32, 64}, f, 0.01, 10)},
                           {"weight", outliers({96, 64}, f, 0.01, 10)},
                           {"bias", randn({96}, f)}};
  Cases out = {
      {"training", few},
      {"training, no bias", linear_problem(2, 3, 4, false)},
      {"training, inplace", with(few, {{"inplace", true}})},
      {"training, p 0.1", with(many, {{"p", 0.1}, {"training", true}, {"inplace", false}})},
      {"training, p 0.5", many},
      {"training, p 0.8, inplace", with(many, {{"p", 0.8}, {"inplace", true}})},
      {"training, outliers", with(wild, {{"p", 0.1}})},
      {"training, ragged", with(linear_problem(37, 29, 53, false), {{"p", 0.3}})},
      {"p 0", with(linear_problem(17, 29, 23, true), {{"p", 0.0}})},
      {"p 1", with(linear_problem(17, 29, 23, true), {{"p", 1.0}})},
  };
  for (Case c : linear_cases()) {
    if (c.drawn)
      c.drawn = [draw = c.drawn](Draw& d) { return with(draw(d), {{"training", false}}); };
    else
      c.args = with(c.args, {{"p", 0.1}, {"training", false}});
    out.push_back(std::move(c));
  }
  return out;
}

Sizes dropout_sigmoid_linear_sizes() {
  Sizes out;
  for (int i = 8; i <= 15; ++i)
    out.push_back({"1024x" + std::to_string(1 << i) + "x256", linear_problem(1024, int64_t{1} << i, 256, true)});
  return out;
}

KBX_TASK(Fusion, fused_dropout_sigmoid_linear) {
  return {
      .signature =
          "fused_dropout_sigmoid_linear(input, weight, bias=None, "
          "p=0.5, training=True, inplace=False)",
      .description =
          R"(Dropout of y = sigmoid(input @ weight^T + bias), where sigmoid(z) = 1 / (1 + exp(-z)).
input is float32 [..., I], weight float32 [O, I] and bias float32 [O] or None; the result is a new float32 tensor
[..., O]. training=True: each element of y is set to zero with probability p (0 <= p <= 1), independently of the others
and of earlier calls, and multiplied by 1 / (1 - p) otherwise; p = 0 changes nothing and p = 1 gives zeros.
training=False: the result is y. inplace concerns the intermediate result only and never the arguments: it changes
nothing that can be seen.
Any source of randomness is right: the share of dropped elements and the absence of patterns are tested, two calls must
differ, and kept elements are checked one by one. Sums are in float32, in any order: TF32 (which tl.dot uses unless told
otherwise), bfloat16 and float16 products are refused. Tensors may be strided views; there may be no rows.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def fused_dropout_sigmoid_linear(input, weight, bias=None, p=0.5, training=True, inplace=False):
    activated = torch.sigmoid(F.linear(input, weight, bias))
    return F.dropout(activated, p=p, training=training, inplace=inplace)
)",
      .reference = [](const Args& in) -> Results {
        return {at::dropout(at::sigmoid(linear_of(in)), in.number("p"), in.flag("training"))};
      },
      .cases = dropout_sigmoid_linear_cases(),
      .sizes = dropout_sigmoid_linear_sizes(),
      .cost = linear_cost(6),
      .contract = {Distribution{dropout_sigmoid_linear_bounds},
                   "kept elements carry the error of a float32 sum of products "
                   "in any order, a quarter of it at most, "
                   "and that of a fast exponential and division; TF32 misses "
                   "by hundreds; the share of dropped ones "
                   "and their correlations stay within six standard deviations "
                   "of chance"},
  };
}

}  // namespace
}  // namespace kbx::task_fused_dropout_sigmoid_linear
