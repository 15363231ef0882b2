// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/convolution.h"

#include <ATen/ATen.h>

#include "kbx/task/rounding.h"

namespace kbx {
namespace {

// Winograd's F(4x4, 3x3) loses about ten times what a direct sum does; it is honest float32.
constexpr double kWinograd = 16;

at::Tensor convolve(const Args& in, const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& b) {
  const auto stride = in.integers("stride", 2), dilation = in.integers("dilation", 2);
  const int64_t groups = in.integer("groups");
  if (const auto* text = in.at("padding").as<std::string>())
    return at::conv2d(x, w, b, stride, c10::string_view(*text), dilation, groups);
  return at::conv2d(x, w, b, stride, in.integers("padding", 2), dilation, groups);
}

int64_t terms(const at::Tensor& weight) {
  return weight.size(1) * weight.size(2) * weight.size(3) + 1;
}

int64_t output_side(const Args& in, size_t side) {
  const int64_t size = in.tensor("input").size(2 + static_cast<int64_t>(side));
  const int64_t kernel = in.tensor("weight").size(2 + static_cast<int64_t>(side));
  const int64_t stride = in.integers("stride", 2)[side];
  const int64_t reach = in.integers("dilation", 2)[side] * (kernel - 1);
  if (const auto* text = in.at("padding").as<std::string>()) return *text == "same" ? size : size - reach;
  return (size + 2 * in.integers("padding", 2)[side] - reach - 1) / stride + 1;
}

}  // namespace

at::Tensor convolve_2d(const Args& args) {
  return convolve(args, args.tensor("input"), args.tensor("weight"), args.optional_tensor("bias"));
}

at::Tensor convolve_2d_slack(const Args& args) {
  const at::Tensor x = args.tensor("input").to(at::kDouble), w = args.tensor("weight").to(at::kDouble);
  std::optional<at::Tensor> b = args.optional_tensor("bias"), magnitude_b;
  if (b) b = b->to(at::kDouble), magnitude_b = b->abs();
  return sum_slack(convolve(args, x, w, b), convolve(args, x.abs(), w.abs(), magnitude_b), terms(w), kWinograd) *
         accumulation_share(args.tensor("input").scalar_type());
}

double convolve_2d_outputs(const Args& args) {
  return static_cast<double>(args.tensor("input").size(0) * args.tensor("weight").size(0) * output_side(args, 0) *
                             output_side(args, 1));
}

double convolve_2d_flops(const Args& args) {
  return convolve_2d_outputs(args) * 2 * static_cast<double>(terms(args.tensor("weight")) - 1);
}

Cases convolve_2d_cases(at::ScalarType dtype) {
  const Recipe image = randn({2, 3, 16, 16}, dtype), filters = randn({4, 3, 3, 3}, dtype);
  const Recipe small = randn({1, 3, 5, 5}, dtype), few = randn({2, 3, 3, 3}, dtype);
  return {
      {"defaults", {{"input", small}, {"weight", few}}},
      {"bias", {{"input", small}, {"weight", few}, {"bias", randn({2}, dtype)}}},
      {"stride 2", {{"input", small}, {"weight", few}, {"stride", 2}}},
      {"padding 1", {{"input", small}, {"weight", few}, {"padding", 1}}},
      {"dilation 2", {{"input", small}, {"weight", few}, {"dilation", 2}}},
      {"groups 2",
       {{"input", randn({1, 4, 5, 5}, dtype)}, {"weight", randn({2, 2, 3, 3}, dtype)}, {"dilation", 2}, {"groups", 2}}},
      {"depthwise",
       {{"input", randn({1, 4, 7, 6}, dtype)}, {"weight", randn({8, 1, 3, 3}, dtype)}, {"padding", 1}, {"groups", 4}}},
      {"padding 'same'", {{"input", small}, {"weight", few}, {"padding", "same"}}},
      {"padding 'same', even kernel", {{"input", small}, {"weight", randn({2, 3, 2, 4}, dtype)}, {"padding", "same"}}},
      {"padding 'valid'", {{"input", small}, {"weight", few}, {"padding", "valid"}, {"stride", 2}}},
      {"pairs",
       {{"input", randn({2, 3, 11, 14}, dtype)},
        {"weight", randn({5, 3, 3, 2}, dtype)},
        {"bias", randn({5}, dtype)},
        {"stride", ints({2, 1})},
        {"padding", ints({0, 2})},
        {"dilation", ints({1, 3})}}},
      {"one by one", {{"input", randn({2, 7, 5, 3}, dtype)}, {"weight", randn({3, 7, 1, 1}, dtype)}}},
      {"one element", {{"input", randn({1, 1, 1, 1}, dtype)}, {"weight", randn({1, 1, 1, 1}, dtype)}}},
      {"no batch elements", {{"input", randn({0, 3, 5, 5}, dtype)}, {"weight", few}}},
      {"image", {{"input", image}, {"weight", filters}, {"stride", 2}, {"padding", 1}}},
      {"outliers",
       {{"input", outliers({2, 3, 16, 16}, dtype, 0.01, 20)},
        {"weight", outliers({4, 3, 3, 3}, dtype, 0.01, 20)},
        {"stride", 2},
        {"padding", 1}}},
      {"many channels",
       {{"input", randn({1, 40, 6, 6}, dtype)}, {"weight", randn({6, 40, 3, 3}, dtype)}, {"padding", 1}}},
      {"positive values", {{"input", uniform({1, 24, 6, 5}, dtype)}, {"weight", uniform({3, 24, 3, 3}, dtype)}}},
      {"views",
       {{"input", transposed(randn({2, 3, 9, 6}, dtype))},
        {"weight", transposed(randn({4, 3, 2, 3}, dtype))},
        {"padding", 1}}},
  };
}

}  // namespace kbx
