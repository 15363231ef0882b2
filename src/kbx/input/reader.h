// SPDX-License-Identifier: Apache-2.0
// Reads what stands on the command line, in its order: JSONL (also gzip), a .py file, a folder of both (with all below
// it, by name), or "-" for standard input. One submission or problem at a time, so that 100,000 of them cost no memory;
// only standard input and pipes can keep it waiting.
//
// A .py file's task is --task, else its own name, else the nearest folder that is named like a task; there a file whose
// name is a number is that sample. Its method is the nearest folder that is neither a task nor a category. A JSONL file
// that does not name its method gives it its own name.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kbx/input/catalog.h"
#include "kbx/input/jsonl.h"
#include "kbx/input/lines.h"
#include "kbx/input/numbering.h"
#include "kbx/input/submission.h"

namespace kbx {

class Reader {
 public:
  using Item = std::variant<Submission, Problem>;

  // task: what --task says, "" when nothing. Throws Error(kUsage) for a path that is not there.
  Reader(const Catalog& catalog, const std::vector<std::string>& paths, std::string task);

  // What can be had without waiting. Nothing: the end, or more may come from waiting_on().
  std::optional<Item> next();
  bool ended() const { return files_.empty() && !lines_; }
  // The descriptor to wait for, -1 when there is none.
  int waiting_on() const { return lines_ ? lines_->fd() : -1; }

 private:
  std::optional<Item> from_lines();
  std::optional<Item> from_line(const Line& line);
  std::optional<Item> from_code(const std::string& path);
  std::optional<Item> open(const std::string& path);
  Item placed(std::variant<Submission, Refused> parsed, const std::string& file, int64_t line);
  const CatalogTask* task_of(const std::string& path) const;
  std::string method_of(const std::string& path) const;

  const Catalog& catalog_;
  std::string task_;
  std::deque<std::string> files_;  // not yet opened
  std::string file_;               // what lines_ reads
  std::string method_;
  std::optional<LineReader> lines_;
  Numbering numbering_;
};

}  // namespace kbx
