// SPDX-License-Identifier: Apache-2.0
// z = input @ weight^T + bias, with which several fused tasks begin: arguments input, weight, bias.
#pragma once

#include "activation_slack.h"
#include "fused.h"

namespace kbx {

inline at::Tensor linear_of(const Args& in) {
  return at::linear(in.tensor("input"), in.tensor("weight"), in.optional_tensor("bias"));
}

// In spacings of dtype, that of the arguments; exact holds them in double. Of half types the product and the sum with
// the bias may each have been rounded to them.
inline at::Tensor linear_slack(const Args& exact, at::ScalarType dtype) {
  const Args absolute = exact.map_tensors([](const at::Tensor& t) { return t.abs(); });
  const at::Tensor sum = linear_of(exact), magnitude = linear_of(absolute);
  const at::Tensor slack = sum_slack(sum, magnitude, exact.tensor("weight").size(1) + 1);
  if (dtype == at::kFloat) return slack;
  const at::Tensor product = exact.has("bias") ? (sum - exact.tensor("bias")).abs() + sum.abs() : sum.abs();
  return slack * accumulation_share(dtype) + product * 0.5;
}

// Weights are small enough for sums of about one, so that activations do not saturate.
inline ArgRecipes linear_problem(int64_t batch, int64_t inputs, int64_t outputs, bool bias,
                                 at::ScalarType dtype = at::kFloat) {
  const double scale = 1 / std::sqrt(static_cast<double>(std::max<int64_t>(inputs, 1)));
  ArgRecipes args = {{"input", randn({batch, inputs}, dtype)}, {"weight", randn({outputs, inputs}, dtype, scale)}};
  if (bias) args.emplace_back("bias", randn({outputs}, dtype));
  return args;
}

inline Cases linear_cases() {
  const auto f = at::kFloat;
  return {
      {"bias", linear_problem(5, 3, 4, true)},
      {"no bias", linear_problem(5, 3, 4, false)},
      {"two by two", linear_problem(2, 3, 2, true)},
      {"aligned", linear_problem(32, 64, 48, true)},
      {"ragged", linear_problem(37, 53, 29, true)},
      {"long sums", linear_problem(6, 700, 9, false)},
      {"weights of one", {{"input", randn({16, 32}, f)}, {"weight", randn({24, 32}, f)}, {"bias", randn({24}, f)}}},
      {"outliers",
       {{"input", outliers({32, 64}, f, 0.01, 10)},
        {"weight", outliers({40, 64}, f, 0.01, 10)},
        {"bias", randn({40}, f)}}},
      {"positive values", {{"input", uniform({9, 200}, f, 0, 0.1)}, {"weight", uniform({11, 200}, f, 0, 0.1)}}},
      {"a vector", {{"input", randn({33}, f)}, {"weight", randn({20, 33}, f, 0.2)}, {"bias", randn({20}, f)}}},
      {"three dimensions",
       {{"input", randn({3, 5, 17}, f)}, {"weight", randn({10, 17}, f, 0.25)}, {"bias", randn({10}, f)}}},
      {"one element", linear_problem(1, 1, 1, true)},
      {"no rows", linear_problem(0, 5, 3, true)},
      {"transposed",
       {{"input", transposed(randn({30, 21}, f))},
        {"weight", transposed(randn({30, 13}, f, 0.2))},
        {"bias", strided(randn({26}, f), 0, 2)}}},
      drawn_case("drawn shape",
                 [](Draw& d) { return linear_problem(d.integer(2, 30), d.integer(2, 60), d.integer(2, 30), true); }),
  };
}

inline Cases linear_cases_half() {
  const auto h = at::kHalf;
  return {
      {"float16", linear_problem(32, 64, 48, true, h)},
      {"float16, ragged", linear_problem(19, 77, 23, false, h)},
      {"float16, outliers",
       {{"input", outliers({32, 64}, h, 0.01, 10)},
        {"weight", outliers({40, 64}, h, 0.01, 10)},
        {"bias", randn({40}, h)}}},
  };
}

inline std::function<Cost(const Args&)> linear_cost(double flops_per_output) {
  return [flops_per_output](const Args& in) -> Cost {
    const at::Tensor x = in.tensor("input"), w = in.tensor("weight");
    const double inputs = static_cast<double>(w.size(1));
    const double outputs = static_cast<double>(x.numel()) / inputs * static_cast<double>(w.size(0));
    const double products = 2 * outputs * inputs;
    return {.bytes_read = bytes_of(x) + bytes_of(w) + (in.has("bias") ? bytes_of(in.tensor("bias")) : 0),
            .bytes_written = outputs * static_cast<double>(x.element_size()),
            .flops = products + flops_per_output * outputs,
            .matrix_flops = products};
  };
}

}  // namespace kbx
