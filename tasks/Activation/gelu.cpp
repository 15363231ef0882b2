// SPDX-License-Identifier: Apache-2.0
#include "gelu.h"

namespace kbx::task_gelu {

KBX_TASK(Activation, gelu) {
  return gelu_in(
      at::kFloat, "gelu",
      {Relative{.ulps = 4,
                .scale = 4,
                .magnitude = [](const Args& in) -> Results { return {in.tensor("input").abs().nan_to_num(0, 0, 0)}; },
                .floor = kSmallestNormal},
       "the bracket 1 + erf or 1 + tanh cancels for negative x, so its error is absolute: up to 8 spacings for tanh "
       "from the fast exponential and division, halved and multiplied by |x|; TF32 and half types are off by 2^-11"});
}

}  // namespace kbx::task_gelu
