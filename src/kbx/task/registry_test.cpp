// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/registry.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <stdexcept>

#include "kbx/base/error.h"
#include "kbx/task/catalog.h"

namespace kbx {
namespace {

Task doubled() {
  return {
      .signature = "doubled(input)",
      .description = "Twice the input.",
      .snippet = "def doubled(input):\n    return 2 * input\n",
      .reference = [](const Args& in) -> Results { return {in.tensor("input") * 2}; },
      .cases = {{"three", {{"input", values({1, 2, 3}, at::kFloat)}}},
                {"many", {{"input", randn({1 << 20}, at::kFloat)}}, true}},
      .sizes = {{"2^12", {{"input", randn({1 << 12}, at::kFloat)}}}},
      .cost = [](const Args&) -> Cost { return {}; },
      .contract = {Relative{.ulps = 0.5}, "doubling is exact"},
  };
}

Task broken() {
  throw std::invalid_argument("no such dtype");
}

TEST(Registry, FindsAndSorts) {
  Registry registry;
  registry.add("Math", "b", doubled);
  registry.add("Math", "a", doubled);
  registry.add("Activation", "z", doubled);
  EXPECT_THAT(registry.names(), testing::ElementsAre("z", "a", "b"));
  EXPECT_EQ(registry.find("nothing"), nullptr);
  const Task* task = registry.find("a");
  ASSERT_NE(task, nullptr);
  EXPECT_EQ(task->name, "a");
  EXPECT_EQ(task->category, "Math");
  EXPECT_EQ(registry.find("a"), task);
  EXPECT_EQ(registry.all().size(), 3U);
}

TEST(Registry, SaysWhichTaskCannotBeBuilt) {
  Registry registry;
  registry.add("Math", "broken", broken);
  try {
    registry.find("broken");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("'broken'"), testing::HasSubstr("no such dtype")));
  }
}

TEST(Registry, RefusesTwoTasksOfOneName) {
  Registry registry;
  registry.add("Math", "same", doubled);
  registry.add("Reduce", "same", doubled);
  EXPECT_THROW(registry.find("same"), Error);
}

TEST(Catalog, HoldsWhatPromptsNeed) {
  Task task = doubled();
  task.name = "doubled", task.category = "Math";
  const nlohmann::json entry = catalog_entry(task);
  EXPECT_EQ(entry["entry"], "doubled");
  EXPECT_EQ(entry["signature"], "doubled(input)");
  EXPECT_EQ(entry["cases"][0]["args"]["input"], "float32[3] [1, 2, 3]");
  EXPECT_FALSE(entry["cases"][0].contains("gpu_only"));
  EXPECT_EQ(entry["cases"][1]["gpu_only"], true);
  EXPECT_EQ(entry["sizes"][0]["label"], "2^12");
  EXPECT_EQ(entry["contract"]["rule"], "relative");
  EXPECT_EQ(entry["contract"]["because"], "doubling is exact");
  EXPECT_FALSE(entry.contains("wrapper"));

  task.wrapper = Wrapper{.parameters = "input, n=2", .python = "def call(entry, input, n=2): ..."};
  EXPECT_EQ(catalog_entry(task)["wrapper"]["parameters"], "input, n=2");
  EXPECT_EQ(call_signature(task).find("n")->fallback->as<int64_t>() != nullptr, true);
}

}  // namespace
}  // namespace kbx
