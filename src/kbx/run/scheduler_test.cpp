// SPDX-License-Identifier: Apache-2.0
#include "kbx/run/scheduler.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "kbx/input/test_catalog.h"
#include "kbx/store/files.h"
#include "tests/support/temporary_folder.h"

namespace kbx {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// Does with an item what its code says; dying takes all that is in flight along, as a judge's death does.
class FakeEvaluator : public Evaluator {
 public:
  size_t limit = 3;
  bool slow = false;  // lets the scheduler come by once before anything is done
  size_t most_beside_alone = 0;
  std::vector<std::string> started;
  bool killed = false;

  bool has_room(bool alone) const override { return alone ? items_.empty() : !alone_ && items_.size() < limit; }
  void submit(Item item, bool alone) override {
    if (alone_ || (alone && !items_.empty())) most_beside_alone = items_.size();
    alone_ = alone;
    started.push_back(item.id + (item.attempt > 1 ? "!" : ""));
    items_.push_back(std::move(item));
  }
  std::optional<Finished> next(Clock::time_point, int) override {
    if (slow && calls_++ % 2 == 0) return std::nullopt;
    if (lost_.empty() && !items_.empty()) {
      const Item item = items_.front();
      if (!item.code.starts_with("die") && !(item.code.starts_with("once") && item.attempt == 1)) {
        items_.erase(items_.begin());
        alone_ = false;
        Record record;
        record.task = "not asked";
        record.verdict = Verdict::kPassed;
        record.stage = Stage::kExe;
        return Finished{item.key, record, ""};
      }
      for (const Item& dead : items_) lost_.push_back({dead.key, std::nullopt, "signal 11"});
      items_.clear();
      alone_ = false;
    }
    if (lost_.empty()) return std::nullopt;
    Finished finished = lost_.front();
    lost_.erase(lost_.begin());
    return finished;
  }
  void kill() override { killed = true; }

 private:
  std::vector<Item> items_;
  std::vector<Finished> lost_;
  bool alone_ = false;
  int calls_ = 0;
};

class SchedulerTest : public ::testing::Test {
 protected:
  bool run(const std::vector<std::string>& codes, const std::string& more = "") {
    std::string lines;
    for (const std::string& code : codes)
      lines += nlohmann::json{{"task", "abs"}, {"method", "m"}, {"predict", code}, {"note", 1}}.dump() + "\n";
    replace_file(folder_ / "in.jsonl", lines + more);
    Plan plan(Reader(kTestCatalog, {(folder_ / "in.jsonl").string()}, ""), SubmissionStore::open_for_adding(folder_ / "s"),
              {});
    Events events;
    events.on_record = [&](const Record& record) {
      EXPECT_TRUE(records.emplace(record.sample, record).second) << "a second record of " << record.id;
      verdicts[record.sample] = std::string(name_of(record.verdict));
    };
    events.on_problem = [&](const Problem& problem) { problems.push_back(problem.text()); };
    events.on_tick = [&] { ++ticks; };
    events.interruptions = [&] { return interruptions(); };
    return Scheduler(plan, evaluator, events).run();
  }

