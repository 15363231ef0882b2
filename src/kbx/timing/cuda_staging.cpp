// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/cuda_staging.h"

#include "kbx/cuda/events.h"

namespace kbx::timing {

void CudaStaging::refill(size_t input, size_t slot) const {
  for (const Argument& argument : arguments_)
    cuda::copy_async(argument.work, argument.contents.at(input), argument.bytes);
  for (const Results& result : results_) cuda::fill_async(result.slots.at(slot), poison_, result.bytes / 4);
}

}  // namespace kbx::timing
