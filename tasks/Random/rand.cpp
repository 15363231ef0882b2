// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_rand {
namespace {

// Each test has a false alarm rate below 1e-9 for a generator that is ideal up to its resolution of 2^-23.
constexpr double kDeviations = 6.5;
constexpr int64_t kBins = 4096;
constexpr int64_t kSample = 1 << 15;

// Kolmogorov's statistic at the edges of the bins: at most what it is over all x. P(D > c) <= 2 exp(-2 n c^2).
Bounded follows_uniform(const at::Tensor& x) {
  const double n = static_cast<double>(x.numel());
  const at::Tensor below = at::histc(x, kBins, 0, 1).cumsum(0) / n;
  const at::Tensor edges = at::arange(1, kBins + 1, at::kDouble) / static_cast<double>(kBins);
  return {"distance from the uniform distribution", (below - edges).abs().max().item<double>(), std::sqrt(10.8 / n)};
}

// Neighbours of independent numbers have a correlation of 0 with a standard deviation of 1 / sqrt(n).
Bounded neighbours_differ(const at::Tensor& x) {
  const at::Tensor centred = x - 0.5;
  const int64_t n = x.numel();
  const at::Tensor products = centred.narrow(0, 0, n - 1) * centred.narrow(0, 1, n - 1);
  return {"correlation of neighbours", std::abs(12 * products.mean().item<double>()),
          kDeviations / std::sqrt(static_cast<double>(n - 1))};
}

// A block drawn twice, a constant and a half type's coarse grid all show as equal numbers. On a grid of 2^23, n numbers
// have n^2 / 2^24 equal pairs on average; four times as many and two for chance never happen.
Bounded numbers_are_distinct(const at::Tensor& x) {
  const int64_t step = std::max<int64_t>(1, x.numel() / kSample);
  const at::Tensor sample = std::get<0>(x.slice(0, 0, std::nullopt, step).sort());
  const int64_t n = sample.numel();
  const double equal = static_cast<double>(sample.diff().eq(0).sum().item<int64_t>());
  const double count = static_cast<double>(n);
  return {"equal numbers", equal, std::floor(1 + 4 * count * count / 0x1p24)};
}

std::vector<Bounded> is_uniform(const Question& q) {
  const at::Tensor x = q.got[0].as<at::Tensor>()->to(at::kDouble).flatten();
  if (x.numel() == 0) return {};
  const double outside = static_cast<double>((x < 0).logical_or(x >= 1).sum().item<int64_t>());
  std::vector<Bounded> bounded{{"numbers outside [0, 1)", outside, 0}, follows_uniform(x)};
  if (x.numel() > 1) bounded.insert(bounded.end(), {neighbours_differ(x), numbers_are_distinct(x)});
  return bounded;
}

at::Tensor draw(const Args& in) {
  return at::rand(in.integers("size"), made_options(in));
}

Recipe seeded(int64_t seed) {
  return Value(GeneratorSeed{seed});
}

}  // namespace

KBX_TASK(Random, rand) {
  return {
      .signature =
          "rand(*size, generator=None, out=None, dtype=None, layout=torch.strided, device=None, "
          "requires_grad=False, pin_memory=False)",
      .description = R"(A tensor of random numbers, independent and uniform in [0, 1): 0 may occur, 1 may not. size: the
ints of the result's shape. dtype: torch.float32 (what None means) or torch.float64; the numbers have a resolution of at
least 2^-23. device: where the result is made, the GPU. layout is always torch.strided, pin_memory always False.
generator: a torch.Generator of that device or None, which may serve as the source of the seed. Any generator of good
quality will do; torch's own numbers are not asked for. Without a generator each call gives other numbers.
out: a float32 tensor of that shape that receives the numbers and is returned. requires_grad: the result's flag, which
is not compared.)",
      .snippet = R"(import torch


def rand(*size, generator=None, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False,
         pin_memory=False):
    return torch.rand(*size, generator=generator, out=out, dtype=dtype, layout=layout, device=device,
                      requires_grad=requires_grad, pin_memory=pin_memory)
)",
      .reference = [](const Args& in) { return deliver(in, "out", draw(in)); },
      .cases =
          {
              {"2 x 3", {{"size", ints({2, 3})}, {"generator", seeded(42)}, {"device", Place{}}}},
              {"2 x 3, float64",
               {{"size", ints({2, 3})}, {"dtype", at::kDouble}, {"generator", seeded(42)}, {"device", Place{}}}},
              {"requires_grad",
               {{"size", ints({2, 3})}, {"requires_grad", true}, {"generator", seeded(42)}, {"device", Place{}}}},
              {"128 x 256", {{"size", ints({128, 256})}, {"generator", seeded(7)}, {"device", Place{}}}},
              {"128 x 256, without a generator", {{"size", ints({128, 256})}, {"device", Place{}}}},
              {"ragged, float64", {{"size", ints({3, 61, 67})}, {"dtype", at::kDouble}, {"device", Place{}}}},
              {"float32, said", {{"size", ints({1009})}, {"dtype", at::kFloat}, {"device", Place{}}}},
              {"one element", {{"size", ints({1})}, {"device", Place{}}}},
              {"no elements", {{"size", ints({0, 3})}, {"device", Place{}}}},
              {"into out", {{"size", ints({64, 65})}, {"out", empty({64, 65}, at::kFloat)}, {"device", Place{}}}},
          },
      .sizes =
          [] {
            Sizes sizes;
            for (int i = 12; i <= 27; ++i)
              sizes.push_back({"2^" + std::to_string(i), {{"size", ints({1LL << i})}, {"device", Place{}}}});
            return sizes;
          }(),
      .cost = [](const Args& in) -> Cost {
        const double n = static_cast<double>(c10::multiply_integers(in.integers("size")));
        const auto dtype = in.optional_dtype("dtype");
        return {.bytes_written = n * static_cast<double>(c10::elementSize(dtype.value_or(at::kFloat))), .flops = n};
      },
      .contract = {Distribution{.check = is_uniform},
                   "random numbers have no right values: range, distribution, neighbours and repetitions are tested, "
                   "each with a chance below 1e-9 of refusing an ideal generator"},
      .mutates = {"out"},
  };
}

}  // namespace kbx::task_rand