  TemporaryFolder folder_;
  FakeEvaluator evaluator;
  std::map<int64_t, Record> records;
  std::map<int64_t, std::string> verdicts;
  std::vector<std::string> problems;
  int ticks = 0;
  std::function<int()> interruptions = [] { return 0; };
};

TEST_F(SchedulerTest, EverySubmissionGetsItsRecord) {
  EXPECT_TRUE(run({"a = 1", "b = 1", "c = 1", "d = 1", "e = 1"}));
  EXPECT_EQ(records.size(), 5u);
  const Record& record = records.at(4);
  EXPECT_EQ(record.id, "abs/m/0/4");
  EXPECT_EQ(record.task, "abs");
  EXPECT_EQ(record.category, "Math");
  EXPECT_EQ(record.source, (folder_ / "in.jsonl").string() + ":5");
  EXPECT_EQ(record.code_sha256.size(), 64u);
  EXPECT_EQ(record.extra["submitted"]["note"], 1);
  EXPECT_EQ(record.attempts, 1);
}

TEST_F(SchedulerTest, WithoutCodeNoJudgeIsAsked) {
  EXPECT_TRUE(run({""}, "rubbish\n"));
  EXPECT_THAT(verdicts, ElementsAre(Pair(0, "empty")));
  EXPECT_THAT(evaluator.started, IsEmpty());
  EXPECT_EQ(problems.size(), 1u);
}

// The innocent were in flight beside the one that kills judges; each is tried again, alone.
TEST_F(SchedulerTest, OnlyWhatKillsTwiceIsInfrastructure) {
  EXPECT_TRUE(run({"a = 1", "die = 1", "c = 1", "d = 1", "once = 1", "f = 1"}));
  EXPECT_THAT(verdicts, ElementsAre(Pair(0, "passed"), Pair(1, "infrastructure"), Pair(2, "passed"), Pair(3, "passed"),
                                    Pair(4, "passed"), Pair(5, "passed")));
  EXPECT_EQ(records.at(1).attempts, 2);
  EXPECT_THAT(records.at(1).reason, ::testing::HasSubstr("signal 11"));
  EXPECT_EQ(records.at(2).attempts, 2);
  EXPECT_EQ(records.at(4).attempts, 2);
  EXPECT_EQ(evaluator.most_beside_alone, 0u);
}

TEST_F(SchedulerTest, NothingNewStartsBesideASuspect) {
  evaluator.slow = true;
  evaluator.limit = 1;
  interruptions = [&] {
    if (evaluator.started.size() == 2) evaluator.limit = 3;  // only once the suspect is tried again
    return 0;
  };
  EXPECT_TRUE(run({"die = 1", "b = 1", "c = 1", "d = 1"}));
  EXPECT_THAT(verdicts,
              ElementsAre(Pair(0, "infrastructure"), Pair(1, "passed"), Pair(2, "passed"), Pair(3, "passed")));
  for (int64_t sample : {1, 2, 3}) EXPECT_EQ(records.at(sample).attempts, 1) << sample;
}

TEST_F(SchedulerTest, FirstInterruptionFinishesWhatIsInFlight) {
  interruptions = [&] { return records.size() >= 2 ? 1 : 0; };
  EXPECT_FALSE(run(std::vector<std::string>{"a = 1", "b = 1", "c = 1", "d = 1", "e = 1", "f = 1", "g = 1"}));
  EXPECT_EQ(records.size(), evaluator.started.size());
  EXPECT_LT(records.size(), 7u);
  EXPECT_FALSE(evaluator.killed);
}

TEST_F(SchedulerTest, SecondInterruptionKills) {
  interruptions = [&] { return records.empty() ? 0 : 2; };
  EXPECT_FALSE(run({"a = 1", "b = 1", "c = 1", "d = 1", "e = 1"}));
  EXPECT_TRUE(evaluator.killed);
  EXPECT_EQ(records.size(), 1u);
}

TEST_F(SchedulerTest, InterruptedSuspectsAreLeftForAResume) {
  interruptions = [&] { return evaluator.started.size() >= 3 ? 1 : 0; };
  EXPECT_FALSE(run({"die = 1", "b = 1", "c = 1", "d = 1"}));
  EXPECT_THAT(records, IsEmpty());
}

TEST_F(SchedulerTest, ManyInputsAreReadInParts) {
  std::vector<std::string> codes;
  for (int i = 0; i < 1000; ++i) codes.push_back(i % 3 == 0 ? "x = " + std::to_string(i) : "y = " + std::to_string(i));
  EXPECT_TRUE(run(codes));
  EXPECT_EQ(records.size(), 1000u);
  EXPECT_GT(ticks, 5);
}

}  // namespace
}  // namespace kbx
