// SPDX-License-Identifier: Apache-2.0
// KBX_CORPUS: the folder with the published baselines (baselines.json); without it the tests of those skip.
#include "kbx/timing/baseline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "kbx/base/error.h"
#include "kbx/timing/hardware.h"

namespace kbx::timing {
namespace {

using Kind = BaselineFault::Kind;

StoredBaseline file(const std::string& device, double factor) {
  StoredBaseline b{.device = device, .uuid = {}, .driver = {}, .torch = {}, .tasks = {}};
  for (int t = 0; t < 40; ++t)
    for (int s = 0; s < 4; ++s)
      b.tasks["task" + std::to_string(t)].push_back({.label = "s" + std::to_string(s), .us = factor * (10 + t + s)});
  return b;
}

ExpectedSizes expectation(const StoredBaseline& like, double floor_us = 0) {
  ExpectedSizes expected;
  for (const auto& [task, sizes] : like.tasks)
    for (const StoredSize& s : sizes) expected[task].push_back({.label = s.label, .strict_floor_us = floor_us});
  return expected;
}

std::vector<std::string> tasks_with(const std::vector<BaselineFault>& faults, Kind kind) {
  std::vector<std::string> tasks;
  for (const BaselineFault& f : faults)
    if (f.kind == kind) tasks.push_back(f.task);
  return tasks;
}

using Tasks = std::vector<std::string>;

TEST(Baseline, AnHonestFileHasNoFaults) {
  const StoredBaseline mine = file("A", 1);
  const std::vector<StoredBaseline> others{file("B", 1.3), file("C", 0.7), file("D", 2)};
  const auto faults = faults_of(mine, expectation(mine, 5), others);
  EXPECT_TRUE(faults.empty());
  EXPECT_DOUBLE_EQ(*stored_time(mine, faults, "task3", "s2", 99), 15);
  EXPECT_FALSE(stored_time(mine, faults, "task3", "no such size", 0));
}

TEST(Baseline, ACopyOfAnotherCardsFileIsRefusedWhole) {
  StoredBaseline mine = file("A", 1);
  mine.tasks["task0"][0].us = 3;
  const std::vector<StoredBaseline> others{file("B", 1)};
  const auto faults = faults_of(mine, expectation(mine), others);
  EXPECT_EQ(tasks_with(faults, Kind::kCopy).size(), 1u);
  EXPECT_TRUE(refuses_file(faults));
  EXPECT_FALSE(stored_time(mine, faults, "task3", "s2", 2));
  // Two files of one card may agree.
  EXPECT_FALSE(refuses_file(faults_of(mine, expectation(mine), std::vector{file("A", 1)})));
}

TEST(Baseline, FaultsOfATaskRefuseThatTask) {
  StoredBaseline mine = file("A", 1);
  const ExpectedSizes expected = expectation(mine, 5);
  mine.tasks["task1"][2].us = 4;
  mine.tasks["task2"][0].us = -1;
  mine.tasks["task3"][0].us = std::numeric_limits<double>::quiet_NaN();
  mine.tasks["task4"].pop_back();
  mine.tasks["task5"][0].label = "another";
  mine.tasks.erase("task6");
  const auto faults = faults_of(mine, expected, {});
  EXPECT_EQ(tasks_with(faults, Kind::kBelowFloor), Tasks{"task1"});
  EXPECT_EQ(tasks_with(faults, Kind::kNotATime), (Tasks{"task2", "task3"}));
  EXPECT_EQ(tasks_with(faults, Kind::kMissingSize), (Tasks{"task4", "task5"}));
  EXPECT_EQ(tasks_with(faults, Kind::kOtherSize), Tasks{"task5"});
  EXPECT_EQ(tasks_with(faults, Kind::kMissingTask), Tasks{"task6"});
  EXPECT_FALSE(refuses_file(faults));
  EXPECT_FALSE(stored_time(mine, faults, "task1", "s0", 0));
  EXPECT_TRUE(stored_time(mine, faults, "task7", "s0", 0));
}

TEST(Baseline, OutOfLineNeedsThreeOthers) {
  StoredBaseline mine = file("A", 1);
  for (StoredSize& s : mine.tasks["task9"]) s.us *= 40;
  const std::vector<StoredBaseline> others{file("B", 1.3), file("C", 0.7), file("D", 2)};
  EXPECT_EQ(tasks_with(faults_of(mine, expectation(mine), others), Kind::kOutOfLine), Tasks{"task9"});
  EXPECT_TRUE(faults_of(mine, expectation(mine), std::span(others).first(2)).empty());
  // A card that is slower in everything is in line.
  EXPECT_TRUE(faults_of(file("E", 6), expectation(mine), others).empty());
}

TEST(Baseline, GoesThereAndBack) {
  StoredBaseline mine = file("A", 1);
  mine.uuid = "GPU-1";
  mine.tasks["task1"][0].lo_us = 9.9;
  const StoredBaseline again = read_baseline(to_json(mine));
  EXPECT_EQ(to_json(again), to_json(mine));
  EXPECT_EQ(again.tasks.at("task1")[0].lo_us, 9.9);
  EXPECT_THROW(read_baseline(nlohmann::json::array()), Error);
  EXPECT_THROW(read_baseline({{"kbx_baseline", 99}}), Error);
  EXPECT_THROW(read_baseline({{"kbx_baseline", 1}, {"device", "A"}, {"tasks", {{"t", {{{"us", "fast"}}}}}}}), Error);
}

class Published : public testing::Test {
 protected:
  void SetUp() override {
    const char* corpus = std::getenv("KBX_CORPUS");
    if (corpus == nullptr) GTEST_SKIP() << "KBX_CORPUS is not set";
    std::ifstream in(std::string(corpus) + "/baselines.json");
    if (!in) GTEST_SKIP() << "no baselines.json in KBX_CORPUS";
    const auto published = nlohmann::json::parse(in);
    for (const auto& [device, tasks] : published.items()) files_[device] = read_published_baseline(tasks, device);
  }

