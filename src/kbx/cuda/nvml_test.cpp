// SPDX-License-Identifier: Apache-2.0
#include "kbx/cuda/nvml.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "kbx/cuda/driver.h"

namespace kbx::cuda {
namespace {

TEST(Nvml, ReasonsInWords) {
  EXPECT_EQ(reasons_named(0x4 | 0x40), (std::vector<std::string>{"software power cap", "hardware thermal"}));
  EXPECT_TRUE(reasons_named(0).empty());
  EXPECT_TRUE(reasons_named(0x1 | 0x2).empty());  // idle, and clocks that somebody set
}

TEST(Nvml, AnUnknownCardHasNoStateAndAReason) {
  std::string reason;
  const CardState state = card_state("GPU-of-nobody", &reason);
  EXPECT_FALSE(state.sm_mhz || state.celsius || state.watts || state.throttle_reasons || state.processes);
  EXPECT_FALSE(reason.empty());
  EXPECT_TRUE(throttle_reasons("GPU-of-nobody").empty());
}

TEST(Nvml, StateOfACard) {
  if (std::string why; !available(&why)) GTEST_SKIP() << "needs a GPU: " << why;
  use_device(0);
  std::string reason;
  const CardState state = card_state(device_info(0).uuid, &reason);
  if (!reason.empty()) GTEST_SKIP() << reason;
  ASSERT_TRUE(state.sm_mhz);
  EXPECT_GT(*state.sm_mhz, 100);
  ASSERT_TRUE(state.celsius);
  EXPECT_GT(*state.celsius, 5);
  EXPECT_LT(*state.celsius, 110);
}

}  // namespace
}  // namespace kbx::cuda
