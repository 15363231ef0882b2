// SPDX-License-Identifier: Apache-2.0
#include "gelu.h"

namespace kbx::task_gelu_fp16 {

KBX_TASK(Activation, gelu_fp16) {
  return gelu_in(at::kHalf, "gelu_fp16", gelu_rounded_once());
}

}  // namespace kbx::task_gelu_fp16
