// SPDX-License-Identifier: Apache-2.0
// Every task of the catalogue, one test a task: --gtest_filter='*/gelu' runs one.
#include "kbx/task/catalog.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "kbx/check/catalog_faults.h"
#include "kbx/check/gate.h"
#include "kbx/task/registry.h"

namespace kbx {
namespace {

class CatalogTask : public testing::TestWithParam<std::string> {
 protected:
  static std::string listed(const std::vector<std::string>& faults) {
    std::string out;
    for (const std::string& fault : faults) out += "\n  " + fault;
    return out;
  }
};

TEST_P(CatalogTask, HasAFileWhereItsCategorySays) {
  const Task* task = Registry::global().find(GetParam());
  ASSERT_NE(task, nullptr);
  const auto path = std::filesystem::path(KBX_SOURCE_DIR) / "tasks" / task->category / (task->name + ".cpp");
  EXPECT_TRUE(std::filesystem::exists(path)) << path;
}

TEST_P(CatalogTask, IsWellFormed) {
  const auto faults = faults_of_form(*Registry::global().find(GetParam()));
  EXPECT_TRUE(faults.empty()) << listed(faults);
}

TEST_P(CatalogTask, JudgesRightly) {
  const auto faults = gate(*Registry::global().find(GetParam())).faults;
  EXPECT_TRUE(faults.empty()) << listed(faults);
}

INSTANTIATE_TEST_SUITE_P(Tasks, CatalogTask, testing::ValuesIn(Registry::global().names()),
                         [](const auto& task) { return task.param; });

TEST(Catalog, IsTheCommittedOne) {
  const std::string path = KBX_SOURCE_DIR "/tasks/catalog.json";
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing: write it with kbx-judge --catalog";
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), catalog().dump(1) + "\n") << "out of date: write it again with kbx-judge --catalog";
}

}  // namespace
}  // namespace kbx
