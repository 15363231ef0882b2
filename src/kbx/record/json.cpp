// SPDX-License-Identifier: Apache-2.0
#include "kbx/record/json.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kbx/base/error.h"

namespace kbx {

using Json = nlohmann::json;

// The JSON library holds the decoder of UTF-8, so it is asked: writing strictly fails on what is not UTF-8.
bool is_utf8(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return true;
  try {
    (void)Json(text).dump();
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

std::string as_utf8(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  return Json::parse(dump(Json(text))).get<std::string>();
}

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

namespace {

Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double number(const Json& json) {
  if (!json.is_string()) return json.get<double>();
  const std::string& text = json.get_ref<const std::string&>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  throw Error(ErrorKind::kInput, "'" + text + "' is not a number");
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

template <class T>
void read(const Json& json, const char* key, T& to) {
  if (const auto at = json.find(key); at != json.end() && !at->is_null()) to = at->template get<T>();
}

void read(const Json& json, const char* key, double& to) {
  if (const auto at = json.find(key); at != json.end() && !at->is_null()) to = number(*at);
}

template <class T>
void read(const Json& json, const char* key, std::optional<T>& to) {
  if (const auto at = json.find(key); at != json.end() && !at->is_null()) to = at->template get<T>();
}

template <class T>
T named(std::optional<T> value, const std::string& name) {
  if (!value) throw Error(ErrorKind::kInput, "'" + name + "' is no verdict or stage that this version knows");
  return *value;
}

Verdict verdict_in(const Json& json) {
  const auto name = json.at("verdict").get<std::string>();
  return named(verdict_named(name), name);
}

Stage stage_in(const Json& json) {
  const auto name = json.at("stage").get<std::string>();
  return named(stage_named(name), name);
}

}  // namespace

void to_json(Json& json, const Worst& worst) {
  json = {{"output", as_utf8(worst.output)}, {"index", worst.index},         {"expected", as_utf8(worst.expected)},
          {"got", as_utf8(worst.got)},       {"error", number(worst.error)}, {"bound", number(worst.bound)}};
}

void from_json(const Json& json, Worst& worst) {
  read(json, "output", worst.output);
  read(json, "index", worst.index);
  read(json, "expected", worst.expected);
  read(json, "got", worst.got);
  read(json, "error", worst.error);
  read(json, "bound", worst.bound);
}

void to_json(Json& json, const CaseResult& result) {
  json = {
      {"label", as_utf8(result.label)},         {"verdict", name_of(result.verdict)}, {"stage", name_of(result.stage)},
      {"reason", as_utf8(result.reason)},       {"because", as_utf8(result.because)}, {"worst", or_null(result.worst)},
      {"published", or_null(result.published)}, {"seconds", number(result.seconds)},  {"launches", result.launches}};
}

void from_json(const Json& json, CaseResult& result) {
  read(json, "label", result.label);
  result.verdict = verdict_in(json);
  result.stage = stage_in(json);
  read(json, "reason", result.reason);
  read(json, "because", result.because);
  read(json, "worst", result.worst);
  read(json, "published", result.published);
  read(json, "seconds", result.seconds);
  read(json, "launches", result.launches);
}

void to_json(Json& json, const TargetResult& result) {
  json = {{"kernel", as_utf8(result.kernel)},
          {"target", as_utf8(result.target)},
          {"compiled", result.compiled},
          {"shared_bytes", or_null(result.shared_bytes)},
          {"registers", or_null(result.registers)},
          {"spills", or_null(result.spills)},
          {"error", as_utf8(result.error)}};
}

void from_json(const Json& json, TargetResult& result) {
  read(json, "kernel", result.kernel);
  read(json, "target", result.target);
  read(json, "compiled", result.compiled);
  read(json, "shared_bytes", result.shared_bytes);
  read(json, "registers", result.registers);
  read(json, "spills", result.spills);
  read(json, "error", result.error);
}

void to_json(Json& json, const KernelUse& kernel) {
  json = {{"name", as_utf8(kernel.name)},
          {"launches", kernel.launches},
          {"shared_bytes", or_null(kernel.shared_bytes)},
          {"registers", or_null(kernel.registers)},
          {"spills", or_null(kernel.spills)}};
}

void from_json(const Json& json, KernelUse& kernel) {
  read(json, "name", kernel.name);
  read(json, "launches", kernel.launches);
  read(json, "shared_bytes", kernel.shared_bytes);
  read(json, "registers", kernel.registers);
  read(json, "spills", kernel.spills);
}

void to_json(Json& json, const Finding& finding) {
  json = {{"rule", as_utf8(finding.rule)}, {"detail", as_utf8(finding.detail)}, {"line", finding.line}};
}

void from_json(const Json& json, Finding& finding) {
  read(json, "rule", finding.rule);
  read(json, "detail", finding.detail);
  read(json, "line", finding.line);
}

void to_json(Json& json, const Costs& costs) {
  json = {{"fork", number(costs.fork)},   {"load", number(costs.load)},           {"compile", number(costs.compile)},
          {"calls", number(costs.calls)}, {"reference", number(costs.reference)}, {"total", number(costs.total)}};
}

void from_json(const Json& json, Costs& costs) {
  read(json, "fork", costs.fork);
  read(json, "load", costs.load);
  read(json, "compile", costs.compile);
  read(json, "calls", costs.calls);
  read(json, "reference", costs.reference);
  read(json, "total", costs.total);
}

namespace {

// The keys that the struct itself accounts for; everything else is extra.
Json own_keys(const Record& record) {
  const Outcome outcome = outcome_of(record.verdict, record.stage);
  Json not_enforced = Json::array();
  for (const std::string& part : record.not_enforced) not_enforced.push_back(as_utf8(part));
  return {{"version", kRecordVersion},
          {"id", as_utf8(record.id)},
          {"task", as_utf8(record.task)},
          {"category", as_utf8(record.category)},
          {"method", as_utf8(record.method)},
          {"round", record.round},
          {"sample", record.sample},
          {"code_sha256", record.code_sha256},
          {"source", as_utf8(record.source)},
          {"verdict", name_of(record.verdict)},
          {"stage", name_of(record.stage)},
          {"call", or_null(outcome.call)},
          {"exe", or_null(outcome.exe)},
          {"perf", or_null(outcome.perf)},
          {"reason", as_utf8(record.reason)},
          {"error_type", as_utf8(record.error_type)},
          {"traceback", as_utf8(record.traceback)},
          {"stdout", as_utf8(record.stdout_text)},
          {"stderr", as_utf8(record.stderr_text)},
          {"cases", record.cases},
          {"kernels", record.kernels},
          {"targets", record.targets},
          {"findings", record.findings},
          {"not_enforced", std::move(not_enforced)},
          {"seconds", record.seconds},
          {"device", as_utf8(record.device)},
          {"attempts", record.attempts}};
}

void read_fields(const Json& json, Record& record) {
  read(json, "id", record.id);
  record.task = json.at("task").get<std::string>();
  read(json, "category", record.category);
  read(json, "method", record.method);
  read(json, "round", record.round);
  read(json, "sample", record.sample);
  read(json, "code_sha256", record.code_sha256);
  read(json, "source", record.source);
  record.verdict = verdict_in(json);
  record.stage = stage_in(json);
  read(json, "reason", record.reason);
  read(json, "error_type", record.error_type);
  read(json, "traceback", record.traceback);
  read(json, "stdout", record.stdout_text);
  read(json, "stderr", record.stderr_text);
  read(json, "cases", record.cases);
  read(json, "kernels", record.kernels);
  read(json, "targets", record.targets);
  read(json, "findings", record.findings);
  read(json, "not_enforced", record.not_enforced);
  read(json, "seconds", record.seconds);
  read(json, "device", record.device);
  read(json, "attempts", record.attempts);
}

}  // namespace

void to_json(Json& json, const Record& record) {
  json = record.extra.is_object() ? record.extra : Json::object();
  json.update(own_keys(record));
}

void from_json(const Json& json, Record& record) {
  if (!json.is_object()) throw Error(ErrorKind::kInput, "a record is a JSON object");
  if (const Json version = json.value("version", Json()); version != kRecordVersion) {
    throw Error(ErrorKind::kInput, "a record of version " + dump(version) + "; this program reads version " +
                                       std::to_string(kRecordVersion));
  }
  record = {};
  try {
    read_fields(json, record);
  } catch (const Json::exception& wrong) {
    throw Error(ErrorKind::kInput, std::string("not a record: ") + wrong.what());
  }
  static const Json known = own_keys({});
  for (const auto& [key, value] : json.items()) {
    if (!known.contains(key)) record.extra[key] = value;
  }
}

std::string to_line(const Record& record) {
  return dump(Json(record));
}

Record record_from_line(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded()) throw Error(ErrorKind::kInput, "a line that is not JSON");
  return json.get<Record>();
}

}  // namespace kbx
