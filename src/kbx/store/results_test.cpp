// SPDX-License-Identifier: Apache-2.0
#include "kbx/store/results.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>

#include "kbx/base/error.h"
#include "kbx/store/files.h"
#include "tests/support/temporary_folder.h"

namespace kbx {
namespace {

using ::testing::ElementsAre;

Record record_of(const std::string& id) {
  Record record;
  record.id = id;
  record.task = "abs";
  record.verdict = Verdict::kPassed;
  return record;
}

std::vector<std::string> ids_in(const std::filesystem::path& path) {
  std::vector<std::string> ids;
  for_each_record(path, [&](const Record& record) { ids.push_back(record.id); });
  return ids;
}

TEST(Results, AppendsAndReads) {
  const TemporaryFolder folder;
  {
    ResultsWriter writer(folder / "results.jsonl");
    writer.append(record_of("a"));
    writer.append(record_of("b"));
  }
  ResultsWriter(folder / "results.jsonl").append(record_of("c"));
  EXPECT_THAT(ids_in(folder / "results.jsonl"), ElementsAre("a", "b", "c"));
}

// A crash may leave any part of a line: a reader ignores it, the next writer cuts it off.
TEST(Results, PartialLastLineIsNoRecord) {
  const TemporaryFolder folder;
  const auto path = folder / "results.jsonl";
  ResultsWriter(path).append(record_of("a"));
  const std::string whole = read_file(path);
  ResultsWriter(path).append(record_of("b"));
  const std::string both = read_file(path);
  for (size_t length = whole.size(); length < both.size(); ++length) {
    replace_file(path, both.substr(0, length));
    EXPECT_THAT(ids_in(path), ElementsAre("a")) << length;
    ResultsWriter writer(path);
    EXPECT_EQ(read_file(path), whole) << length;
  }
  replace_file(path, whole.substr(0, 10));
  ResultsWriter(path).append(record_of("c"));
  EXPECT_THAT(ids_in(path), ElementsAre("c"));
}

TEST(Results, LinesThatAreNoRecordAreCounted) {
  const TemporaryFolder folder;
  const auto path = folder / "results.jsonl";
  ResultsWriter(path).append(record_of("a"));
  replace_file(path, read_file(path) + "{}\nrubbish\n" + read_file(path));
  std::vector<std::string> ids;
  EXPECT_EQ(for_each_record(path, [&](const Record& record) { ids.push_back(record.id); }), 2);
  EXPECT_THAT(ids, ElementsAre("a", "a"));
}

// A full disk, acted by a limit on the size of files.
TEST(Results, FullDiskLeavesTheRecordsBefore) {
  const TemporaryFolder folder;
  const auto path = folder / "results.jsonl";
  ResultsWriter writer(path);
  writer.append(record_of("a"));
  const std::string before = read_file(path);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit tight = {before.size() + 20, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  EXPECT_THROW(writer.append(record_of("b")), Error);
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(read_file(path), before);
  writer.append(record_of("c"));
  EXPECT_THAT(ids_in(path), ElementsAre("a", "c"));
}

}  // namespace
}  // namespace kbx
