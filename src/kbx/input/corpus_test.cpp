// SPDX-License-Identifier: Apache-2.0
// The reader over real model outputs, where KBX_CORPUS names a folder of them: every line is read or refused for a
// stated reason. The figures are those of the corpus that the project was built against.
#include <fcntl.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "kbx/input/code.h"
#include "kbx/input/lines.h"
#include "kbx/input/reader.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;

// All tasks that the files name: the catalogue of a finished project.
Catalog catalog_of(const std::vector<std::string>& paths) {
  std::map<std::string, std::string> categories;
  for (const std::string& path : paths) {
    LineReader lines{Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC))};
    do {
      while (const auto line = lines.take()) {
        const fs::path file = nlohmann::json::parse(line->text).at("file").get<std::string>();
        categories[file.stem().string()] = file.parent_path().string();
      }
    } while (lines.fill());
  }
  nlohmann::json tasks = nlohmann::json::array();
  for (const auto& [name, category] : categories)
    tasks.push_back({{"name", name}, {"category", category}, {"entry", name}, {"signature", name + "()"}});
  return Catalog(tasks);
}

struct Counts {
  int read = 0, with_entry = 0, empty = 0, with_fence = 0;
  std::vector<std::string> problems;
};

Counts count(const std::string& path, const Catalog& catalog) {
  Counts counts;
  Reader reader(catalog, {path}, "");
  while (auto item = reader.next()) {
    if (auto* problem = std::get_if<Problem>(&*item)) {
      counts.problems.push_back(problem->text());
      continue;
    }
    const auto& submission = std::get<Submission>(*item);
    ++counts.read;
    counts.empty += submission.code.empty();
    counts.with_fence += submission.code.find("```") != std::string::npos;
    counts.with_entry += defines(submission.code, submission.entry) || defines(submission.code, submission.task) ||
                         defines(submission.code, "kernel_function");
  }
  return counts;
}

TEST(Corpus, EveryRealOutputIsReadOrRefusedForAReason) {
  const char* folder = std::getenv("KBX_CORPUS");
  if (folder == nullptr) GTEST_SKIP() << "KBX_CORPUS is not set";
  const std::string raw = std::string(folder) + "/tritonbench.jsonl.gz";
  const std::string clean = std::string(folder) + "/submissions.jsonl";
  const Catalog catalog = catalog_of({raw, clean});

  const Counts of_raw = count(raw, catalog);
  for (const auto& problem : of_raw.problems) EXPECT_THAT(problem, ::testing::HasSubstr("the same code as")) << problem;
  EXPECT_EQ(of_raw.read + static_cast<int>(of_raw.problems.size()), 1480);
  std::printf("raw outputs: %d read, %d define their entry, %d without code, %d with a fence left, %zu refused\n",
              of_raw.read, of_raw.with_entry, of_raw.empty, of_raw.with_fence, of_raw.problems.size());

  const Counts of_clean = count(clean, catalog);
  EXPECT_EQ(of_clean.read, 72);
  // Two lost their line breaks, and the function of two optimisers is not named like the task.
  EXPECT_EQ(of_clean.with_entry, 68);
}

}  // namespace
}  // namespace kbx
