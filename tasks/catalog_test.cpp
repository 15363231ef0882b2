// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kbx/task/registry.h"

namespace kbx {

TEST(Catalog, EveryTaskIsBuilt) {
  for (const Task* task : Registry::global().all()) EXPECT_FALSE(task->description.empty()) << task->name;
}

}  // namespace kbx
