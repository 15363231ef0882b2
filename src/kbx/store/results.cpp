// SPDX-License-Identifier: Apache-2.0
#include "kbx/store/results.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "kbx/base/error.h"
#include "kbx/record/json.h"
#include "kbx/store/files.h"
#include "kbx/store/submissions.h"

namespace kbx {

ResultsWriter::ResultsWriter(const std::filesystem::path& path)
    : path_(path), file_(open_file(path, O_RDWR | O_APPEND | O_CREAT)) {
  end_ = drop_partial_line(file_, path_);
}

void ResultsWriter::append(const Record& record) {
  const std::string line = to_line(record) + '\n';
  try {
    write_all(file_, line, path_);
  } catch (const Error&) {
    (void)!::ftruncate(file_.get(), static_cast<off_t>(end_));  // best effort; a reader drops the rest anyhow
    throw;
  }
  while (::fdatasync(file_.get()) != 0) {
    if (errno == EINTR) continue;
    throw Error(ErrorKind::kEnvironment, path_.string() + ": cannot flush: " + std::strerror(errno));
  }
  end_ += line.size();
}

int64_t for_each_record(const std::filesystem::path& path, const std::function<void(const Record&)>& visit) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorKind::kInput, path.string() + ": cannot read: " + std::strerror(errno));
  int64_t unreadable = 0;
  for (std::string line; std::getline(file, line) && !file.eof();) {
    Record record;
    try {
      record = record_from_line(line);
    } catch (const Error&) {
      ++unreadable;
      continue;
    }
    visit(record);
  }
  return unreadable;
}

}  // namespace kbx
