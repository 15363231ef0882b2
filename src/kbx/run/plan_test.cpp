// SPDX-License-Identifier: Apache-2.0
#include "kbx/run/plan.h"

#include <gmock/gmock.h>

#include "kbx/base/error.h"
#include "kbx/input/test_catalog.h"
#include "kbx/store/files.h"
#include "kbx/store/results.h"
#include "tests/support/temporary_folder.h"

namespace kbx {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PlanTest : public ::testing::Test {
 protected:
  Plan plan(Shard shard = {}) {
    return {Reader(kTestCatalog, {(folder_ / "in.jsonl").string()}, ""), SubmissionStore::open_for_adding(folder_ / "s"),
            shard};
  }
  void write_input(int count, const std::string& code = "x") {
    std::string lines;
    for (int i = 0; i < count; ++i)
      lines += R"({"task":"abs","method":"m","predict":"x = ')" + code + std::to_string(i) + "'\"}\n";
    replace_file(folder_ / "in.jsonl", lines);
  }
  std::vector<std::string> problems;

  std::vector<std::string> ids(Plan plan) {
    while (plan.read(2, [&](const Problem& problem) { problems.push_back(problem.reason); })) {
    }
    EXPECT_TRUE(plan.ended());
    std::vector<std::string> found;
    while (const auto key = plan.take()) found.push_back(plan.at(*key).submission.id());
    return found;
  }

  TemporaryFolder folder_;
};

TEST_F(PlanTest, QueuesWhatIsRead) {
  write_input(3);
  EXPECT_THAT(ids(plan()), ElementsAre("abs/m/0/0", "abs/m/0/1", "abs/m/0/2"));
}

TEST_F(PlanTest, ShardsShareTheInput) {
  write_input(5);
  EXPECT_THAT(ids(plan({1, 2})), ElementsAre("abs/m/0/0", "abs/m/0/2", "abs/m/0/4"));
  EXPECT_THAT(ids(plan({2, 2})), ElementsAre("abs/m/0/1", "abs/m/0/3"));
}

TEST_F(PlanTest, TakingUpSkipsWhatHasARecordAndReadsTheRest) {
  write_input(3);
  ids(plan());
  {
    ResultsWriter results(folder_ / "results.jsonl");
    Record record;
    record.id = "abs/m/0/1";
    results.append(record);
  }
  write_input(4);
  Plan again = plan();
  again.take_up(folder_ / "results.jsonl");
  EXPECT_THAT(ids(std::move(again)), ElementsAre("abs/m/0/0", "abs/m/0/2", "abs/m/0/3"));
  EXPECT_THAT(problems, IsEmpty());
}

TEST_F(PlanTest, TakingUpRefusesOtherCodeUnderTheSameId) {
  write_input(1);
  ids(plan());
  write_input(1, "other");
  Plan again = plan();
  again.take_up(folder_ / "results.jsonl");
  EXPECT_THAT(ids(std::move(again)), ElementsAre("abs/m/0/0"));
  EXPECT_THAT(problems, ElementsAre("other code for abs/m/0/0 than this run began with"));
}

TEST(ParseShard, TakesIOfN) {
  EXPECT_EQ(parse_shard("2/4").index, 2);
  EXPECT_EQ(parse_shard("2/4").count, 4);
  for (const char* text : {"", "1", "0/2", "3/2", "1/0", "-1/2", "a/b", "1/2x", "1/", "/2"})
    EXPECT_THROW(parse_shard(text), Error) << text;
}

}  // namespace
}  // namespace kbx