  std::vector<StoredBaseline> all_but(const std::string& device) const {
    std::vector<StoredBaseline> others;
    for (const auto& [name, f] : files_)
      if (name != device) others.push_back(f);
    return others;
  }

  // Element-wise float32 tasks at 2^12 to 2^27: what is read and written once.
  static ExpectedSizes elementwise(const std::string& card) {
    const auto sheet = datasheet_of(card);
    ExpectedSizes expected;
    for (const char* task : {"abs", "relu", "log", "cos", "erf", "sigmoid"})
      for (int power = 12; power <= 27; ++power) {
        const double bytes = 4.0 * static_cast<double>(1 << power);
        const double floor =
            strict_floor_us({.bytes_read = bytes, .bytes_written = bytes}, {.cache_bytes = 96e6}, sheet);
        expected[task].push_back({.label = "2^" + std::to_string(power), .strict_floor_us = floor});
      }
    return expected;
  }

  std::map<std::string, StoredBaseline> files_;
};

TEST_F(Published, OneFileIsACopyOfAnotherCards) {
  const auto faults = faults_of(files_.at("l20"), elementwise("NVIDIA L20"), all_but("l20"));
  EXPECT_TRUE(refuses_file(faults));
  const auto copy = std::ranges::find(faults, Kind::kCopy, &BaselineFault::kind);
  ASSERT_NE(copy, faults.end());
  EXPECT_NE(copy->detail.find("5090"), std::string::npos) << copy->detail;
}

TEST_F(Published, AndImpliesMoreBandwidthThanItsCardHas) {
  const auto faults = faults_of(files_.at("l20"), elementwise("NVIDIA L20"), {});
  const auto below = tasks_with(faults, Kind::kBelowFloor);
  for (const char* task : {"abs", "relu", "log", "cos", "erf", "sigmoid"})
    EXPECT_NE(std::ranges::find(below, task), below.end()) << task;
}

TEST_F(Published, TheOtherFilesRespectTheirCards) {
  const std::map<std::string, std::string> cards{
      {"4090", "RTX 4090"}, {"5090", "RTX 5090"}, {"a100", "A100-PCIE-40GB"}, {"h20", "H20"}, {"h800", "H800 PCIe"}};
  for (const auto& [device, card] : cards)
    EXPECT_EQ(tasks_with(faults_of(files_.at(device), elementwise(card), {}), Kind::kBelowFloor), Tasks()) << device;
}

TEST_F(Published, CorruptEntriesAreOutOfLine) {
  std::vector<StoredBaseline> others;
  for (const char* device : {"4090", "a100", "h20", "h800"}) others.push_back(files_.at(device));
  EXPECT_EQ(tasks_with(faults_of(files_.at("5090"), {}, others), Kind::kOutOfLine),
            (Tasks{"fused_cross_entropy_log_softmax", "masked_select", "spectral_norm_eig"}));
  for (const char* device : {"4090", "a100", "h20", "h800"}) {
    std::vector<StoredBaseline> rest;
    for (const char* other : {"4090", "a100", "h20", "h800", "5090"})
      if (std::string(other) != device) rest.push_back(files_.at(other));
    EXPECT_EQ(tasks_with(faults_of(files_.at(device), {}, rest), Kind::kOutOfLine), Tasks()) << device;
  }
}

TEST_F(Published, MissingSizesAreNamed) {
  ExpectedSizes ten;
  for (int i = 0; i < 10; ++i) ten["fused_layer_norm_relu_linear"].push_back({.label = std::to_string(i)});
  EXPECT_EQ(tasks_with(faults_of(files_.at("4090"), ten, {}), Kind::kMissingSize),
            Tasks{"fused_layer_norm_relu_linear"});
  EXPECT_TRUE(faults_of(files_.at("5090"), ten, {}).empty());
}

}  // namespace
}  // namespace kbx::timing
