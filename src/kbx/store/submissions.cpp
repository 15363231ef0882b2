// SPDX-License-Identifier: Apache-2.0
#include "kbx/store/submissions.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "kbx/base/error.h"
#include "kbx/record/json.h"
#include "kbx/base/sha256.h"
#include "kbx/store/files.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string line_of(const Submission& submission, const std::string& hash) {
  return dump({{"id", submission.id()},
               {"task", submission.task},
               {"category", submission.category},
               {"method", submission.method},
               {"round", submission.round},
               {"sample", submission.sample.value_or(0)},
               {"entry", submission.entry},
               {"code_sha256", hash},
               {"file", submission.file},
               {"line", submission.line},
               {"extra", submission.extra}}) +
         '\n';
}

StoredSubmission stored_in(const std::string& line) {
  try {
    const Json json = Json::parse(line);
    StoredSubmission stored;
    Submission& submission = stored.submission;
    submission.task = json.at("task");
    submission.category = json.at("category");
    submission.method = json.at("method");
    submission.round = json.at("round");
    submission.sample = json.at("sample").get<int64_t>();
    submission.entry = json.at("entry");
    submission.file = json.at("file");
    submission.line = json.at("line");
    submission.extra = json.at("extra");
    stored.sha256 = json.at("code_sha256");
    return stored;
  } catch (const Json::exception& wrong) {
    throw Error(ErrorKind::kInput, std::string("the run's submissions/index.jsonl is damaged: ") + wrong.what());
  }
}

}  // namespace

uint64_t drop_partial_line(const Fd& file, const fs::path& path) {
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  off_t end = size;
  std::array<char, 1u << 16> piece{};
  for (off_t at = size; at > 0;) {
    const off_t from = std::max<off_t>(0, at - static_cast<off_t>(piece.size()));
    const ssize_t count = ::pread(file.get(), piece.data(), static_cast<size_t>(at - from), from);
    if (count < 0) throw Error(ErrorKind::kEnvironment, path.string() + ": cannot read: " + std::strerror(errno));
    const std::string_view text(piece.data(), static_cast<size_t>(count));
    const size_t newline = text.rfind('\n');
    end = newline == std::string_view::npos ? from : from + static_cast<off_t>(newline) + 1;
    if (newline != std::string_view::npos) break;
    at = from;
  }
  if (end != size && ::ftruncate(file.get(), end) != 0)
    throw Error(ErrorKind::kEnvironment, path.string() + ": cannot shorten: " + std::strerror(errno));
  return static_cast<uint64_t>(end);
}

SubmissionStore SubmissionStore::open_for_adding(const fs::path& folder) {
  fs::create_directories(folder);
  const fs::path path = folder / "index.jsonl";
  SubmissionStore store(folder, open_file(path, O_RDWR | O_APPEND | O_CREAT));
  store.end_ = drop_partial_line(store.index_, path);
  return store;
}

SubmissionStore SubmissionStore::open_for_reading(const fs::path& folder) {
  return SubmissionStore(folder, open_file(folder / "index.jsonl", O_RDONLY));
}

uint64_t SubmissionStore::add(const Submission& submission) {
  const std::string hash = submission.code.empty() ? "" : to_hex(sha256(submission.code));
  const fs::path code = folder_ / (hash + ".py");
  if (!hash.empty() && !fs::exists(code)) replace_file(code, submission.code);
  const std::string line = line_of(submission, hash);
  write_all(index_, line, folder_ / "index.jsonl");
  const uint64_t offset = end_;
  end_ += line.size();
  return offset;
}

StoredSubmission SubmissionStore::at(uint64_t offset) const {
  std::string line;
  std::array<char, 4096> piece{};
  while (line.find('\n') == std::string::npos) {
    const auto from = static_cast<off_t>(offset + line.size());
    const ssize_t count = ::pread(index_.get(), piece.data(), piece.size(), from);
    if (count <= 0) break;
    line.append(piece.data(), static_cast<size_t>(count));
  }
  StoredSubmission stored = stored_in(line.substr(0, line.find('\n')));
  if (stored.sha256.empty()) return stored;
  const fs::path path = folder_ / (stored.sha256 + ".py");
  stored.submission.code = read_file(path);
  if (to_hex(sha256(stored.submission.code)) != stored.sha256)
    throw Error(ErrorKind::kEnvironment, path.string() + ": the code is no longer what was submitted");
  return stored;
}

void SubmissionStore::for_each(const std::function<bool(uint64_t, const StoredSubmission&)>& visit) const {
  std::ifstream file(folder_ / "index.jsonl", std::ios::binary);
  uint64_t offset = 0;
  for (std::string line; std::getline(file, line) && !file.eof(); offset += line.size() + 1) {
    if (!visit(offset, stored_in(line))) return;
  }
}

}  // namespace kbx
