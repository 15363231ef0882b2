// SPDX-License-Identifier: Apache-2.0
#include "blocks.h"

#include <ATen/Functions.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "kbx/cuda/driver.h"

namespace kbx::guest {

void Blocks::map(int64_t id, Fd fd, size_t bytes, bool cuda) {
  Mapping mapping{.address = nullptr, .bytes = bytes, .cuda = cuda};
  if (cuda) {
    // The primary context, which torch and Triton use too; made here, so that a submission that never gets as far as a
    // call never costs one.
    cuda::use_device(0);
    mapping.address = cuda::import_block(fd.get(), bytes);
  } else {
    mapping.address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (mapping.address == MAP_FAILED) throw std::runtime_error(fmt::format("mmap: {}", std::strerror(errno)));
  }
  if (!mappings_.emplace(id, mapping).second) throw std::runtime_error(fmt::format("block {} is mapped already", id));
}

const Mapping& Blocks::at(int64_t id, size_t offset, size_t bytes) const {
  const auto found = mappings_.find(id);
  if (found == mappings_.end()) throw std::runtime_error(fmt::format("no block {}", id));
  if (offset > found->second.bytes || bytes > found->second.bytes - offset)
    throw std::runtime_error(fmt::format("block {} is too small", id));
  return found->second;
}

at::Tensor Blocks::tensor(int64_t id, size_t offset, at::ScalarType dtype, const std::vector<int64_t>& shape,
                          const std::vector<int64_t>& strides) const {
  // Elements up to the last one that the strides reach: what a kernel may touch, and not a byte more.
  int64_t extent = 1;
  for (size_t d = 0; d < shape.size(); ++d) extent = shape[d] == 0 ? 0 : extent + (shape[d] - 1) * strides[d];
  for (const int64_t n : shape)
    if (n == 0) extent = 0;
  const Mapping& mapping = at(id, offset, static_cast<size_t>(extent) * c10::elementSize(dtype));
  const at::Device device(mapping.cuda ? at::kCUDA : at::kCPU, mapping.cuda ? 0 : -1);
  return at::from_blob(
      static_cast<char*>(mapping.address) + offset, shape, strides, [](void*) {},
      at::TensorOptions().dtype(dtype).device(device), device);
}

void Blocks::take(int64_t id, size_t offset, const at::Tensor& source) const {
  std::vector<int64_t> strides(static_cast<size_t>(source.dim()));
  int64_t step = 1;
  for (size_t d = strides.size(); d-- > 0;) {
    strides[d] = step;
    step *= source.sizes()[d];
  }
  at::Tensor slot = tensor(id, offset, source.scalar_type(), source.sizes().vec(), strides);
  slot.copy_(source.detach().resolve_conj().resolve_neg());
}

}  // namespace kbx::guest
