// SPDX-License-Identifier: Apache-2.0
#include "kbx/input/reader.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "kbx/base/error.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;

bool is_jsonl(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name.ends_with(".jsonl") || name.ends_with(".ndjson") || name.ends_with(".json");
}

// Hidden folders and Python's caches hold no submissions.
std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (at->is_directory(error) && (name.starts_with('.') || name == "__pycache__")) at.disable_recursion_pending();
    if (at->is_regular_file(error) && !name.starts_with('.') && (name.ends_with(".py") || is_jsonl(name)))
      files.push_back(at->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string stem_of(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return fs::path(name).stem().string();
}

std::optional<int64_t> number_in(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

Reader::Reader(const Catalog& catalog, const std::vector<std::string>& paths, std::string task)
    : catalog_(catalog), task_(std::move(task)) {
  if (!task_.empty() && !catalog.find(task_)) throw Error(ErrorKind::kUsage, unknown_task(task_, catalog));
  for (const std::string& path : paths) {
    if (path != "-" && !fs::exists(path)) throw Error(ErrorKind::kUsage, path + ": there is no such file or folder");
    if (path == "-" || !fs::is_directory(path)) {
      files_.push_back(path);
    } else {
      const auto below = files_below(path);
      files_.insert(files_.end(), below.begin(), below.end());
    }
  }
}

std::optional<Reader::Item> Reader::next() {
  while (!ended()) {
    if (!lines_) {
      const std::string path = std::move(files_.front());
      files_.pop_front();
      if (auto item = path.ends_with(".py") ? from_code(path) : open(path)) return item;
    } else if (auto item = from_lines()) {
      return item;
    } else if (lines_) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<Reader::Item> Reader::open(const std::string& path) {
  Fd fd(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return Problem{path, 0, std::strerror(errno)};
  file_ = path;
  method_ = path == "-" ? "stdin" : stem_of(path);
  lines_.emplace(std::move(fd));
  return std::nullopt;
}

// Nothing: the file has ended and lines_ is empty, or it would have to be waited for.
std::optional<Reader::Item> Reader::from_lines() {
  while (true) {
    while (const auto line = lines_->take()) {
      if (auto item = from_line(*line)) return item;
    }
    if (lines_->ended()) break;
    if (!lines_->ready()) return std::nullopt;
    lines_->fill();
  }
  const std::string error = lines_->error();
  const int64_t last = lines_->last_number();
  lines_.reset();
  if (error.empty()) return std::nullopt;
  return Problem{file_, last, error + "; what follows could not be read"};
}

std::optional<Reader::Item> Reader::from_line(const Line& line) {
  if (line.too_long) return Problem{file_, line.number, fmt::format("longer than {} MiB", kMaxLineBytes >> 20)};
  if (line.text.find_first_not_of(" \t\r") == std::string::npos) return std::nullopt;
  return placed(parse_line(line.text, catalog_, {method_, task_}), file_, line.number);
}

std::optional<Reader::Item> Reader::from_code(const std::string& path) {
  const CatalogTask* task = task_of(path);
  if (!task) return Problem{path, 0, "no task: " + unknown_task(stem_of(path), catalog_)};
  std::error_code error;
  if (const auto size = fs::file_size(path, error); !error && size > kMaxLineBytes)
    return Problem{path, 0, fmt::format("longer than {} MiB", kMaxLineBytes >> 20)};
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return Problem{path, 0, std::strerror(errno)};
  auto parsed = parse_code(text, *task, {method_of(path), ""});
  if (auto* submission = std::get_if<Submission>(&parsed); submission && stem_of(path) != task->name)
    submission->sample = number_in(stem_of(path));
  return placed(std::move(parsed), path, 1);
}

Reader::Item Reader::placed(std::variant<Submission, Refused> parsed, const std::string& file, int64_t line) {
  if (const auto* refused = std::get_if<Refused>(&parsed)) return Problem{file, line, refused->reason};
  Submission submission = std::get<Submission>(std::move(parsed));
  submission.file = file;
  submission.line = line;
  if (const auto reason = numbering_.place(submission)) return Problem{file, line, *reason};
  return submission;
}

const CatalogTask* Reader::task_of(const std::string& path) const {
  if (!task_.empty()) return catalog_.find(task_);
  if (const CatalogTask* task = catalog_.find(stem_of(path))) return task;
  for (fs::path folder = fs::path(path).parent_path(); folder.has_filename(); folder = folder.parent_path()) {
    if (const CatalogTask* task = catalog_.find(folder.filename().string())) return task;
  }
  return nullptr;
}

std::string Reader::method_of(const std::string& path) const {
  const fs::path whole = fs::absolute(path).lexically_normal();
  for (fs::path folder = whole.parent_path(); folder.has_filename(); folder = folder.parent_path()) {
    const std::string name = folder.filename().string();
    if (!catalog_.find(name) && !catalog_.has_category(name)) return name;
  }
  return "code";
}

}  // namespace kbx
