// SPDX-License-Identifier: Apache-2.0
#include "kbx/run/progress.h"

#include <gtest/gtest.h>

namespace kbx {
namespace {

TEST(ProgressText, CountsRateAndTimeLeft) {
  EXPECT_EQ(progress_text({0, 0, 0, 10, true, 0}), "0/10 done, 0 passed");
  EXPECT_EQ(progress_text({120, 0, 31, 1480, true, 50}), "120/1480 done, 31 passed, 2.4 a second, 9 min 27 s left");
  EXPECT_EQ(progress_text({10, 0, 3, 10, true, 5}), "10/10 done, 3 passed, 2.0 a second");
  EXPECT_EQ(progress_text({5, 0, 1, 8, false, 10}), "5 done, 3 waiting, 1 passed, 2.0 s each");
  EXPECT_EQ(progress_text({1, 0, 1, 20000, true, 1}), "1/20000 done, 1 passed, 1.0 a second, 5 h 33 min left");
}

// What an earlier command did says nothing about how fast this one is.
TEST(ProgressText, OfAResumedRun) {
  EXPECT_EQ(progress_text({100, 100, 0, 200, true, 3}), "100/200 done, 0 passed");
  EXPECT_EQ(progress_text({110, 100, 2, 200, true, 10}), "110/200 done, 2 passed, 1.0 a second, 1 min 30 s left");
}

TEST(Progress, PlainLinesHoldNoControlCodes) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* stream = ::open_memstream(&text, &size);
  Progress progress(stream, false);
  progress.update({1, 0, 1, 2, true, 1});
  progress.clear();
  std::fclose(stream);
  EXPECT_STREQ(text, "");
  std::free(text);
}

}  // namespace
}  // namespace kbx
