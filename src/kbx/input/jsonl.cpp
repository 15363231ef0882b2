// SPDX-License-Identifier: Apache-2.0
#include "kbx/input/jsonl.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>

#include "kbx/input/code.h"
#include "kbx/record/json.h"

namespace kbx {

using Json = nlohmann::json;

std::string printable(std::string_view text) {
  constexpr size_t kShown = 80;
  return dump(Json(as_utf8(text.substr(0, kShown)) + (text.size() > kShown ? "..." : "")));
}

std::string unknown_task(std::string_view name, const Catalog& catalog) {
  const auto near = catalog.near(name);
  return "unknown task " + printable(name) +
         (near.empty() ? std::string() : fmt::format("; did you mean {}?", fmt::join(near, " or ")));
}

namespace {

bool in_ascii_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Thrown and caught in this file only.
struct Refusal {
  std::string reason;
};

// Refuses what the JSON library would take: nesting that overflows the stack when it is written again, and a key that
// stands twice, where one of two values would be dropped without a word.
Json parse_strictly(std::string_view line) {
  constexpr int kDeepest = 64;
  std::set<std::string> keys;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kDeepest) throw Refusal{"JSON nested too deeply"};
    if (event == Json::parse_event_t::key && depth == 1 && !keys.insert(parsed.get<std::string>()).second)
      throw Refusal{"the key " + printable(parsed.get_ref<const std::string&>()) + " stands twice"};
    return true;
  };
  if (!is_utf8(line)) throw Refusal{"not UTF-8"};
  try {
    return Json::parse(line, watch);
  } catch (const Json::exception& wrong) {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: ...": the text is one line.
    std::string_view why = wrong.what();
    for (std::string_view before : {"] ", "line 1, "})
      if (const size_t at = why.find(before); at < 60) why.remove_prefix(at + before.size());
    constexpr size_t kShown = 160;
    throw Refusal{"not JSON: " + as_utf8(why.substr(0, kShown))};
  }
}

// Takes the key out of the line, so that what is left in the end is what was not known.
std::optional<Json> take(Json& line, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const auto at = line.find(key);
    if (at == line.end()) continue;
    Json value = std::move(*at);
    line.erase(at);
    if (!value.is_null()) return value;
  }
  return std::nullopt;
}

std::optional<std::string> take_text(Json& line, std::initializer_list<const char*> keys) {
  const auto value = take(line, keys);
  if (!value) return std::nullopt;
  if (!value->is_string()) throw Refusal{fmt::format("`{}` is not text", *keys.begin())};
  return value->get<std::string>();
}

// A whole number, or text that is one.
std::optional<int64_t> take_number(Json& line, std::initializer_list<const char*> keys) {
  const auto value = take(line, keys);
  if (!value) return std::nullopt;
  int64_t number = -1;
  if (value->is_number_unsigned()) {
    if (value->get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()}) number = value->get<int64_t>();
  } else if (value->is_string()) {
    const std::string& text = value->get_ref<const std::string&>();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) number = -1;
  }
  if (number < 0) throw Refusal{fmt::format("`{}` is not a whole number", *keys.begin())};
  return number;
}

// "Math/abs.py" and "abs" name the same task.
std::string_view base_name(std::string_view file) {
  if (const size_t slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  if (file.ends_with(".py")) file.remove_suffix(3);
  return file;
}

bool stands_in(std::string_view text, std::string_view name, std::string_view behind) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const bool starts = at == 0 || (!in_ascii_name(text[at - 1]) && text[at - 1] != '.');
    if (starts && text.substr(at + name.size()).starts_with(behind)) return true;
  }
  return false;
}

