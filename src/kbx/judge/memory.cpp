// SPDX-License-Identifier: Apache-2.0
#include "kbx/judge/memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "kbx/base/error.h"
#include "kbx/base/fd.h"
#include "kbx/cuda/driver.h"

namespace kbx {
namespace {

constexpr size_t kPage = 4096;

class HostBlock : public Block {
 public:
  explicit HostBlock(size_t bytes) : bytes_((bytes + kPage - 1) / kPage * kPage) {
    fd_ = Fd(::memfd_create("kbx", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd_.valid()) throw Error(ErrorKind::kEnvironment, fmt::format("memfd_create: {}", std::strerror(errno)));
    if (::ftruncate(fd_.get(), static_cast<off_t>(bytes_)) != 0) throw std::bad_alloc();
    // Sealed: a guest that shortened the file would make the judge fault on its own mapping.
    if (::fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
      throw Error(ErrorKind::kEnvironment, fmt::format("sealing a memfd: {}", std::strerror(errno)));
    address_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
    if (address_ == MAP_FAILED) throw std::bad_alloc();
  }
  HostBlock(const HostBlock&) = delete;
  HostBlock& operator=(const HostBlock&) = delete;
  ~HostBlock() override { ::munmap(address_, bytes_); }

  size_t bytes() const override { return bytes_; }
  int fd() const override { return fd_.get(); }
  void write(size_t offset, std::span<const std::byte> from) override {
    if (!from.empty()) std::memcpy(static_cast<std::byte*>(address_) + offset, from.data(), from.size());
  }
  void read(size_t offset, std::span<std::byte> to) const override {
    if (!to.empty()) std::memcpy(to.data(), static_cast<const std::byte*>(address_) + offset, to.size());
  }

 private:
  size_t bytes_;
  Fd fd_;
  void* address_ = nullptr;
};

class HostMemory : public Memory {
 public:
  std::unique_ptr<Block> allocate(size_t bytes) override { return std::make_unique<HostBlock>(bytes); }
};

class CudaBlock : public Block {
 public:
  explicit CudaBlock(size_t bytes) : shared_(cuda::allocate_block(bytes)) {}
  CudaBlock(const CudaBlock&) = delete;
  CudaBlock& operator=(const CudaBlock&) = delete;
  ~CudaBlock() override { cuda::free_block(shared_); }

  size_t bytes() const override { return shared_.bytes; }
  int fd() const override { return shared_.fd.get(); }
  void write(size_t offset, std::span<const std::byte> from) override {
    cuda::copy_to_device(static_cast<std::byte*>(shared_.address) + offset, from.data(), from.size());
  }
  void read(size_t offset, std::span<std::byte> to) const override {
    cuda::copy_from_device(to.data(), static_cast<std::byte*>(shared_.address) + offset, to.size());
  }

 private:
  cuda::SharedBlock shared_;
};

class CudaMemory : public Memory {
 public:
  explicit CudaMemory(int device) : device_(device) { enter_thread(); }
  void enter_thread() override { cuda::use_device(device_); }
  std::unique_ptr<Block> allocate(size_t bytes) override {
    constexpr int kOutOfMemory = 2;  // CUDA_ERROR_OUT_OF_MEMORY
    try {
      return std::make_unique<CudaBlock>(bytes);
    } catch (const cuda::DriverError& error) {
      if (error.code() == kOutOfMemory) throw std::bad_alloc();
      throw;
    }
  }

 private:
  int device_;
};

}  // namespace

std::unique_ptr<Memory> host_memory() {
  return std::make_unique<HostMemory>();
}
std::unique_ptr<Memory> cuda_memory(int device) {
  return std::make_unique<CudaMemory>(device);
}

BlockPool::Lent BlockPool::take(size_t bytes) {
  constexpr size_t kWasteful = 4;  // times what was asked for
  size_t best = slots_.size();
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].lent || slots_[i].block->bytes() < bytes) continue;
    if (slots_[i].block->bytes() > kWasteful * std::max(bytes, kPage)) continue;
    if (best == slots_.size() || slots_[i].block->bytes() < slots_[best].block->bytes()) best = i;
  }
  const bool fresh = best == slots_.size();
  if (fresh) slots_.push_back({.block = memory_.allocate(bytes), .lent = false});
  slots_[best].lent = true;
  return {.id = static_cast<int64_t>(best), .block = slots_[best].block.get(), .fresh = fresh};
}

void BlockPool::give_back(int64_t id) {
  slots_.at(static_cast<size_t>(id)).lent = false;
}

}  // namespace kbx
