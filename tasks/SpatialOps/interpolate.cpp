// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_interpolate {
namespace {

std::optional<std::vector<double>> scale_factors(const Args& in) {
  const Value& value = in.at("scale_factor");
  if (value.none()) return std::nullopt;
  const auto* list = value.as<List>();
  if (list == nullptr) return std::vector<double>(2, in.number("scale_factor"));
  std::vector<double> out;
  for (const Value& item : list->items)
    out.push_back(item.as<double>() ? *item.as<double>() : static_cast<double>(*item.as<int64_t>()));
  return out;
}

bool align_corners(const Args& in) {
  return in.has("align_corners") && in.flag("align_corners");
}

at::Tensor resized(const Args& in, const at::Tensor& x) {
  std::optional<std::vector<int64_t>> side;
  if (in.has("size")) side = in.integers("size", 2);
  const at::OptionalIntArrayRef size = side ? at::OptionalIntArrayRef(*side) : at::OptionalIntArrayRef();
  const auto factor = scale_factors(in);
  const std::optional<at::ArrayRef<double>> scales =
      factor ? std::optional(at::ArrayRef<double>(*factor)) : std::nullopt;
  const std::string& mode = in.text("mode");
  if (mode == "nearest") return at::upsample_nearest2d(x, size, scales);
  if (mode == "bilinear") return at::upsample_bilinear2d(x, size, align_corners(in), scales);
  return at::upsample_bicubic2d(x, size, align_corners(in), scales);
}

// A coordinate is good to two spacings of the image's side, and the result changes by at most 2 (bilinear) or 4
// (bicubic) times the largest value a pixel; the weighted sum adds 8 spacings. Nearest copies.
Results interpolate_slack(const Args& in) {
  const at::Tensor x = in.tensor("input").to(at::kDouble), y = resized(in, x);
  if (in.text("mode") == "nearest" || y.numel() == 0) return {at::zeros_like(y)};
  const double change = in.text("mode") == "bilinear" ? 2 : 4;
  const double sides = static_cast<double>(x.size(2) + x.size(3));
  return {(x.abs().amax({2, 3}, true) * (8 + 2 * change * sides)).expand_as(y)};
}

Case problem(const std::string& label, Recipe input, const char* mode, ArgRecipes more) {
  ArgRecipes args = {{"input", std::move(input)}, {"mode", mode}};
  for (auto& item : more) args.push_back(std::move(item));
  return {label, std::move(args)};
}

// Factors are such that no source coordinate of 'nearest' comes within rounding of a whole number, or are exact.
Cases interpolate_cases() {
  const auto f = at::kFloat;
  const Recipe image = randn({2, 3, 8, 8}, f), ragged = randn({2, 3, 7, 11}, f);
  const Value both_factors = Value(List{.items = {Value(1.7), Value(0.6)}, .tuple = true});
  return {
      {"defaults", {{"input", randn({2, 3, 4, 4}, f)}, {"size", ints({8, 8})}}},
      problem("nearest, ragged", ragged, "nearest", {{"size", ints({13, 17})}}),
      problem("nearest, smaller", ragged, "nearest", {{"size", ints({3, 5})}}),
      problem("nearest, factor", ragged, "nearest", {{"scale_factor", 1.7}}),
      problem("nearest, int size", image, "nearest", {{"size", 16}}),
      problem("bilinear, factor 2", image, "bilinear", {{"scale_factor", 2.0}, {"align_corners", false}}),
      problem("bilinear, ragged", ragged, "bilinear", {{"size", ints({13, 17})}}),
      problem("bilinear, smaller", ragged, "bilinear", {{"size", ints({3, 5})}, {"align_corners", false}}),
      problem("bilinear, corners", ragged, "bilinear", {{"size", ints({13, 17})}, {"align_corners", true}}),
      problem("bilinear, factors", ragged, "bilinear", {{"scale_factor", both_factors}}),
      problem("bilinear, factor and corners", ragged, "bilinear", {{"scale_factor", 1.5}, {"align_corners", true}}),
      problem("bilinear, one row, corners", ragged, "bilinear", {{"size", ints({1, 17})}, {"align_corners", true}}),
      problem("bicubic", image, "bicubic", {{"size", ints({16, 16})}, {"align_corners", false}}),
      problem("bicubic, ragged", ragged, "bicubic", {{"size", ints({9, 14})}}),
      problem("bicubic, corners", ragged, "bicubic", {{"size", ints({9, 14})}, {"align_corners", true}}),
      problem("bicubic, factors", ragged, "bicubic", {{"scale_factor", both_factors}}),
      problem("outliers", outliers({1, 2, 16, 16}, f, 0.02, 10), "bilinear", {{"scale_factor", 2.0}}),
      problem("one pixel", randn({1, 1, 1, 1}, f), "bilinear", {{"size", ints({3, 2})}}),
      problem("same size", image, "bicubic", {{"size", ints({8, 8})}, {"align_corners", false}}),
      problem("transposed", transposed(randn({2, 3, 9, 6}, f)), "bilinear", {{"size", ints({11, 7})}}),
  };
}

KBX_TASK(SpatialOps, interpolate) {
  return {
      .signature = "interpolate(input, size=None, scale_factor=None, mode='nearest', align_corners=None)",
      .description =
          R"(Resizes a batch of images, float32 [N, C, H, W], to [N, C, H', W']; returns a new float32 tensor.
Exactly one of size and scale_factor is given, each a number for both directions or a pair (vertical, horizontal).
size: H', W'. scale_factor: H' = floor(H * factor), W' likewise.
The source coordinate of output row i, with r = H / H' where size is given and r = 1 / factor where scale_factor is:
  mode='nearest':                            floor(i r), at most H - 1
  'bilinear', 'bicubic', align_corners=True: i (H - 1) / (H' - 1), and 0 where H' = 1, whatever was given
  'bilinear', 'bicubic', else:               (i + 0.5) r - 0.5, which bilinear (not bicubic) raises to 0 when negative
and likewise for columns. Bilinear interpolates linearly between the two neighbours in each direction. Bicubic weighs
four: w(t) = (a + 2)|t|^3 - (a + 3)|t|^2 + 1 for |t| <= 1, a|t|^3 - 5a|t|^2 + 8a|t| - 4a for |t| < 2, a = -0.75. Neighbours
outside the image take the value at its border. align_corners is None (the same as False) for 'nearest'.
Compute in float32, coordinates included. The input may be a strided view.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def interpolate(input, size=None, scale_factor=None, mode='nearest', align_corners=None):
    return F.interpolate(input, size=size, scale_factor=scale_factor, mode=mode, align_corners=align_corners)
)",
      .reference = [](const Args& in) -> Results { return {resized(in, in.tensor("input"))}; },
      .cases = interpolate_cases(),
      .sizes =
          [] {
            Sizes out;
            for (int64_t n = 32; n <= 256; n *= 2)
              out.push_back({std::to_string(n) + " to " + std::to_string(2 * n),
                             problem("", randn({2, 3, n, n}, at::kFloat), "bilinear",
                                     {{"size", ints({2 * n, 2 * n})}, {"align_corners", false}})
                                 .args});
            return out;
          }(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input");
        const auto factor = scale_factors(in);
        double outputs = static_cast<double>(x.size(0) * x.size(1));
        for (int64_t d : {2, 3}) {
          const auto i = static_cast<size_t>(d - 2);
          outputs *= factor ? std::floor(static_cast<double>(x.size(d)) * (*factor)[i])
                            : static_cast<double>(in.integers("size", 2)[i]);
        }
        const std::string& mode = in.text("mode");
        const double flops = mode == "nearest" ? 0 : mode == "bilinear" ? 7 : 39;
        return {.bytes_read = bytes_of(x), .bytes_written = 4 * outputs, .flops = flops * outputs};
      },
      .contract = {Relative{.scale = 1, .magnitude = interpolate_slack},
                   "float32 coordinates are good to two spacings of the image's side, times the slope between pixels; "
                   "the weighted sum adds a few; nearest is a copy, bit for bit; half types are off by thousands"},
  };
}

}  // namespace
}  // namespace kbx::task_interpolate
