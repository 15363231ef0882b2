// SPDX-License-Identifier: Apache-2.0
#include "activation_slack.h"
#include "kbx/task/define.h"
#include "kbx/task/rounding.h"

namespace kbx::task_fused_gelu_min {
namespace {

// Elements as one row where there is no dim, and else with the slices in the
// last dimension.
at::Tensor slices(const Args& in, const at::Tensor& x) {
  return in.has("dim") ? x.movedim(in.integer("dim"), -1) : x.reshape({-1});
}

at::Tensor activated(const Args& in) {
  return at::gelu(in.tensor("input"), in.text("approximate"));
}

// How far each element may be off.
at::Tensor element_slack(const at::Tensor& x, const at::Tensor& g) {
  return (through_gelu(x, at::zeros_like(x)) + g.abs() * 4) * spacing(at::kFloat) + kSmallestNormal;
}

// The least of inexact elements lies between the least of all lower bounds and
// the least of all upper ones.
Results gelu_min_slack(const Args& given) {
  const Args in = given.map_tensors([](const at::Tensor& t) { return t.to(at::kDouble); });
  const at::Tensor g = slices(in, activated(in)), slack = element_slack(slices(in, in.tensor("input")), g);
  const at::Tensor least = g.amin(-1);
  at::Tensor room = at::maximum(least - (g - slack).amin(-1), (g + slack).amin(-1) - least) / spacing(at::kFloat);
  if (in.has("dim") && in.flag("keepdim")) room = room.unsqueeze(in.integer("dim"));
  if (!in.has("dim")) return {room};
  return {room, at::zeros_like(room)};
}

// The index has to point at an element that is least within rounding, and that
// is the value returned.
std::vector<Bounded> points_at_least(const Question& q) {
  const Args in = q.before.map_tensors([](const at::Tensor& t) { return t.to(at::kDouble); });
  const at::Tensor g = slices(in, activated(in)), slack = element_slack(slices(in, in.tensor("input")), g);
  at::Tensor value = *q.got[0].as<at::Tensor>(), index = q.got[1].as<at::Tensor>()->to(at::kLong);
  if (in.flag("keepdim")) value = value.squeeze(in.integer("dim")), index = index.squeeze(in.integer("dim"));
  const at::Tensor outside = (index < 0).logical_or(index >= g.size(-1));
  const at::Tensor at = index.masked_fill(outside, 0).unsqueeze(-1);
  const at::Tensor picked = g.gather(-1, at).squeeze(-1), room = slack.gather(-1, at).squeeze(-1);
  const auto count = [](const at::Tensor& mask) { return static_cast<double>(mask.sum().item<int64_t>()); };
  return {{.quantity = "indices outside the dimension", .error = count(outside)},
          {.quantity = "indices that point at an element that cannot be the least",
           .error = count((picked - room).gt((g + slack).amin(-1)))},
          {.quantity = "indices that point at another value than the one returned",
           .error = count((picked - value).abs().gt(room))}};
}

Results gelu_min(const Args& in) {
  if (!in.has("dim")) return deliver(in, "out", activated(in).min());
  const auto [least, index] = at::min(activated(in), in.integer("dim"), in.flag("keepdim"));
  if (!in.has("out")) return {least, index};
  const std::vector<at::Tensor> out = in.tensors("out");
  return {out.at(0).copy_(least), out.at(1).copy_(index)};
}

Cases gelu_min_cases() {
  const auto f = at::kFloat;
  const Recipe four = values({0.5, -0.5, 1, -1}, f), square = values({0.5, -0.5, 1, -1}, {2, 2}, f);
  const Recipe x = randn({64, 128}, f), wild = outliers({61, 97}, f, 0.01, 10), rising = uniform({37, 19}, f, -0.6, 3);
  const Recipe falling = uniform({37, 19}, f, -5, -0.9);
  const ArgRecipes tanh = {{"approximate", "tanh"}};
  return {
      {"four", {{"input", four}}},
      {"four, tanh", {{"input", four}, {"approximate", "tanh"}}},
      {"two by two", {{"input", square}, {"dim", 1}}},
      {"two by two, tanh, kept", {{"input", square}, {"approximate", "tanh"}, {"dim", 1}, {"keepdim", true}}},
      {"all, tanh", {{"input", randn({4096}, f)}, {"approximate", "tanh"}}},
      {"all", {{"input", x}}},
      {"rows", {{"input", x}, {"approximate", "none"}, {"dim", 1}, {"keepdim", false}}},
      {"outliers, all, tanh", {{"input", wild}, {"approximate", "tanh"}}},
      {"outliers, rows", {{"input", wild}, {"dim", 1}}},
      {"outliers, columns, tanh", {{"input", wild}, {"dim", 0}, {"approximate", "tanh"}}},
      {"right of the least point", {{"input", rising}, {"dim", 1}}},
      {"right of the least point, tanh", {{"input", rising}, {"dim", 0}, {"approximate", "tanh"}}},
      {"left of the least point", {{"input", falling}, {"dim", 1}}},
      {"left of the least point, tanh", {{"input", falling}, {"dim", -2}, {"approximate", "tanh"}}},
      {"positive, all", {{"input", uniform({300}, f, 0.2, 4)}}},
      {"positive, all, tanh", {{"input", uniform({300}, f, 0.2, 4)}, {"approximate", "tanh"}}},
      {"ties", {{"input", randint({20, 40}, 1, 9, f)}, {"dim", 1}}},
      {"middle of three, kept", {{"input", randn({5, 7, 9}, f)}, {"dim", -2}, {"keepdim", true}}},
      {"one element", {{"input", randn({1}, f)}}},
      {"slices of one", {{"input", randn({7, 1}, f)}, {"dim", 1}}},
      {"no slices", {{"input", empty({0, 5}, f)}, {"dim", 1}}},
      {"transposed", {{"input", transposed(randn({24, 20}, f))}, {"dim", 1}}},
      {"strided", {{"input", strided(randn({60, 20}, f), 0, 3)}, {"dim", 0}}},
      {"out", {{"input", uniform({20, 9}, f, 0, 3)}, {"out", empty({}, f)}}},
      {"pair of outs",
       {{"input", uniform({20, 9}, f, 0, 3)}, {"dim", 1}, {"out", list_of({empty({20}, f), empty({20}, at::kLong)})}}},
      drawn_case("drawn shape",
                 [](Draw& d) -> ArgRecipes {
                   return {{"input", uniform({d.integer(2, 40), d.integer(2, 60)}, at::kFloat, -0.4, 4)},
                           {"dim", d.integer(0, 2)}};
                 }),
  };
}

KBX_TASK(Fusion, fused_gelu_min) {
  return {
      .signature =
          "fused_gelu_min(input, approximate='none', dim=None, "
          "keepdim=False, out=None)",
      .description =
          R"(The smallest g = gelu(x) of a float32 tensor, of all elements or along one dimension.
approximate='none': gelu(x) = x/2 (1 + erf(x / sqrt(2))). approximate='tanh': x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715
x^3))). The two differ by up to 5e-4 and each is asked for by itself. gelu falls to about -0.17 at x = -0.75 and rises
on either side, so the smallest g need not belong to the smallest x. NaN and infinities are not asked for.
dim=None: the smallest of all elements, a float32 tensor without dimensions; keepdim has no effect. out: a tensor without
dimensions that receives the result and is returned.
dim an int (negative ones count from the end): a tuple (values, indices), float32 and int64, of the input's shape without
dim, or with size 1 there when keepdim is true. An index is that of an element of its slice whose g is the value; of
several equal ones, or ones that rounding cannot tell apart, any is right. out: a list of two tensors of these shapes
and dtypes, which receive the results and are returned.
Compute in float32. The input may be any strided view.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def fused_gelu_min(input, approximate='none', dim=None, keepdim=False, out=None):
    activated = F.gelu(input, approximate=approximate)
    if dim is None:
        result = torch.min(activated)
        return result if out is None else out.copy_(result)
    values, indices = torch.min(activated, dim=dim, keepdim=keepdim)
    if out is None:
        return values, indices
    return out[0].copy_(values), out[1].copy_(indices)
)",
      .reference = gelu_min,
      .cases = gelu_min_cases(),
      .sizes = power_sizes("input", at::kFloat, 12, 27, {.low = 0, .high = 1}),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input");
        const double n = static_cast<double>(x.numel());
        const double written = !in.has("dim") ? 4 : 12 * n / static_cast<double>(x.size(in.integer("dim")));
        return {.bytes_read = bytes_of(x), .bytes_written = written, .flops = 11 * n};
      },
      .contract = {Relative{.scale = 1, .magnitude = gelu_min_slack},
                   "the bracket 1 + erf or 1 + tanh keeps an absolute error of "
                   "8 spacings, halved and multiplied by "
                   "|x|, so the least lies between the least lower and the "
                   "least upper bound; any element that may be "
                   "the least may be pointed at",
                   {{"result[1]", Invariants{points_at_least}}}},
      .mutates = {"out"},
  };
}

}  // namespace
}  // namespace kbx::task_fused_gelu_min
