// SPDX-License-Identifier: Apache-2.0
#include "gelu.h"

namespace kbx::task_gelu_bf16 {

KBX_TASK(Activation, gelu_bf16) {
  return gelu_in(at::kBFloat16, "gelu_bf16", gelu_rounded_once());
}

}  // namespace kbx::task_gelu_bf16
