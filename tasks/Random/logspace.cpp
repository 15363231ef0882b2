// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_logspace {
namespace {

at::Tensor powers(const Args& in, const at::TensorOptions& options) {
  return at::logspace(in.number("start"), in.number("end"), in.integer("steps"), in.number("base"), options);
}

// y (1 + |ln(base)| max(|start|, |end|)): what one rounding of the exponent makes of the result.
Results slack(const Args& in) {
  const double reach = std::max(std::abs(in.number("start")), std::abs(in.number("end")));
  return {powers(in, at::kDouble) * (1 + std::abs(std::log(in.number("base"))) * reach)};
}

}  // namespace

KBX_TASK(Random, logspace) {
  return {
      .signature =
          "logspace(start, end, steps, base=10.0, dtype=None, layout=torch.strided, device=None, requires_grad=False)",
      .description = R"(A vector of `steps` powers of base whose exponents are evenly spaced, both ends included:
y[i] = base ** (start + i * (end - start) / (steps - 1)). One step gives [base ** start], none an empty vector; end may
lie below start. start, end and base are Python numbers, base > 0.
dtype: torch.float32 (what None means) or torch.float64, which asks for float64 arithmetic. layout is always
torch.strided. device: where the result is made, the GPU. requires_grad: the result's flag, which is not compared.
Compute in float32 or better: the exponent may be off by three spacings of the largest exponent.)",
      .snippet = R"(import torch


def logspace(start, end, steps, base=10.0, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    return torch.logspace(start, end, steps, base=base, dtype=dtype, layout=layout, device=device,
                          requires_grad=requires_grad)
)",
      .reference = [](const Args& in) -> Results { return {powers(in, at::kDouble)}; },
      .cases =
          {
              {"ten to a thousand", {{"start", 1.0}, {"end", 3.0}, {"steps", 5}, {"device", Place{}}}},
              {"powers of two", {{"start", 0.0}, {"end", 4.0}, {"steps", 5}, {"base", 2.0}, {"device", Place{}}}},
              {"float64", {{"start", 1.0}, {"end", 2.0}, {"steps", 4}, {"dtype", at::kDouble}, {"device", Place{}}}},
              {"requires_grad",
               {{"start", 1.0}, {"end", 3.0}, {"steps", 3}, {"requires_grad", true}, {"device", Place{}}}},
              {"ragged", {{"start", -2.5}, {"end", 3.25}, {"steps", 1009}, {"device", Place{}}}},
              {"downwards", {{"start", 4.0}, {"end", -4.0}, {"steps", 129}, {"base", 3.0}, {"device", Place{}}}},
              {"base below one",
               {{"start", -3.0},
                {"end", 5.0},
                {"steps", 65},
                {"base", 0.5},
                {"dtype", at::kFloat},
                {"device", Place{}}}},
              {"base one", {{"start", -3.0}, {"end", 5.0}, {"steps", 7}, {"base", 1.0}, {"device", Place{}}}},
              {"integers", {{"start", 0}, {"end", 6}, {"steps", 7}, {"base", 10}, {"device", Place{}}}},
              {"wide", {{"start", -30.0}, {"end", 30.0}, {"steps", 257}, {"device", Place{}}}},
              {"float64, base e",
               {{"start", -5.0},
                {"end", 5.0},
                {"steps", 100},
                {"base", M_E},
                {"dtype", at::kDouble},
                {"device", Place{}}}},
              {"strided, said",
               {{"start", 0.0}, {"end", 1.0}, {"steps", 33}, {"layout", at::kStrided}, {"device", Place{}}}},
              {"one step", {{"start", 2.0}, {"end", 3.0}, {"steps", 1}, {"device", Place{}}}},
              {"no steps", {{"start", 1.0}, {"end", 3.0}, {"steps", 0}, {"device", Place{}}}},
          },
      .sizes =
          [] {
            Sizes sizes;
            for (int i = 12; i <= 27; ++i)
              sizes.push_back({"2^" + std::to_string(i),
                               {{"start", 0.0}, {"end", 10.0}, {"steps", int64_t{1} << i}, {"device", Place{}}}});
            return sizes;
          }(),
      .cost = [](const Args& in) -> Cost {
        const double n = static_cast<double>(in.integer("steps"));
        const auto dtype = in.optional_dtype("dtype");
        return {.bytes_written = n * static_cast<double>(c10::elementSize(dtype.value_or(at::kFloat))), .flops = 6 * n};
      },
      .contract =
          {Relative{.ulps = 4, .scale = 3, .magnitude = slack},
           "three roundings of the exponent, each worth |ln(base)| times the exponent in the result, and a fast "
           "exponential; half types are off by 2^-12 or, in the exponent, by much more"},
      .eager = [](const Args& in) -> Results { return {powers(in, made_options(in))}; },
  };
}

}  // namespace kbx::task_logspace
