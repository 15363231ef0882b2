// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_fftn {
namespace {

at::Tensor transform(const at::Tensor& x, const Args& in, const std::string& norm) {
  std::vector<int64_t> s, dim;
  if (in.has("s")) s = in.integers("s");
  if (in.has("dim")) dim = in.integers("dim");
  using Given = at::OptionalIntArrayRef;
  return at::fft_fftn(x, in.has("s") ? Given(s) : Given(), in.has("dim") ? Given(dim) : Given(), norm);
}

std::string norm_of(const Args& in) {
  return in.has("norm") ? in.text("norm") : "backward";
}

std::vector<int64_t> transformed_dims(const Args& in) {
  if (in.has("dim")) return in.integers("dim");
  const int64_t all = in.tensor("input").dim();
  std::vector<int64_t> dims;
  for (int64_t d = in.has("s") ? all - std::ssize(in.integers("s")) : 0; d < all; ++d) dims.push_back(d);
  return dims;
}

double points(const Args& in) {
  double product = 1;
  if (in.has("s")) {
    for (int64_t length : in.integers("s")) product *= static_cast<double>(length);
  } else {
    for (int64_t d : transformed_dims(in)) product *= static_cast<double>(in.tensor("input").size(d));
  }
  return product;
}

double norm_factor(const Args& in) {
  const std::string norm = norm_of(in);
  if (norm == "backward") return 1;
  return norm == "ortho" ? 1 / std::sqrt(points(in)) : 1 / points(in);
}

// Every output is a sum of all inputs of its slice times numbers of modulus one, whose roundings add like a random walk
// to the slice's 2-norm; a fast transform adds them in log2(N) steps. The square of that norm is the zeroth output of
// the plain transform of |x|^2, which cuts and fills as the task's own does.
Results fft_slack(const Args& in) {
  const at::Tensor power = at::real(transform(in.tensor("input").abs().square(), in, "backward"));
  at::Tensor zeroth = power;
  for (int64_t d : transformed_dims(in)) zeroth = zeroth.narrow(d, 0, 1);
  return {(zeroth.sqrt() * (norm_factor(in) * (4 + std::log2(points(in))))).expand_as(power)};
}

}  // namespace

KBX_TASK(Math, fftn) {
  return {
      .signature = "fftn(input, s=None, dim=None, norm=None, out=None)",
      .description = R"(Discrete Fourier transform over several dimensions of a float32 or complex64 tensor:
Y[k1, ...] = sum over n1, ... of x[n1, ...] * exp(-2 pi i (k1 n1 / N1 + ...)), the whole spectrum also for real input.
dim: the dimensions to transform, an int tuple, negative values counting from the end; None means all of them, or the
last len(s) when s is given. s: the length in each of these dimensions; input is cut to it or filled with zeros behind.
norm: None or 'backward' for no factor, 'ortho' for 1/sqrt(N), 'forward' for 1/N, with N the number of points
transformed. Lengths need not be powers of two.
out: a complex64 tensor of the result's shape that receives the result and is returned. Without it a new complex64
tensor is returned. Compute in float32, in any order of summation; an error of 4 + log2(N) float32 spacings of the
2-norm of the slice (times the factor of norm) is allowed, in the modulus of the complex difference.)",
      .snippet = R"(import torch


def fftn(input, s=None, dim=None, norm=None, out=None):
    return torch.fft.fftn(input, s=s, dim=dim, norm=norm, out=out)
)",
      .reference = [](const Args& in) { return deliver(in, "out", transform(in.tensor("input"), in, norm_of(in))); },
      .cases =
          {
              {"4 x 4", {{"input", randn({4, 4}, at::kFloat)}}},
              {"cut", {{"input", randn({4, 4}, at::kFloat)}, {"s", ints({2, 2})}}},
              {"both dims, said", {{"input", randn({4, 4}, at::kFloat)}, {"dim", ints({0, 1})}}},
              {"ortho", {{"input", randn({4, 4}, at::kFloat)}, {"norm", "ortho"}}},
              {"16 x 16", {{"input", randn({16, 16}, at::kFloat)}}},
              {"16 x 16, cut", {{"input", randn({16, 16}, at::kFloat)}, {"s", ints({8, 8})}}},
              {"16 x 16, ortho", {{"input", randn({16, 16}, at::kFloat)}, {"dim", ints({0, 1})}, {"norm", "ortho"}}},
              {"outliers", {{"input", outliers({16, 16}, at::kFloat, 0.01, 10)}}},
              {"filled", {{"input", randn({4, 5}, at::kFloat)}, {"s", ints({8, 6})}}},
              {"cut and filled, dims reversed",
               {{"input", randn({6, 4, 3}, at::kFloat)}, {"s", ints({2, 9})}, {"dim", ints({-1, 0})}}},
              {"s of the last dimension", {{"input", randn({3, 8}, at::kFloat)}, {"s", ints({4})}}},
              {"one dimension of three, forward",
               {{"input", randn({3, 10, 2}, at::kFloat)}, {"dim", ints({1})}, {"norm", "forward"}}},
              {"no power of two", {{"input", randn({5, 7}, at::kFloat)}, {"norm", "backward"}}},
              {"three dimensions", {{"input", randn({4, 2, 8}, at::kFloat)}}},
              {"complex", {{"input", randn({8, 8}, at::kComplexFloat)}}},
              {"complex vector", {{"input", randn({64}, at::kComplexFloat)}}},
              {"complex, transposed", {{"input", transposed(randn({4, 8}, at::kComplexFloat))}, {"norm", "ortho"}}},
              {"one point", {{"input", randn({1}, at::kFloat)}}},
              {"into out", {{"input", randn({4, 8}, at::kFloat)}, {"out", empty({4, 8}, at::kComplexFloat)}}},
          },
      .sizes =
          [] {
            Sizes sizes;
            for (int i = 12; i <= 23; ++i)
              sizes.push_back({"2^" + std::to_string(i), {{"input", randn({1LL << i}, at::kComplexFloat)}}});
            return sizes;
          }(),
      // 5 N log2(N) a slice: the multiplications and additions of a radix-2 transform.
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input");
        double outputs = points(in) * static_cast<double>(x.numel());
        for (int64_t d : transformed_dims(in)) outputs /= static_cast<double>(x.size(d));
        return {.bytes_read = bytes_of(x), .bytes_written = 8 * outputs, .flops = 5 * outputs * std::log2(points(in))};
      },
      .contract =
          {Relative{.scale = 1, .magnitude = fft_slack, .floor = kSmallestNormal},
           "twiddle factors are off by a spacing or so and the log2(N) stages of a fast transform, or the chain "
           "of a direct sum of up to 512 terms, add roundings like a random walk to the 2-norm; TF32 and half "
           "types are off by 2^-12 of it"},
      .mutates = {"out"},
  };
}

}  // namespace kbx::task_fftn
