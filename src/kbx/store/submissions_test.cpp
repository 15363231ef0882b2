// SPDX-License-Identifier: Apache-2.0
#include "kbx/store/submissions.h"

#include <gmock/gmock.h>

#include "kbx/base/error.h"
#include "kbx/store/files.h"
#include "tests/support/temporary_folder.h"

namespace kbx {
namespace {

Submission submission_of(const std::string& task, const std::string& code, int64_t sample = 0) {
  Submission submission;
  submission.task = task;
  submission.category = "Math";
  submission.method = "m/\"x\"";
  submission.round = 1;
  submission.sample = sample;
  submission.entry = "f";
  submission.code = code;
  submission.file = "in.jsonl";
  submission.line = 7;
  submission.extra = {{"recorded", {{"ok", true}}}};
  return submission;
}

TEST(SubmissionStore, GivesBackWhatWasAdded) {
  const TemporaryFolder folder;
  SubmissionStore store = SubmissionStore::open_for_adding(folder / "s");
  const uint64_t first = store.add(submission_of("abs", "x = 1\n\xc3\xa9"));
  const uint64_t second = store.add(submission_of("gelu", ""));
  const StoredSubmission got = store.at(first);
  EXPECT_EQ(got.submission.id(), "abs/m/\"x\"/1/0");
  EXPECT_EQ(got.submission.code, "x = 1\n\xc3\xa9");
  EXPECT_EQ(got.submission.category, "Math");
  EXPECT_EQ(got.submission.entry, "f");
  EXPECT_EQ(got.submission.file, "in.jsonl");
  EXPECT_EQ(got.submission.line, 7);
  EXPECT_EQ(got.submission.extra, nlohmann::json({{"recorded", {{"ok", true}}}}));
  EXPECT_EQ(read_file(folder / ("s/" + got.sha256 + ".py")), got.submission.code);
  EXPECT_EQ(store.at(second).submission.task, "gelu");
  EXPECT_EQ(store.at(second).sha256, "");
}

TEST(SubmissionStore, LongLinesAndManyOfThem) {
  const TemporaryFolder folder;
  SubmissionStore store = SubmissionStore::open_for_adding(folder / "s");
  std::vector<uint64_t> offsets;
  for (int i = 0; i < 50; ++i) {
    Submission submission = submission_of("abs", "same", i);
    submission.extra["long"] = std::string(static_cast<size_t>(i) * 500, 'x');
    offsets.push_back(store.add(submission));
  }
  for (int i = 0; i < 50; ++i) EXPECT_EQ(store.at(offsets[static_cast<size_t>(i)]).submission.sample, i);
  std::vector<uint64_t> seen;
  SubmissionStore::open_for_reading(folder / "s").for_each([&](uint64_t offset, const StoredSubmission&) {
    seen.push_back(offset);
    return true;
  });
  EXPECT_EQ(seen, offsets);
}

TEST(SubmissionStore, GoesOnBehindAPartialLine) {
  const TemporaryFolder folder;
  SubmissionStore::open_for_adding(folder / "s").add(submission_of("abs", "x"));
  const std::string whole = read_file(folder / "s/index.jsonl");
  replace_file(folder / "s/index.jsonl", whole + whole.substr(0, 30));
  SubmissionStore store = SubmissionStore::open_for_adding(folder / "s");
  EXPECT_EQ(store.add(submission_of("gelu", "y")), whole.size());
  EXPECT_EQ(store.at(whole.size()).submission.task, "gelu");
}

TEST(SubmissionStore, RefusesCodeThatWasChanged) {
  const TemporaryFolder folder;
  SubmissionStore store = SubmissionStore::open_for_adding(folder / "s");
  const uint64_t offset = store.add(submission_of("abs", "x = 1"));
  replace_file(folder / ("s/" + store.at(offset).sha256 + ".py"), "x = 2");
  EXPECT_THROW((void)store.at(offset), Error);
}

}  // namespace
}  // namespace kbx
