// SPDX-License-Identifier: Apache-2.0
#include "kbx/store/run_folder.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "kbx/base/error.h"
#include "kbx/base/sha256.h"
#include "kbx/store/files.h"
#include "tests/support/temporary_folder.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;

ErrorKind kind_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.kind();
  }
  throw std::runtime_error("no Error");
}

TEST(RunFolder, NeverOverwritesARun) {
  const TemporaryFolder folder;
  { const RunFolder run = RunFolder::create(folder / "a/run", {"s", false}); }
  EXPECT_EQ(kind_of([&] { RunFolder::create(folder / "a/run", {"t", false}); }), ErrorKind::kUsage);
  EXPECT_EQ(RunFolder::resume(folder / "a/run").seed().text, "s");
  fs::create_directories(folder / "other");
  replace_file(folder / "other/file", "x");
  EXPECT_EQ(kind_of([&] { RunFolder::create(folder / "other", {"t", false}); }), ErrorKind::kUsage);
  EXPECT_EQ(read_file(folder / "other/file"), "x");
  EXPECT_EQ(kind_of([&] { RunFolder::resume(folder / "other"); }), ErrorKind::kUsage);
}

TEST(RunFolder, OneWriterAtATime) {
  const TemporaryFolder folder;
  {
    const RunFolder run = RunFolder::create(folder / "run", {"s", false});
    EXPECT_EQ(kind_of([&] { RunFolder::resume(folder / "run"); }), ErrorKind::kUsage);
    EXPECT_NO_THROW(RunFolder::open(folder / "run"));
  }
  EXPECT_NO_THROW(RunFolder::resume(folder / "run"));
}

TEST(RunFolder, TheSeedIsHiddenUntilTheRunIsOver) {
  const TemporaryFolder folder;
  RunFolder run = RunFolder::create(folder / "run", {"secret", true});
  EXPECT_EQ(run.manifest()["seed_sha256"], to_hex(sha256("secret")));
  EXPECT_EQ(run.manifest()["seed_known"], true);
  EXPECT_EQ(read_file(folder / "run/run.json").find("secret"), std::string::npos);
  struct stat status {};
  ASSERT_EQ(::stat((folder / "run/.seed").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);

  run.publish_seed();
  EXPECT_FALSE(fs::exists(folder / "run/.seed"));
  const RunFolder again = RunFolder::open(folder / "run");
  EXPECT_EQ(again.manifest()["seed"], "secret");
  EXPECT_EQ(again.seed().text, "secret");
  EXPECT_TRUE(again.seed().known);
}

TEST(RunFolder, RefusesAnotherSeed) {
  const TemporaryFolder folder;
  const RunFolder run = RunFolder::create(folder / "run", {"secret", false});
  replace_file(folder / "run/.seed", "other", 0600);
  EXPECT_EQ(kind_of([&] { (void)run.seed(); }), ErrorKind::kInput);
}

TEST(RunFolder, ManifestIsKept) {
  const TemporaryFolder folder;
  {
    RunFolder run = RunFolder::create(folder / "run", {"s", false});
    run.manifest()["config"] = {{"device", "cpu"}};
    run.save();
  }
  EXPECT_EQ(RunFolder::open(folder / "run").manifest()["config"]["device"], "cpu");
  replace_file(folder / "run/run.json", "{\"version\":2}");
  EXPECT_EQ(kind_of([&] { RunFolder::open(folder / "run"); }), ErrorKind::kInput);
}

}  // namespace
}  // namespace kbx
