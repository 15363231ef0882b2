// SPDX-License-Identifier: Apache-2.0
#include "kbx/judge/memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "kbx/cuda/driver.h"

namespace kbx {
namespace {

std::vector<std::byte> bytes(const std::string& text) {
  const auto* p = reinterpret_cast<const std::byte*>(text.data());
  return {p, p + text.size()};
}

TEST(HostMemory, ABlockIsSharedThroughItsDescriptor) {
  auto block = host_memory()->allocate(100);
  EXPECT_EQ(block->bytes(), 4096u);
  block->write(10, bytes("hello"));
  void* other = ::mmap(nullptr, block->bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, block->fd(), 0);
  ASSERT_NE(other, MAP_FAILED);
  EXPECT_EQ(std::memcmp(static_cast<char*>(other) + 10, "hello", 5), 0);
  std::memcpy(static_cast<char*>(other) + 10, "HELLO", 5);
  std::vector<std::byte> back(5);
  block->read(10, back);
  EXPECT_EQ(back, bytes("HELLO"));
  ::munmap(other, block->bytes());
}

// A guest that cut the file short would make the judge die of SIGBUS on its own mapping.
TEST(HostMemory, ABlockCannotBeResizedByWhoeverHoldsIt) {
  auto block = host_memory()->allocate(8192);
  EXPECT_NE(::ftruncate(block->fd(), 0), 0);
  EXPECT_NE(::ftruncate(block->fd(), 1 << 20), 0);
  EXPECT_NE(::fcntl(block->fd(), F_ADD_SEALS, F_SEAL_WRITE), 0);
}

TEST(BlockPool, AGivenBlockIsReusedAndKnown) {
  auto memory = host_memory();
  BlockPool pool(*memory);
  const auto first = pool.take(1000);
  EXPECT_TRUE(first.fresh);
  const auto second = pool.take(1000);
  EXPECT_TRUE(second.fresh);
  EXPECT_NE(first.id, second.id);
  pool.give_back(first.id);
  const auto third = pool.take(500);
  EXPECT_FALSE(third.fresh);
  EXPECT_EQ(third.id, first.id);
}

TEST(BlockPool, ALargeBlockIsNotSpentOnASmallTensor) {
  auto memory = host_memory();
  BlockPool pool(*memory);
  const auto large = pool.take(1 << 20);
  pool.give_back(large.id);
  EXPECT_NE(pool.take(100).id, large.id);
  EXPECT_EQ(pool.take(600 << 10).id, large.id);
}

TEST(CudaMemory, ABlockCarriesBytes) {
  if (std::string why; !cuda::available(&why)) GTEST_SKIP() << "needs a GPU: " << why;
  auto block = cuda_memory(0)->allocate(100);
  EXPECT_EQ(block->bytes() % (2 << 20), 0u);
  block->write(10, bytes("hello"));
  std::vector<std::byte> back(5);
  block->read(10, back);
  EXPECT_EQ(back, bytes("hello"));
}

}  // namespace
}  // namespace kbx
