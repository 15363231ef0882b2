// SPDX-License-Identifier: Apache-2.0
#include "kbx/cli/devices.h"

#include <gmock/gmock.h>

#include <cstring>

#include "kbx/base/error.h"
#include "kbx/cli/seed.h"

namespace kbx {
namespace {

using ::testing::ElementsAre;

TEST(ParseDevices, OneJudgeADevice) {
  EXPECT_THAT(parse_devices("auto", false), ElementsAre("cpu"));
  EXPECT_THAT(parse_devices("auto", true), ElementsAre("cuda:0"));
  EXPECT_THAT(parse_devices("cpu", true), ElementsAre("cpu"));
  EXPECT_THAT(parse_devices("cuda", false), ElementsAre("cuda:0"));
  EXPECT_THAT(parse_devices("cuda:1,cuda:3", false), ElementsAre("cuda:1", "cuda:3"));
  for (const char* text : {"", "abacus", "cuda:", "cuda:x", "cuda:-1", "cuda:1,", "cuda:0,cuda:0", "cuda,cuda:0",
                           "cpu,cuda:0", "cuda:99999999999999999999"})
    EXPECT_THROW(parse_devices(text, true), Error) << text;
}

TEST(ParseTargets, NamesOfTheCompiler) {
  EXPECT_THAT(parse_targets("sm_90,gfx90a"), ElementsAre("sm_90", "gfx90a"));
  for (const char* text : {"", "90", "sm_", "sm_90,", "gfx;rm"}) EXPECT_THROW(parse_targets(text), Error) << text;
}

TEST(ParseStages, CallIsPartOfExe) {
  EXPECT_THAT(parse_stages("call"), ElementsAre("call"));
  EXPECT_THAT(parse_stages("call,exe"), ElementsAre("call", "exe"));
  for (const char* text : {"", "call,exe,perf", "run"}) EXPECT_THROW(parse_stages(text), Error) << text;
}

TEST(Seed, IsErasedFromTheCommandLine) {
  char kbx[] = "kbx", run[] = "run", apart[] = "--seed", value[] = "12345", joined[] = "--seed=678", path[] = "a.py";
  char* argv[] = {kbx, run, apart, value, joined, path};
  erase_seed(6, argv);
  EXPECT_STREQ(value, "xxxxx");
  EXPECT_STREQ(joined, "--seed=xxx");
  EXPECT_STREQ(path, "a.py");
}

TEST(Seed, IsDrawnAnewEachTime) {
  EXPECT_EQ(random_seed().size(), 32u);
  EXPECT_NE(random_seed(), random_seed());
}

}  // namespace
}  // namespace kbx
