// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>
#include <fmt/format.h>

#include "kbx/base/error.h"
#include "kbx/check/compare.h"
#include "kbx/check/elements.h"

namespace kbx {
namespace {

double distance(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).square().mean().sqrt().item<double>();
}

struct Match {
  const Scheme* scheme = nullptr;
  Judgement judgement;
  double distance = 0;
};

Match match(const Quantised& rule, const Scheme& scheme, const Args& before, const Output& output) {
  const at::Tensor ideal = scheme.ideal(before);
  if (ideal.sizes() != output.got.sizes())
    throw Error(ErrorKind::kEnvironment, fmt::format("the scheme '{}' gives {}, the result is {}", scheme.name,
                                                     to_text(ideal), to_text(output.got)));
  const double most = ideal.numel() == 0 ? 0 : ideal.abs().max().item<double>();
  Allowance allowed{.absolute = rule.rounding * most};
  if (scheme.slack) allowed.magnitude = scheme.slack(before);
  return {&scheme, compare_elements(output.path, output.got, ideal, output.dtype, allowed),
          distance(output.got, ideal)};
}

}  // namespace

Judgement compare_quantised(const Quantised& rule, const Args& before, const std::vector<Output>& outputs) {
  if (outputs.size() != 1) throw Error(ErrorKind::kEnvironment, "a quantised contract judges one result");
  const Output& output = outputs[0];
  Match nearest;
  for (const Scheme& scheme : rule.schemes) {
    Match found = match(rule, scheme, before, output);
    if (found.judgement.verdict == Verdict::kPassed) return found.judgement;
    if (nearest.scheme == nullptr || found.distance < nearest.distance) nearest = std::move(found);
  }
  if (nearest.scheme == nullptr) throw Error(ErrorKind::kEnvironment, "a quantised contract without a scheme");
  Judgement out = std::move(nearest.judgement);
  if (out.verdict != Verdict::kWrongValue) return out;
  const double to_float = distance(output.got, output.expected);
  out.reason += to_float < nearest.distance
                    ? fmt::format(
                          "; the result lies nearer to the product of unquantised floats (rms {:.3g}) than to "
                          "the nearest admissible scheme, '{}' (rms {:.3g})",
                          to_float, nearest.scheme->name, nearest.distance)
                    : fmt::format("; compared with the nearest scheme, '{}'", nearest.scheme->name);
  return out;
}

}  // namespace kbx
