// SPDX-License-Identifier: Apache-2.0
#include "reduction.h"

namespace kbx::task_kl_div {
namespace {

at::Tensor divergence(const Args& in) {
  return at::kl_div(in.tensor("input"), in.tensor("target"), at::Reduction::None, in.flag("log_target"));
}

// Both terms of a difference count with their own size. The fast logarithm near one is good to spacings of one, and the
// fast exponential of t to |t| spacings.
Results slack(const Args& in) {
  const at::Tensor x = in.tensor("input"), t = in.tensor("target");
  const at::Tensor magnitude = in.flag("log_target") ? t.exp() * ((t - x).abs() * (1 + t.abs()) + t.abs() + x.abs())
                                                     : at::xlogy(t, t).abs() + t * (1 + x.abs());
  return reduced_slack(divergence(in), magnitude, in.text("reduction"));
}

Recipe log_probabilities(const Shape& shape, bool with_outliers = false) {
  const Recipe logits = with_outliers ? outliers(shape, at::kFloat, 0.01, 10) : randn(shape, at::kFloat);
  return apply(
      logits, [](const at::Tensor& x) { return at::log_softmax(x, -1); }, "log_softmax");
}

Recipe probabilities(const Shape& shape, bool with_outliers = false) {
  return softmaxed(with_outliers ? outliers(shape, at::kFloat, 0.01, 10) : randn(shape, at::kFloat), -1);
}

Case plain(std::string label, const Shape& shape, bool with_outliers, ArgRecipes more) {
  return loss_case(std::move(label), log_probabilities(shape, with_outliers), probabilities(shape, with_outliers),
                   std::move(more));
}

Case logarithmic(std::string label, const Shape& shape, bool with_outliers, ArgRecipes more) {
  more.emplace_back("log_target", true);
  return loss_case(std::move(label), log_probabilities(shape, with_outliers), log_probabilities(shape, with_outliers),
                   std::move(more));
}

// A one-hot half: targets that are exactly zero.
Recipe targets_with_zeros(const Shape& shape) {
  return apply(
      probabilities(shape), [](const at::Tensor& t) { return t.masked_fill(t < 0.05, 0); }, "zero below 0.05");
}

Sizes rows_of_1024() {
  Sizes sizes;
  for (int i = 8; i <= 13; ++i) {
    const Shape shape{1LL << i, 1024};
    sizes.push_back({"2^" + std::to_string(i) + " x 1024",
                     {{"input", log_probabilities(shape)}, {"target", probabilities(shape)}}});
  }
  return sizes;
}

}  // namespace

KBX_TASK(Loss, kl_div) {
  return {
      .signature = "kl_div(input, target, reduction='batchmean', log_target=False)",
      .description = R"(Kullback-Leibler divergence of two float32 tensors of the same shape, element by element. input
holds logarithms of probabilities. log_target=False: target holds probabilities, and the loss is
target * (ln(target) - input), which is 0 where target is 0. log_target=True: target holds logarithms too, and the loss
is exp(target) * (target - input).
reduction='none' returns it as it is; 'sum' its sum over all elements, 'mean' that sum divided by their number,
'batchmean' that sum divided by the length of the first dimension, each as a float32 tensor without dimensions. Compute
in float32, in any order of summation, not in one chain when there are millions of elements. Either argument may be a
strided view.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def kl_div(input, target, reduction='batchmean', log_target=False):
    return F.kl_div(input, target, reduction=reduction, log_target=log_target)
)",
      .reference = [](const Args& in) -> Results { return {reduced(divergence(in), in.text("reduction"))}; },
      .cases =
          {
              plain("batchmean", {4, 8}, false, {{"reduction", "batchmean"}}),
              logarithmic("logarithms", {2, 5}, false, {{"reduction", "batchmean"}}),
              plain("none", {2, 3}, false, {{"reduction", "none"}}),
              plain("wider", {16, 32}, false, {}),
              plain("wider, none", {16, 33}, false, {{"reduction", "none"}}),
              logarithmic("wider, logarithms", {16, 32}, false, {}),
              plain("outliers", {16, 32}, true, {}),
              plain("outliers, none", {15, 32}, true, {{"reduction", "none"}}),
              logarithmic("outliers, logarithms", {16, 32}, true, {}),
              plain("sum", {9, 65}, false, {{"reduction", "sum"}}),
              plain("mean", {9, 65}, false, {{"reduction", "mean"}}),
              logarithmic("logarithms, sum", {9, 65}, false, {{"reduction", "sum"}}),
              logarithmic("logarithms, mean", {9, 65}, false, {{"reduction", "mean"}}),
              logarithmic("logarithms, none", {7, 61}, false, {{"reduction", "none"}}),
              loss_case("zero targets", log_probabilities({8, 33}), targets_with_zeros({8, 33})),
              loss_case("zero targets, none", log_probabilities({8, 33}), targets_with_zeros({8, 33}),
                        {{"reduction", "none"}}),
              plain("three dims", {3, 5, 17}, false, {}),
              plain("one row", {1, 129}, false, {}),
              loss_case("transposed", transposed(log_probabilities({12, 20})), transposed(probabilities({12, 20})),
                        {{"reduction", "sum"}}),
              plain("no elements, sum", {0, 4}, false, {{"reduction", "sum"}}),
          },
      .sizes = rows_of_1024(),
      .cost = loss_cost(4),
      .contract = {Relative{.scale = 1, .magnitude = slack, .floor = kSmallestNormal},
                   "the fast logarithm is good to 2^-21.4 near one, the fast exponential to two spacings and |t| more, "
                   "the difference to the size of its terms; any order of adding them rounds like a random walk"},
  };
}

}  // namespace kbx::task_kl_div
