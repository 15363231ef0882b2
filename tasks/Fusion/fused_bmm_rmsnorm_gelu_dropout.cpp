// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"
#include "kbx/task/dropout.h"
#include "kbx/task/rounding.h"

namespace kbx::task_fused_bmm_rmsnorm_gelu_dropout {
namespace {

at::Tensor activated(const Args& in) {
  const at::Tensor product = at::bmm(in.tensor("input1"), in.tensor("input2"));
  const at::Tensor normed = at::rms_norm(product, {in.integer("normalized_shape")}, {}, in.number("eps"));
  return at::gelu(normed, in.text("approximate"));
}

// What float32 arithmetic may lose before dropout. The product's slack is divided by the root mean square, which moves
// itself with the slacks of its row and sums n squares; |gelu'| is below 1.13; the bracket 1 + erf or 1 + tanh keeps an
// absolute error of up to eight spacings, halved.
at::Tensor activated_slack(const Args& in) {
  const at::Tensor a = in.tensor("input1"), b = in.tensor("input2");
  const at::Tensor z = at::bmm(a, b), slack = product_slack(a, b);
  const at::Tensor square = z.square().mean(-1, true) + in.number("eps");
  const at::Tensor rms = square.sqrt(), normed = (z / rms).abs();
  const at::Tensor of_rms =
      (z.abs() * slack).mean(-1, true) / square + (4 + std::sqrt(static_cast<double>(z.size(-1))) / 2);
  return (slack / rms + normed * of_rms) * 1.13 + normed * 4;
}

std::vector<Bounded> bmm_dropout_bounds(const Question& q) {
  const Args exact = q.before.map_tensors([](const at::Tensor& t) { return t.to(at::kDouble); });
  const double p = q.before.flag("training") ? q.before.number("dropout_p") : 0;
  const at::Tensor kept = activated(exact) / (1 - p);
  const at::Tensor slack = (activated_slack(exact) / (1 - p) + kept.abs() * 3) * spacing(at::kFloat) + kSmallestNormal;
  return dropout_bounds(*q.got[0].as<at::Tensor>(), kept, slack, p);
}

Case problem(const std::string& label, Recipe input1, Recipe input2, int64_t columns, ArgRecipes more = {}) {
  ArgRecipes args = {{"input1", std::move(input1)}, {"input2", std::move(input2)}, {"normalized_shape", columns}};
  for (auto& item : more) args.push_back(std::move(item));
  return {label, std::move(args)};
}

Cases bmm_dropout_cases() {
  const auto f = at::kFloat;
  const Recipe a = randn({2, 9, 4}, f), b = randn({2, 4, 15}, f);
  const Recipe left = randn({4, 16, 32}, f), right = randn({4, 32, 64}, f);
  const Recipe wild_left = outliers({4, 16, 32}, f, 0.01, 10), wild_right = outliers({4, 32, 64}, f, 0.01, 10);
  return {
      problem("defaults", a, b, 15),
      problem("p 0.2", a, b, 15, {{"dropout_p", 0.2}}),
      problem("not training", a, b, 15, {{"training", false}}),
      problem("tanh", a, b, 15, {{"approximate", "tanh"}}),
      problem("not training, tanh", left, right, 64, {{"training", false}, {"approximate", "tanh"}}),
      problem("not training, aligned", left, right, 64, {{"training", false}}),
      problem("training, tanh", left, right, 64, {{"training", true}, {"approximate", "tanh"}}),
      problem("p 0.7", left, right, 64, {{"dropout_p", 0.7}}),
      problem("outliers", wild_left, wild_right, 64, {{"training", false}, {"approximate", "tanh"}}),
      problem("outliers, training", wild_left, wild_right, 64),
      problem("ragged", randn({3, 19, 37}, f), randn({3, 37, 23}, f), 23, {{"training", false}}),
      problem("ragged, training", randn({3, 19, 37}, f), randn({3, 37, 43}, f), 43, {{"dropout_p", 0.4}}),
      problem("large eps", randn({2, 9, 7}, f, 0.3), randn({2, 7, 11}, f), 11, {{"eps", 0.5}, {"dropout_p", 0.0}}),
      problem("small values", randn({2, 9, 7}, f, 1e-2), randn({2, 7, 11}, f, 1e-2), 11, {{"training", false}}),
      problem("p 0", left, right, 64, {{"dropout_p", 0.0}}),
      problem("p 1", a, b, 15, {{"dropout_p", 1.0}}),
      problem("one element", randn({1, 1, 1}, f), randn({1, 1, 1}, f), 1, {{"training", false}}),
      problem("no batch elements", empty({0, 3, 4}, f), empty({0, 4, 5}, f), 5, {{"training", false}}),
      problem("transposed", transposed(randn({2, 20, 13}, f)), transposed(randn({2, 17, 20}, f)), 17,
              {{"training", false}}),
      problem("out", randn({2, 9, 8}, f), randn({2, 8, 12}, f), 12,
              {{"out", empty({2, 9, 12}, f)}, {"dropout_p", 0.5}}),
  };
}

Sizes bmm_dropout_sizes() {
  Sizes out;
  for (int64_t i = 2; i <= 19; ++i) {
    const int64_t n = 128 * i;
    const Recipe square = randn({32, n, n}, at::kFloat);
    out.push_back({"32x" + std::to_string(n) + "x" + std::to_string(n), problem("", square, square, n).args});
  }
  return out;
}

KBX_TASK(Fusion, fused_bmm_rmsnorm_gelu_dropout) {
  return {
      .signature =
          "fused_bmm_rmsnorm_gelu_dropout(input1, input2, normalized_shape, dropout_p=0.1, eps=1e-05, "
          "training=True, approximate='none', *, out=None)",
      .description = R"(Batched matrix product, root-mean-square norm, GELU, dropout, one after the other.
input1 is float32 [B, M, K], input2 float32 [B, K, N]; normalized_shape is the int N.
  z = input1 @ input2;   n = z / sqrt(mean of z^2 over the last dimension + eps);   g = gelu(n)
approximate='none': gelu(n) = n/2 (1 + erf(n / sqrt(2))); 'tanh': n/2 (1 + tanh(sqrt(2/pi) (n + 0.044715 n^3))).
training=True: each element of g is set to zero with probability dropout_p (between 0 and 1), independently of the others
and of earlier calls, and multiplied by 1 / (1 - dropout_p) otherwise; 0 changes nothing and 1 gives zeros.
training=False: the result is g. Any source of randomness is right: the share of dropped elements and the absence of
patterns are tested, two calls must differ, and kept elements are checked one by one.
Without out a new float32 tensor [B, M, N] is returned; else the result is written to out, which is returned. Sums are in
float32, in any order: TF32 (which tl.dot uses unless told otherwise), bfloat16 and float16 products are refused. B may
be 0. Tensors may be strided views.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def fused_bmm_rmsnorm_gelu_dropout(input1, input2, normalized_shape, dropout_p=0.1, eps=1e-05, training=True,
                                   approximate='none', *, out=None):
    normed = F.rms_norm(torch.bmm(input1, input2), (normalized_shape,), eps=eps)
    result = F.dropout(F.gelu(normed, approximate=approximate), p=dropout_p, training=training)
    return result if out is None else out.copy_(result)
)",
      .reference = [](const Args& in) -> Results {
        return deliver(in, "out", at::dropout(activated(in), in.number("dropout_p"), in.flag("training")));
      },
      .cases = bmm_dropout_cases(),
      .sizes = bmm_dropout_sizes(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor a = in.tensor("input1"), b = in.tensor("input2");
        const double outputs = static_cast<double>(a.size(0) * a.size(1) * b.size(2));
        const double products = 2 * outputs * static_cast<double>(a.size(2));
        return {.bytes_read = bytes_of(a) + bytes_of(b),
                .bytes_written = 4 * outputs,
                .flops = products + 14 * outputs,
                .matrix_flops = products};
      },
      .contract = {Distribution{bmm_dropout_bounds},
                   "kept elements carry the error of a float32 product in any order through norm and GELU, and TF32 "
                   "misses by hundreds; the share of dropped ones and their correlations stay within six standard "
                   "deviations of chance"},
      .mutates = {"out"},
  };
}

}  // namespace
}  // namespace kbx::task_fused_bmm_rmsnorm_gelu_dropout
