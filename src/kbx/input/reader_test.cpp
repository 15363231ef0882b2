// SPDX-License-Identifier: Apache-2.0
#include "kbx/input/reader.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kbx/base/error.h"
#include "kbx/input/test_catalog.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class ReaderTest : public ::testing::Test {
 protected:
  ReaderTest() {
    std::string name = (fs::temp_directory_path() / "kbx-reader-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~ReaderTest() override { fs::remove_all(root_); }

  std::string write(const std::string& name, const std::string& text) {
    const fs::path path = root_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }

  // Ids, and problems without the folder.
  std::vector<std::string> read(const std::vector<std::string>& paths, const std::string& task = "") {
    Reader reader(kTestCatalog, paths, task);
    std::vector<std::string> items;
    while (auto item = reader.next()) {
      if (auto* problem = std::get_if<Problem>(&*item)) {
        items.push_back(problem->text().substr(root_.string().size() + 1));
      } else {
        const auto& submission = std::get<Submission>(*item);
        items.push_back(submission.id() + " " + submission.code);
      }
    }
    EXPECT_TRUE(reader.ended());
    return items;
  }

  fs::path root_;
};

TEST_F(ReaderTest, JsonlNamesTheMethodAndReportsProblemsByLine) {
  const auto path = write("gpt-4.1.jsonl",
                          "{\"file\":\"abs\",\"predict\":\"x = 1\"}\n\nrubbish\n"
                          "{\"file\":\"abs\",\"predict\":\"x = 1\"}\n"
                          "{\"file\":\"abs\",\"predict\":\"x = 2\"}");
  const auto items = read({path});
  ASSERT_EQ(items.size(), 4u);
  EXPECT_EQ(items[0], "abs/gpt-4.1/0/0 x = 1");
  EXPECT_THAT(items[1], ::testing::StartsWith("gpt-4.1.jsonl:3: not JSON"));
  EXPECT_EQ(items[2], "gpt-4.1.jsonl:4: the same code as " + path + ":1");
  EXPECT_EQ(items[3], "abs/gpt-4.1/0/1 x = 2");
}

TEST_F(ReaderTest, FolderIsReadToItsEndByName) {
  write("set/claude/Math/abs.py", "x = 1");
  write("set/gpt/Math/abs.py", "x = 2");
  write("set/gpt/gelu/10.py", "x = 3");
  write("set/gpt/gelu/2.py", "x = 4");
  write("set/gpt/zzz.py", "x = 5");
  write("set/gpt/notes.txt", "no");
  write("set/gpt/__pycache__/abs.py", "no");
  write("set/more.jsonl", R"({"file":"relu","predict":"x = 6"})");
  EXPECT_THAT(read({(root_ / "set").string()}),
              ElementsAre("abs/claude/0/0 x = 1", "abs/gpt/0/0 x = 2", "gelu/gpt/0/10 x = 3", "gelu/gpt/0/2 x = 4",
                          "set/gpt/zzz.py: no task: unknown task \"zzz\"", "relu/more/0/0 x = 6"));
}

TEST_F(ReaderTest, TaskOptionNamesTheTaskOfFilesAndOfLinesWithoutOne) {
  const auto code = write("dir/anything.py", "x = 1");
  const auto lines = write("m.jsonl", "{\"predict\":\"x = 2\"}\n{\"file\":\"abs\",\"predict\":\"x = 3\"}\n");
  EXPECT_THAT(read({code, lines}, "relu"), ElementsAre("relu/dir/0/0 x = 1", "relu/m/0/0 x = 2", "abs/m/0/0 x = 3"));
  EXPECT_THROW(Reader(kTestCatalog, {code}, "rely"), Error);
}

TEST_F(ReaderTest, WhatIsNotThereIsAnErrorOfUsage) {
  EXPECT_THROW(Reader(kTestCatalog, {(root_ / "none.jsonl").string()}, ""), Error);
}

TEST_F(ReaderTest, FilesThatCannotBeUsedAreProblems) {
  write("d/abs.py", "x = '\xff'");
  write("d/gelu.py", std::string(kMaxLineBytes + 1, '#'));
  EXPECT_THAT(read({(root_ / "d").string()}), ElementsAre("d/abs.py:1: not UTF-8", "d/gelu.py: longer than 4 MiB"));
}

}  // namespace
}  // namespace kbx
