// SPDX-License-Identifier: Apache-2.0
// Memory that judge and guest share, as the guest sees it: blocks are mapped once, under the judge's number, and stay
// mapped for the life of the process. Tensors are views of blocks; results are copied into blocks.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <vector>

#include "kbx/base/fd.h"

namespace kbx::guest {

struct Mapping {
  void* address = nullptr;
  size_t bytes = 0;
  bool cuda = false;
};

class Blocks {
 public:
  // fd: a sealed memfd, or (cuda) a VMM allocation exported as a descriptor. Throws std::runtime_error.
  void map(int64_t id, Fd fd, size_t bytes, bool cuda);
  // A tensor of the given strides (in elements) that begins offset bytes into the block.
  at::Tensor tensor(int64_t id, size_t offset, at::ScalarType dtype, const std::vector<int64_t>& shape,
                    const std::vector<int64_t>& strides) const;
  // Copies the elements of source, contiguous, to offset bytes into the block.
  void take(int64_t id, size_t offset, const at::Tensor& source) const;

 private:
  const Mapping& at(int64_t id, size_t offset, size_t bytes) const;
  std::map<int64_t, Mapping> mappings_;
};

}  // namespace kbx::guest
