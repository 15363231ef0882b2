// SPDX-License-Identifier: Apache-2.0
// results.jsonl: one record a line, appended with one write and flushed to the disk before the next submission counts
// as done. A reader may find a last line without its end, left by a crash; it is no record.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "kbx/base/fd.h"
#include "kbx/record/record.h"

namespace kbx {

class ResultsWriter {
 public:
  // Drops a partial last line.
  explicit ResultsWriter(const std::filesystem::path& path);
  // Throws Error(kEnvironment), for a full disk for one; the file then ends with the record before.
  void append(const Record& record);

 private:
  std::filesystem::path path_;
  Fd file_;
  uint64_t end_ = 0;
};

// Calls visit for every record, in the order of the file. Answers with the number of lines that are no record.
int64_t for_each_record(const std::filesystem::path& path, const std::function<void(const Record&)>& visit);

}  // namespace kbx
