// SPDX-License-Identifier: Apache-2.0
// The 2-d convolution that several tasks are or begin with: arguments input, weight, bias, stride, padding, dilation,
// groups. One reference, one bound, one set of cases.
#pragma once

#include "kbx/task/task.h"

namespace kbx {

// padding may be a text ("same", "valid"). Arguments that the signature lacks take conv2d's defaults.
at::Tensor convolve_2d(const Args& args);
// How far float32 arithmetic may be off, in spacings of the input's dtype; in double.
at::Tensor convolve_2d_slack(const Args& args);
// Multiplications and additions of the convolution alone.
double convolve_2d_flops(const Args& args);
// Elements of the result.
double convolve_2d_outputs(const Args& args);

// Every argument off its default, ragged shapes, 1x1 and rectangular kernels, outliers, views, an empty batch.
Cases convolve_2d_cases(at::ScalarType dtype);

}  // namespace kbx
