// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"
#include "kbx/task/rounding.h"

namespace kbx::task_batch_norm {
namespace {

// One number a channel, shaped to meet the input.
at::Tensor per_channel(const at::Tensor& v, const at::Tensor& x) {
  std::vector<int64_t> shape(static_cast<size_t>(x.dim()), 1);
  shape[1] = -1;
  return v.to(at::kDouble).reshape(shape);
}

// What the updated statistics may be off: the mean by its sum; of a variance also what Welford's update loses where the
// mean is large beside the spread.
at::Tensor mean_slack(const Args& in, const at::Tensor& magnitude, double chain) {
  return in.tensor("running_mean").abs() * 2 + magnitude.flatten() * (std::abs(in.number("momentum")) * (4 + chain));
}
at::Tensor var_slack(const Args& in, const at::Tensor& var, const at::Tensor& mean_magnitude, double chain) {
  const at::Tensor of_var = var * (6 + chain / 2) + var.sqrt() * mean_magnitude * (1 + chain / 4);
  return in.tensor("running_var").abs() * 2 + of_var.flatten() * std::abs(in.number("momentum") * 2);
}

// y = (x - mean) / s * w + b. The difference loses two spacings of |x| + |mean|; a mean summed over n values loses
// sqrt(n) more of the mean of |x|, their variance sqrt(n) / 2; the rest is relative to y - b.
Results batch_norm_slack(const Args& in) {
  const at::Tensor input = in.tensor("input"), x = input.to(at::kDouble);
  const bool training = in.flag("training");
  std::vector<int64_t> others;
  for (int64_t d = 0; d < x.dim(); ++d)
    if (d != 1) others.push_back(d);
  const double n = training ? static_cast<double>(x.numel() / x.size(1)) : 0;
  const double chain = std::sqrt(std::min(n, 0x1p17));
  const at::Tensor mean = training ? x.mean(others, true) : per_channel(in.tensor("running_mean"), x);
  const at::Tensor var = training ? x.var(others, false, true) : per_channel(in.tensor("running_var"), x);
  const at::Tensor mean_magnitude = training ? x.abs().mean(others, true) : mean.abs();
  at::Tensor factor = (var + in.number("eps")).rsqrt();
  if (in.has("weight")) factor = factor * per_channel(in.tensor("weight"), x).abs();
  const at::Tensor difference = x.abs() * 2 + mean_magnitude * (2 + chain);
  at::Tensor slack = factor * (difference + (x - mean).abs() * (4 + chain / 2));
  if (in.has("bias")) slack = slack + per_channel(in.tensor("bias"), x).abs();
  slack = slack * accumulation_share(input.scalar_type());
  return training ? Results{slack, mean_slack(in, mean_magnitude, chain), var_slack(in, var, mean_magnitude, chain)}
                  : Results{slack};
}

Case problem(const std::string& label, Recipe input, int64_t channels, ArgRecipes more = {}) {
  ArgRecipes args = {{"input", std::move(input)},
                     {"running_mean", randn({channels}, at::kFloat, 0.5)},
                     {"running_var", uniform({channels}, at::kFloat, 0.5, 2)}};
  for (auto& item : more) args.push_back(std::move(item));
  return {label, std::move(args)};
}

Cases batch_norm_cases() {
  const auto f = at::kFloat;
  const ArgRecipes affine = {{"weight", randn({8}, f)}, {"bias", randn({8}, f)}, {"training", true}};
  return {
      problem("defaults", randn({2, 3, 4, 4}, f), 3),
      problem("training", randn({2, 3, 4, 4}, f), 3, {{"training", true}}),
      problem("affine", randn({2, 3, 4, 4}, f), 3, {{"weight", randn({3}, f)}, {"bias", randn({3}, f)}}),
      problem("weight alone", randn({2, 3, 4, 4}, f), 3, {{"weight", randn({3}, f)}, {"training", true}}),
      problem("bias alone", randn({2, 3, 4, 4}, f), 3, {{"bias", randn({3}, f)}}),
      problem("eps", randn({2, 3, 4, 4}, f, 0.01), 3, {{"momentum", 0.2}, {"eps", 0.001}}),
      problem("momentum", randn({2, 3, 4, 4}, f), 3, {{"training", true}, {"momentum", 0.4}, {"eps", 0.01}}),
      problem("momentum 0", randn({2, 3, 5}, f), 3, {{"training", true}, {"momentum", 0.0}}),
      problem("momentum 1", randn({2, 3, 5}, f), 3, {{"training", true}, {"momentum", 1}}),
      problem("training, affine", randn({4, 8, 16, 16}, f), 8, affine),
      problem("outliers", outliers({4, 8, 16, 16}, f, 0.01, 20), 8, affine),
      problem("ragged", randn({3, 5, 7, 11}, f, 2, 1), 5, {{"training", true}}),
      problem("rows", randn({37, 19}, f), 19, {{"training", true}}),
      problem("three dimensions", randn({6, 4, 33}, f), 4, {{"training", true}}),
      problem("five dimensions", randn({2, 3, 3, 4, 5}, f), 3, {{"training", true}}),
      problem("far from zero", randn({4, 3, 8, 8}, f, 1, 300), 3, {{"training", true}}),
      problem("two values", randn({2, 3}, f), 3, {{"training", true}}),
      problem("no batch elements", empty({0, 3, 4, 4}, f), 3),
      problem("transposed", transposed(randn({2, 3, 9, 6}, f)), 3, {{"training", true}}),
      problem("channels last",
              apply(
                  randn({2, 6, 5, 3}, f),
                  [](const at::Tensor& x) {
                    return x.permute({0, 3, 1, 2});
                  },
                  "permuted"),
              3, {{"training", true}}),
  };
}

Sizes batch_norm_sizes() {
  Sizes out;
  for (int i = 5; i <= 12; ++i) {
    const int64_t height = 128 * i;
    out.push_back({std::to_string(height) + "x128",
                   {{"input", randn({32, 32, height, 128}, at::kHalf)},
                    {"running_mean", randn({32}, at::kFloat)},
                    {"running_var", uniform({32}, at::kFloat, 0.5, 2)},
                    {"weight", randn({32}, at::kFloat)},
                    {"bias", randn({32}, at::kFloat)}}});
  }
  return out;
}

KBX_TASK(Normalization, batch_norm) {
  return {
      .signature =
          "batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, "
          "eps=1e-05)",
      .description = R"(Batch normalisation: y = (x - mean[c]) / sqrt(var[c] + eps) * weight[c] + bias[c].
input is [N, C, ...] with any number of further dimensions, float32 or (timed) float16; c is its second coordinate. The
result is a new tensor of its shape and dtype. running_mean, running_var, weight and bias are float32 [C]; weight or bias
may be None, which stands for ones or zeros.
training=False: mean and var are running_mean and running_var, which stay as they are.
training=True: mean and var are those of the values of the channel, n in number (n > 1), var divided by n. The running
statistics are updated in place: running = (1 - momentum) * running + momentum * new, where the new variance is the one
divided by n - 1.
N may be 0 when training=False. Tensors may be strided views. Compute in float32 and round to the input's dtype once.
The mean of a channel may be far larger than its spread, so E[x^2] - mean^2 is not exact enough for the variance: take
two passes or Welford's update.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    return F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
)",
      .reference = [](const Args& in) -> Results {
        return {at::batch_norm(in.tensor("input"), in.optional_tensor("weight"), in.optional_tensor("bias"),
                               in.optional_tensor("running_mean"), in.optional_tensor("running_var"),
                               in.flag("training"), in.number("momentum"), in.number("eps"), true)};
      },
      .cases = batch_norm_cases(),
      .sizes = batch_norm_sizes(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input"), stats = in.tensor("running_mean");
        const double affine = (in.has("weight") ? 1 : 0) + (in.has("bias") ? 1 : 0);
        const double n = static_cast<double>(x.numel());
        const bool training = in.flag("training");
        return {.bytes_read = bytes_of(x) + (2 + affine) * bytes_of(stats),
                .bytes_written = bytes_of(x) + (training ? 2 * bytes_of(stats) : 0),
                .flops = (training ? 8 : 4) * n};
      },
      .contract = {Relative{.ulps = 1, .scale = 1, .magnitude = batch_norm_slack},
                   "in float32 the difference from the mean loses two spacings of |x| + mean|x|, the variance is a sum "
                   "of n squares; half types and a variance by cancellation lose hundreds more"},
      .mutates = {"running_mean", "running_var"},
  };
}

}  // namespace
}  // namespace kbx::task_batch_norm
