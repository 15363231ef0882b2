// SPDX-License-Identifier: Apache-2.0
// Memory that judge and guest both see. A block is one allocation with one descriptor; on the CPU a sealed memfd, on an
// NVIDIA GPU a VMM allocation. The judge touches a block only by copying in and out, so that the rest of it need not
// know where the bytes are. Expected outputs never live in a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kbx {

class Block {
 public:
  virtual ~Block() = default;
  virtual size_t bytes() const = 0;  // a multiple of the allocation granularity
  virtual int fd() const = 0;
  virtual void write(size_t offset, std::span<const std::byte> from) = 0;
  virtual void read(size_t offset, std::span<std::byte> to) const = 0;
};

class Memory {
 public:
  virtual ~Memory() = default;
  // A block of at least this many bytes. Throws std::bad_alloc when there is no more.
  virtual std::unique_ptr<Block> allocate(size_t bytes) = 0;
  // Called by a thread before it touches blocks.
  virtual void enter_thread() {}
};

std::unique_ptr<Memory> host_memory();
std::unique_ptr<Memory> cuda_memory(int device);

// The blocks of one guest. A block is handed out for a call and comes back after it, so that the guest maps it once; it
// never passes to another guest and never holds anything but inputs and results.
class BlockPool {
 public:
  explicit BlockPool(Memory& memory) : memory_(memory) {}

  struct Lent {
    int64_t id = 0;
    Block* block = nullptr;
    bool fresh = false;  // not yet known to the guest
  };
  // The smallest free block of at least `bytes` that is not wastefully large, else a new one.
  Lent take(size_t bytes);
  void give_back(int64_t id);

 private:
  struct Slot {
    std::unique_ptr<Block> block;
    bool lent = false;
  };
  Memory& memory_;
  std::vector<Slot> slots_;
};

}  // namespace kbx
