// SPDX-License-Identifier: Apache-2.0
#include "kbx/check/nulls.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "kbx/check/structure.h"

namespace kbx {
namespace {

using Made = std::optional<Results>;

bool is_number(const at::Tensor& x) {
  return x.is_floating_point() || x.is_complex();
}

at::ScalarType wide(const at::Tensor& x) {
  return x.is_complex() ? at::kComplexDouble : at::kDouble;
}

at::Tensor mean_of(const at::Tensor& x) {
  if (!is_number(x)) return x;
  return at::full_like(x, 1) * x.to(wide(x)).mean().to(x.scalar_type());
}

// What a block holds before anything is written to it.
at::Tensor untouched(const at::Tensor& x) {
  if (x.scalar_type() == at::kBool) return at::ones_like(x);
  return is_number(x) ? at::full_like(x, 3e4) : at::full_like(x, 77);
}

// Noise of the right mean and variance; of integers and flags the right values in another order.
at::Tensor noise_like(const at::Tensor& x) {
  const at::Tensor index = at::arange(x.numel(), at::kLong);
  if (!is_number(x))
    return x.reshape({-1}).index({(index * 7 + 3).remainder(std::max<int64_t>(1, x.numel()))}).view_as(x);
  const at::Tensor exact = x.to(wide(x));
  const at::Tensor turns = (index.to(at::kDouble) * 0.6180339887498949).frac() * (2 * 3.141592653589793);
  const at::Tensor deviation = exact.numel() > 1 ? exact.std() : at::ones({}, at::kDouble);
  return (exact.mean() + deviation * turns.cos().reshape(x.sizes()) * std::sqrt(2.0)).to(x.scalar_type());
}

// Where a kernel's last block was cut off.
at::Tensor without_last_row(const at::Tensor& x) {
  at::Tensor out = x.clone(at::MemoryFormat::Contiguous);
  if (x.dim() > 0 && x.size(0) > 1) out.select(0, x.size(0) - 1).zero_();
  return out;
}

// Sixteen elements in a row, or an eighth of them, that another program of the grid should have written.
at::Tensor with_a_wrong_tile(const at::Tensor& x) {
  at::Tensor out = x.clone(at::MemoryFormat::Contiguous);
  const int64_t tile = std::min<int64_t>(16, x.numel() / 8);
  if (tile == 0) return out;
  at::Tensor run = out.view({-1}).slice(0, x.numel() / 2, x.numel() / 2 + tile);
  if (x.scalar_type() == at::kBool) {
    run.copy_(run.logical_not());
  } else if (is_number(x)) {
    const at::Tensor sizes = x.abs().to(at::kDouble);
    run.copy_(run.to(wide(x)) * -1 + at::where(sizes.isfinite(), sizes, 0).max() / 2 + 1);
  } else {
    run.add_(1);
  }
  return out;
}

at::Tensor first_half_of(const at::Tensor& x) {
  at::Tensor out = x.clone(at::MemoryFormat::Contiguous);
  out.view({-1}).slice(0, (x.numel() + 1) / 2).zero_();
  return out;
}

// float32 as a narrower type has it and back; float64 as float32.
template <typename F>
at::Tensor narrowed_by(const at::Tensor& x, const F& narrow) {
  if (x.is_complex()) return at::view_as_complex(narrowed_by(at::view_as_real(x).contiguous(), narrow));
  if (x.scalar_type() == at::kDouble) return x.to(at::kFloat).to(at::kDouble);
  if (x.scalar_type() != at::kFloat) return x;
  const at::Tensor rounded = narrow(x.contiguous());
  return at::where(x.isfinite() & rounded.isfinite(), rounded, x);
}

// Ten bits behind the point, rounded to nearest.
at::Tensor as_tf32(const at::Tensor& x) {
  return (x.view(at::kInt) + 0x1000).bitwise_and(~0x1FFF).view(at::kFloat);
}

at::Tensor as_bfloat16(const at::Tensor& x) {
  return x.to(at::kBFloat16).to(at::kFloat);
}

at::Tensor as_float16(const at::Tensor& x) {
  return x.to(at::kHalf).to(at::kFloat);
}

Made copy_of_an_argument(const Situation& s, const Results& right) {
  const auto items = leaves(right);
  const at::Tensor first = items.empty() ? at::Tensor() : as_tensor(*items[0].value);
  if (!first.defined() || items.size() != 1 || items[0].value != &right[0]) return std::nullopt;
  Made copy;
  for (const auto& [name, value] : s.before.items())
    for_each_tensor(name, value, [&](const std::string&, const at::Tensor& t) {
      if (!copy && t.sizes() == first.sizes() && t.scalar_type() == first.scalar_type()) copy = {t.clone()};
    });
  return copy;
}

template <typename F>
Made of_narrowed_arguments(const Situation& s, const F& narrowed) {
  // Without a floating argument to blur it would be an honest answer, or another draw of a random one.
  bool floating = false;
  for (const auto& [name, value] : s.before.items())
    if (std::ranges::find(s.task.mutates, name) == s.task.mutates.end())
      for_each_tensor(name, value, [&](const std::string&, const at::Tensor& t) { floating |= t.is_floating_point(); });
  if (!floating) return std::nullopt;
  return cast(expect(s.task, s.before.map_tensors(narrowed)).values, s.expected.shaped);
}

template <typename F>
auto everywhere(const F& f) {
  return [f](const Situation&, const Results& right) -> Made { return changed(right, f); };
}

template <typename F>
auto for_arguments(const F& narrow) {
  return [narrow](const Situation& s, const Results&) -> Made {
    return of_narrowed_arguments(s, [&](const at::Tensor& x) { return narrowed_by(x, narrow); });
  };
}

}  // namespace

std::vector<Null> nulls_for(const Rule& rule) {
  std::vector<Null> out = {
      {"zeros", everywhere([](const at::Tensor& x) { return at::zeros_like(x); })},
      {"ones", everywhere([](const at::Tensor& x) { return at::ones_like(x); })},
      {"mean", everywhere(mean_of)},
      {"NaN", everywhere([](const at::Tensor& x) { return is_number(x) ? at::full_like(x, NAN) : x; })},
      {"untouched", everywhere(untouched)},
      {"noise", everywhere(noise_like)},
      {"half", everywhere(first_half_of)},
      {"last row", everywhere(without_last_row)},
      {"tile", everywhere(with_a_wrong_tile)},
      {"argument", copy_of_an_argument},
      {"TF32", for_arguments(as_tf32)},
      {"bfloat16", for_arguments(as_bfloat16)},
      {"float16", for_arguments(as_float16)},
  };
  if (std::holds_alternative<Quantised>(rule))
    out.push_back({"floats", [](const Situation& s, const Results&) -> Made {
                     return cast(s.expected.values, s.expected.shaped);
                   }});
  return out;
}

}  // namespace kbx
