// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_grid_sample {
namespace {

int64_t mode_of(const Args& in) {
  return in.text("mode") == "bilinear" ? 0 : 1;
}

int64_t padding_of(const Args& in) {
  const std::string& text = in.text("padding_mode");
  return text == "zeros" ? 0 : text == "border" ? 1 : 2;
}

// A coordinate is good to two spacings of the image's side, and the result changes by at most twice the largest value
// a pixel in each direction; the weighted sum adds 8 spacings. Nearest copies.
Results grid_sample_slack(const Args& in) {
  const at::Tensor x = in.tensor("input").to(at::kDouble), grid = in.tensor("grid").to(at::kDouble);
  const at::Tensor y = at::grid_sampler(x, grid, mode_of(in), padding_of(in), in.flag("align_corners"));
  if (mode_of(in) == 1 || y.numel() == 0) return {at::zeros_like(y)};
  std::vector<int64_t> plane;
  double sides = 0;
  for (int64_t d = 2; d < x.dim(); ++d) {
    plane.push_back(d);
    sides += static_cast<double>(x.size(d));
  }
  return {(x.abs().amax(plane, true) * (8 + 4 * sides)).expand_as(y)};
}

// Positions whose nearest pixel is beyond doubt: each is moved towards the centre of its pixel, by a fifth.
Recipe off_ties(Recipe grid, Shape sides, bool align_corners) {
  return apply(
      std::move(grid),
      [sides = std::move(sides), align_corners](const at::Tensor& g) {
        std::vector<double> reversed(sides.rbegin(), sides.rend());  // x, the last dimension, comes first
        const at::Tensor size = at::tensor(reversed, at::kDouble), exact = g.to(at::kDouble);
        const at::Tensor span = align_corners ? size - 1 : size;
        const at::Tensor pixel = (exact + 1) / 2 * span - (align_corners ? 0.0 : 0.5);
        const at::Tensor centred = pixel + (pixel.round() - pixel) * 0.2;
        return ((centred + (align_corners ? 0.0 : 0.5)) / span * 2 - 1).to(g.scalar_type());
      },
      "off the borders of pixels");
}

Case problem(const std::string& label, Recipe input, Recipe grid, ArgRecipes more = {}) {
  ArgRecipes args = {{"input", std::move(input)}, {"grid", std::move(grid)}};
  for (auto& item : more) args.push_back(std::move(item));
  return {label, std::move(args)};
}

Cases grid_sample_cases() {
  const auto f = at::kFloat;
  const Recipe small = uniform({1, 3, 4, 4}, f), few = uniform({1, 2, 2, 2}, f, -1, 1);
  const Recipe cube = uniform({1, 3, 4, 4, 4}, f), few3 = uniform({1, 2, 2, 2, 3}, f, -1, 1);
  const Recipe image = randn({2, 3, 16, 16}, f), grid = uniform({2, 9, 12, 2}, f, -1, 1);
  const Recipe ragged = randn({2, 3, 7, 11}, f), wide = uniform({2, 5, 9, 2}, f, -2.5, 2.5);
  return {
      problem("defaults", small, few),
      problem("nearest, border", small, off_ties(uniform({1, 5, 7, 2}, f, -1.5, 1.5), {4, 4}, false),
              {{"mode", "nearest"}, {"padding_mode", "border"}}),
      problem("cube, reflection", cube, few3, {{"padding_mode", "reflection"}}),
      problem("cube, nearest, corners", cube, off_ties(few3, {4, 4, 4}, true),
              {{"mode", "nearest"}, {"align_corners", true}}),
      problem("image", image, grid, {{"mode", "bilinear"}, {"padding_mode", "zeros"}, {"align_corners", false}}),
      problem("outliers", outliers({2, 3, 16, 16}, f, 0.02, 10), grid),
      problem("zeros, beyond", ragged, wide),
      problem("zeros, beyond, corners", ragged, wide, {{"align_corners", true}}),
      problem("border, beyond", ragged, wide, {{"padding_mode", "border"}}),
      problem("border, beyond, corners", ragged, wide, {{"padding_mode", "border"}, {"align_corners", true}}),
      problem("reflection, beyond", ragged, wide, {{"padding_mode", "reflection"}}),
      problem("reflection, beyond, corners", ragged, wide, {{"padding_mode", "reflection"}, {"align_corners", true}}),
      problem("nearest, zeros, beyond", ragged, off_ties(wide, {7, 11}, false), {{"mode", "nearest"}}),
      problem("nearest, reflection", ragged, off_ties(wide, {7, 11}, false),
              {{"mode", "nearest"}, {"padding_mode", "reflection"}}),
      problem("cuboid, zeros", randn({2, 2, 3, 5, 7}, f), uniform({2, 2, 3, 4, 3}, f, -1.3, 1.3)),
      problem("cuboid, border", randn({2, 2, 3, 5, 7}, f), uniform({2, 2, 3, 4, 3}, f, -1.3, 1.3),
              {{"padding_mode", "border"}, {"align_corners", true}}),
      problem("corners of the image", ragged,
              values({-1, -1, 1, -1, -1, 1, 1, 1, 0, 0, 0.5, -0.25, -1, -1, 1, 1}, {2, 2, 2, 2}, f)),
      problem("one pixel", randn({1, 1, 1, 1}, f), uniform({1, 1, 3, 2}, f, -1, 1)),
      problem("no batch elements", empty({0, 3, 4, 4}, f), empty({0, 2, 2, 2}, f)),
      problem("transposed", transposed(randn({2, 3, 9, 6}, f)), transposed(uniform({2, 5, 4, 2}, f, -1, 1), 1, 2)),
  };
}

KBX_TASK(SpatialOps, grid_sample) {
  return {
      .signature = "grid_sample(input, grid, mode='bilinear', padding_mode='zeros', align_corners=False)",
      .description =
          R"(Samples images at given positions. input is float32 [N, C, H, W] and grid float32 [N, H', W', 2],
which gives a new float32 tensor [N, C, H', W']; or input [N, C, D, H, W] and grid [N, D', H', W', 3], which gives
[N, C, D', H', W'].
The last dimension of grid holds the coordinates (x, y) or (x, y, z), x along W, y along H, z along D. With g a coordinate
and S the size it goes along, the position in pixels (0 is the centre of the first) is
  align_corners=False: ((g + 1) S - 1) / 2      align_corners=True: (g + 1) / 2 * (S - 1)
padding_mode, for positions outside: 'zeros': pixels outside the image count as zero. 'border': the position is clamped
to [0, S - 1]. 'reflection': it is reflected at -0.5 and S - 0.5 (align_corners=False) or at 0 and S - 1 (True) until it
lies between, then clamped to [0, S - 1].
mode='bilinear': linear interpolation between the two nearest pixels in each direction (trilinear for [N, C, D, H, W]).
'nearest': the value of the nearest pixel; no position comes close to a tie.
Compute in float32, coordinates included. N may be 0. Tensors may be strided views.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def grid_sample(input, grid, mode='bilinear', padding_mode='zeros', align_corners=False):
    return F.grid_sample(input, grid, mode=mode, padding_mode=padding_mode, align_corners=align_corners)
)",
      .reference = [](const Args& in) -> Results {
        return {at::grid_sampler(in.tensor("input"), in.tensor("grid"), mode_of(in), padding_of(in),
                                 in.flag("align_corners"))};
      },
      .cases = grid_sample_cases(),
      .sizes =
          [] {
            Sizes out;
            for (int64_t n = 256; n <= 2048; n *= 2)
              out.push_back({std::to_string(n), problem("", randn({16, 3, n, n}, at::kFloat),
                                                        uniform({16, n / 2, n / 2, 2}, at::kFloat, -1, 1))
                                                    .args});
            return out;
          }(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input"), grid = in.tensor("grid");
        const double dims = static_cast<double>(grid.size(-1));
        const double outputs = static_cast<double>(grid.numel()) / dims * static_cast<double>(x.size(1));
        // Positions at random leave few pixels of the image unread; where they are few, each reads its neighbours.
        const double taps = in.text("mode") == "nearest" ? 1 : std::exp2(dims);
        return {.bytes_read = std::min(bytes_of(x), 4 * outputs * taps) + bytes_of(grid),
                .bytes_written = 4 * outputs,
                .flops = taps == 1 ? 0 : 2 * taps * outputs};
      },
      .contract = {Relative{.scale = 1, .magnitude = grid_sample_slack},
                   "float32 coordinates are good to two spacings of the image's side, times the slope between pixels; "
                   "the weighted sum adds a few; nearest is a copy, bit for bit; half types are off by thousands"},
  };
}

}  // namespace
}  // namespace kbx::task_grid_sample
