// SPDX-License-Identifier: Apache-2.0
#include "kbx/cuda/driver.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <numeric>
#include <vector>

namespace kbx::cuda {
namespace {

#define SKIP_WITHOUT_GPU()                  \
  if (std::string why; !available(&why)) {  \
    GTEST_SKIP() << "needs a GPU: " << why; \
  }

TEST(Driver, SaysWhyThereIsNone) {
  std::string why;
  if (available(&why)) {
    EXPECT_TRUE(why.empty());
    EXPECT_GT(device_count(), 0);
  } else {
    EXPECT_FALSE(why.empty());
    EXPECT_EQ(device_count(), 0);
  }
}

TEST(Driver, ABlockCarriesBytesThereAndBack) {
  SKIP_WITHOUT_GPU();
  use_device(0);
  SharedBlock block = allocate_block(1000);
  EXPECT_GE(block.bytes, 1000u);
  ASSERT_TRUE(block.fd.valid());
  std::vector<int> out(250), in(250);
  std::iota(out.begin(), out.end(), 0);
  copy_to_device(block.address, out.data(), 1000);
  copy_from_device(in.data(), block.address, 1000);
  EXPECT_EQ(in, out);
  // A second mapping of the same descriptor is the same memory.
  void* again = import_block(block.fd.get(), block.bytes);
  out[7] = 4711;
  copy_to_device(again, out.data(), 1000);
  copy_from_device(in.data(), block.address, 1000);
  EXPECT_EQ(in[7], 4711);
  free_block(block);
  EXPECT_EQ(block.address, nullptr);
}

}  // namespace
}  // namespace kbx::cuda
