// SPDX-License-Identifier: Apache-2.0
// JudgePool with real child processes that only pretend to judge.
#include "kbx/run/judge_pool.h"

#include <gmock/gmock.h>

#include <csignal>
#include <set>

#include "kbx/base/error.h"

namespace kbx {
namespace {

using Clock = Evaluator::Clock;

PoolConfig config(std::vector<std::string> devices = {"cpu"}) {
  PoolConfig made;
  made.program = KBX_BINARY_DIR "/tests/fake_judge";
  made.configure = {{"target", "sm_90"}};
  made.devices = std::move(devices);
  made.jobs = 2;
  return made;
}

Item item(uint64_t key, const std::string& code) {
  return {key, "abs/m/0/" + std::to_string(key), "abs", code, "", 1};
}

Finished wait_for_one(JudgePool& pool) {
  const auto deadline = Clock::now() + std::chrono::seconds(30);
  while (Clock::now() < deadline) {
    if (auto finished = pool.next(deadline, -1)) return *finished;
  }
  throw std::runtime_error("nothing was finished within 30 s");
}

void wait_for_room(JudgePool& pool) {
  const auto deadline = Clock::now() + std::chrono::seconds(30);
  while (!pool.has_room(false) && Clock::now() < deadline)
    (void)pool.next(Clock::now() + std::chrono::milliseconds(20), -1);
  ASSERT_TRUE(pool.has_room(false));
}

TEST(JudgePool, JudgesAndSaysWhatTheJudgesAre) {
  JudgePool pool(config({"cpu", "cuda:1"}));
  EXPECT_EQ(pool.ready().at(1).at("device"), "cuda:1");
  pool.submit(item(7, "# pass"), false);
  pool.submit(item(8, "# wrong"), false);
  std::map<uint64_t, Verdict> verdicts;
  for (int i = 0; i < 2; ++i) {
    const Finished finished = wait_for_one(pool);
    verdicts[finished.key] = finished.record.value().verdict;
  }
  EXPECT_EQ(verdicts.at(7), Verdict::kPassed);
  EXPECT_EQ(verdicts.at(8), Verdict::kWrongValue);
}

TEST(JudgePool, RoomIsLimitedAndAloneIsAlone) {
  JudgePool pool(config());
  for (uint64_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(pool.has_room(false));
    pool.submit(item(i, "# slow"), false);
  }
  EXPECT_FALSE(pool.has_room(false));
  EXPECT_FALSE(pool.has_room(true));
  for (int i = 0; i < 3; ++i) wait_for_one(pool);
  ASSERT_TRUE(pool.has_room(true));
  pool.submit(item(9, "# slow"), true);
  EXPECT_FALSE(pool.has_room(false));
  wait_for_one(pool);
  EXPECT_TRUE(pool.has_room(false));
}

TEST(JudgePool, ADeadJudgeGivesItsItemsBackAndIsReplaced) {
  JudgePool pool(config());
  pool.submit(item(1, "# die"), false);
  pool.submit(item(2, "# pass"), false);
  std::set<uint64_t> lost;
  for (int i = 0; i < 2; ++i) {
    const Finished finished = wait_for_one(pool);
    EXPECT_FALSE(finished.record);
    EXPECT_EQ(finished.lost, "signal 11");
    lost.insert(finished.key);
  }
  EXPECT_EQ(lost, (std::set<uint64_t>{1, 2}));
  wait_for_room(pool);
  pool.submit(item(2, "# pass"), true);
  EXPECT_TRUE(wait_for_one(pool).record);
}

TEST(JudgePool, GarbageIsTheEndOfAJudge) {
  JudgePool pool(config());
  pool.submit(item(1, "# garbage"), false);
  EXPECT_FALSE(wait_for_one(pool).record);
  wait_for_room(pool);
}

TEST(JudgePool, SilenceIsTheEndOfAJudge) {
  PoolConfig impatient = config();
  impatient.silence = std::chrono::seconds(1);
  JudgePool pool(impatient);
  pool.submit(item(1, "# hang"), false);
  EXPECT_EQ(wait_for_one(pool).lost, "silent for 1 s");
}

TEST(JudgePool, JudgesThatOnlyDieAreGivenUp) {
  JudgePool pool(config());
  const auto die_on = [&] {
    while (true) {
      wait_for_room(pool);
      pool.submit(item(1, "# die"), false);
      wait_for_one(pool);
    }
  };
  EXPECT_THROW(die_on(), Error);
}

TEST(JudgePool, ReportsWhyNoJudgeCanServe) {
  PoolConfig refusing = config();
  refusing.configure["target"] = "refuse";
  try {
    JudgePool pool(refusing);
    FAIL() << "it serves";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "kbx-judge cannot serve: no torch; install it");
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
  }
  PoolConfig missing = config();
  missing.program = "/nowhere/kbx-judge";
  EXPECT_THROW(JudgePool pool(missing), Error);
}

TEST(JudgePool, WakesForAnotherDescriptor) {
  JudgePool pool(config());
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  const auto before = Clock::now();
  EXPECT_FALSE(pool.next(before + std::chrono::seconds(20), ends[0]));
  EXPECT_LT(Clock::now() - before, std::chrono::seconds(5));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(JudgePool, NoChildOutlivesIt) {
  pid_t pid = 0;
  {
    JudgeProcess process(KBX_BINARY_DIR "/tests/fake_judge", -1);
    pid = process.pid();
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

}  // namespace
}  // namespace kbx