// A prompt names its task by the description or the signature; else by the only function of ours that it mentions.
const CatalogTask& task_of_instruction(std::string_view text, const Catalog& catalog) {
  if (const CatalogTask* task = catalog.find(text)) return *task;
  const auto only_one = [&](auto matches) -> const CatalogTask* {
    const CatalogTask* found = nullptr;
    for (const CatalogTask& task : catalog.tasks()) {
      if (!matches(task)) continue;
      if (found) throw Refusal{fmt::format("the instruction names two tasks, {} and {}", found->name, task.name)};
      found = &task;
    }
    return found;
  };
  const auto quotes = [&](const CatalogTask& task) {
    return (!task.description.empty() && text.find(task.description) != std::string_view::npos) ||
           (!task.signature.empty() && stands_in(text, task.signature, ""));
  };
  const auto mentions = [&](const CatalogTask& task) {
    return stands_in(text, task.entry, "(") || stands_in(text, task.name, "(");
  };
  if (const CatalogTask* task = only_one(quotes)) return *task;
  if (const CatalogTask* task = only_one(mentions)) return *task;
  throw Refusal{"no task: the instruction names none that is known"};
}

const CatalogTask& known_task(std::string_view name, const Catalog& catalog) {
  if (const CatalogTask* task = catalog.find(name)) return *task;
  throw Refusal{unknown_task(name, catalog)};
}

const CatalogTask& take_task(Json& line, const Catalog& catalog, const Defaults& defaults) {
  const auto file = take_text(line, {"file"});
  const auto task = take_text(line, {"task"});
  const auto instruction = take_text(line, {"instruction"});
  if (file && task && base_name(*file) != base_name(*task))
    throw Refusal{"two tasks: `file` is " + printable(*file) + ", `task` is " + printable(*task)};
  if (file) return known_task(base_name(*file), catalog);
  if (task) return known_task(base_name(*task), catalog);
  if (!defaults.task.empty()) return known_task(defaults.task, catalog);
  if (instruction) return task_of_instruction(*instruction, catalog);
  throw Refusal{"no task: neither `file` nor `task` nor `instruction`"};
}

void check_method(std::string_view method) {
  constexpr size_t kLongest = 200;
  if (method.size() > kLongest) throw Refusal{"`method` is longer than 200 bytes"};
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(method.begin(), method.end(), is_control)) throw Refusal{"`method` holds control characters"};
}

void check_entry(std::string_view entry) {
  constexpr size_t kLongest = 200;
  const bool digit_first = !entry.empty() && entry.front() >= '0' && entry.front() <= '9';
  if (entry.size() > kLongest || digit_first || !std::all_of(entry.begin(), entry.end(), in_ascii_name))
    throw Refusal{"`entry` is not the name of a function: " + printable(entry)};
}

std::vector<std::string> entries_of(const CatalogTask& task, const std::string& entry) {
  std::vector<std::string> names = {task.entry, task.name, "kernel_function"};
  if (!entry.empty()) names.push_back(entry);
  return names;
}

Submission read_line(Json line, const Catalog& catalog, const Defaults& defaults) {
  if (!line.is_object()) throw Refusal{"not a JSON object"};
  Submission submission;
  const CatalogTask& task = take_task(line, catalog, defaults);
  submission.task = task.name;
  submission.category = task.category;
  submission.method = take_text(line, {"method", "model"}).value_or(defaults.method);
  submission.round = take_number(line, {"round", "iter"}).value_or(0);
  submission.sample = take_number(line, {"sample", "sample_id"});
  submission.entry = take_text(line, {"entry"}).value_or("");
  check_method(submission.method);
  check_entry(submission.entry);
  const std::string text = take_text(line, {"predict", "code"}).value_or("");
  submission.code = extract_code(text, entries_of(task, submission.entry));
  submission.extra = std::move(line);
  return submission;
}

}  // namespace

std::variant<Submission, Refused> parse_line(std::string_view line, const Catalog& catalog, const Defaults& defaults) {
  try {
    return read_line(parse_strictly(line), catalog, defaults);
  } catch (const Refusal& refusal) {
    return Refused{refusal.reason};
  }
}

std::variant<Submission, Refused> parse_code(std::string_view text, const CatalogTask& task, const Defaults& defaults) {
  if (!is_utf8(text)) return Refused{"not UTF-8"};
  Submission submission;
  submission.task = task.name;
  submission.category = task.category;
  submission.method = defaults.method;
  submission.code = extract_code(text, entries_of(task, ""));
  return submission;
}

}  // namespace kbx
