// SPDX-License-Identifier: Apache-2.0
#include "kbx/record/json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "kbx/base/error.h"

namespace kbx {
namespace {

using Json = nlohmann::json;

Record full_record() {
  Record record;
  record.id = "abs/m/1/2";
  record.task = "abs";
  record.category = "Math";
  record.method = "m";
  record.round = 1;
  record.sample = 2;
  record.code_sha256 = std::string(64, 'a');
  record.source = "in.jsonl:3";
  record.verdict = Verdict::kWrongValue;
  record.stage = Stage::kExe;
  record.reason = "result[0] is 2, expected 1";
  record.error_type = "ValueError";
  record.traceback = "line 1";
  record.stdout_text = "out";
  record.stderr_text = "err";
  record.cases = {{.label = "ragged",
                   .verdict = Verdict::kWrongValue,
                   .stage = Stage::kExe,
                   .reason = "too far",
                   .because = "one rounding",
                   .worst = Worst{"result", {0, 7}, "1", "2", 1.0, 1e-5},
                   .published = false,
                   .seconds = 0.5,
                   .launches = 2}};
  record.kernels = {{"kernel", 2, 1024, 32, 0}};
  record.targets = {{"kernel", "gfx942", false, {}, {}, {}, "no"}};
  record.findings = {{"out_of_bounds_read", "x[9]", 12}};
  record.not_enforced = {"cgroup"};
  record.seconds = {0.006, 0.1, 0.2, 0.3, 0.01, 0.6};
  record.device = "cpu (emulating sm_90)";
  record.attempts = 2;
  record.extra = {{"submitted", {{"recorded", {{"call_ok", true}}}}},
                  {"own_kernel_share", 0.5},
                  {"previous_sha256", std::string(64, 'b')},
                  {"from_a_later_version", {1, 2}}};
  return record;
}

TEST(RecordJson, RoundTripKeepsEverything) {
  const Json json = full_record();
  EXPECT_EQ(Json(json.get<Record>()), json);
  EXPECT_EQ(Json(record_from_line(to_line(full_record()))), json);
  EXPECT_EQ(json.get<Record>().extra, full_record().extra);
}

TEST(RecordJson, KeysAreFlatAndOutcomeIsDerived) {
  const Json json = full_record();
  EXPECT_EQ(json["call"], true);
  EXPECT_EQ(json["exe"], false);
  EXPECT_EQ(json["perf"], false);
  EXPECT_EQ(json["cases"][0]["worst"]["index"], Json({0, 7}));
  EXPECT_EQ(json["submitted"]["recorded"]["call_ok"], true);
  Record passed;
  passed.verdict = Verdict::kPassed;
  passed.stage = Stage::kExe;
  EXPECT_TRUE(Json(passed)["perf"].is_null());
}

TEST(RecordJson, ExtraNeverReplacesAnOwnKey) {
  Record record = full_record();
  record.extra["verdict"] = "passed";
  EXPECT_EQ(Json(record)["verdict"], "wrong_value");
}

TEST(RecordJson, TextThatIsNotUtf8IsReplaced) {
  Record record = full_record();
  record.stdout_text = std::string("a\xff\x00z", 4);
  record.reason = "\xed\xa0\x80";  // a lone surrogate
  record.extra["submitted"] = {{"note", "\xfe"}};
  const std::string line = to_line(record);
  const Record back = record_from_line(line);
  EXPECT_EQ(back.stdout_text, std::string("a\xef\xbf\xbd\x00z", 6));
  EXPECT_TRUE(is_utf8(back.reason));
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(RecordJson, NumbersThatAreNotFiniteAreStrings) {
  Record record = full_record();
  record.cases[0].worst->error = std::numeric_limits<double>::quiet_NaN();
  record.cases[0].worst->bound = -std::numeric_limits<double>::infinity();
  const Json json = record;
  EXPECT_EQ(json["cases"][0]["worst"]["error"], "nan");
  EXPECT_EQ(json["cases"][0]["worst"]["bound"], "-inf");
  const Record back = record_from_line(to_line(record));
  EXPECT_TRUE(std::isnan(back.cases[0].worst->error));
  EXPECT_EQ(back.cases[0].worst->bound, -std::numeric_limits<double>::infinity());
}

TEST(RecordJson, WhatIsNoRecordIsAnInputError) {
  for (const char* text : {"{", "[]", "3", "{}", R"({"version":2,"task":"abs"})", R"({"version":"1"})",
                           R"({"version":1,"task":"abs","verdict":"odd","stage":"exe"})",
                           R"({"version":1,"task":3,"verdict":"passed","stage":"exe"})",
                           R"({"version":1,"task":"abs","verdict":"passed","stage":"exe","cases":{"a":1}})"}) {
    EXPECT_THROW((void)record_from_line(text), Error) << text;
  }
}

// A reader of JSON Schema that knows the keywords which our schema uses, and fails on any other.
class Schema {
 public:
  explicit Schema(Json root) : root_(std::move(root)) {}

  std::string fault(const Json& value) const { return fault(value, root_, "record"); }

  // Keys of an object of ours that the schema does not name: allowed for readers, but a slip in a writer.
  std::string unnamed(const Json& value) const { return unnamed(value, root_, "record"); }

 private:
  const Json& resolve(const Json& schema) const {
    if (!schema.contains("$ref")) return schema;
    return resolve(root_.at(Json::json_pointer(schema["$ref"].get<std::string>().substr(1))));
  }

  static bool has_type(const Json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "null") return value.is_null();
    throw std::runtime_error("type " + type);
  }

  std::string fault(const Json& value, const Json& unresolved, const std::string& at) const {
    const Json& schema = resolve(unresolved);
    for (const auto& [keyword, rule] : schema.items()) {
      if (keyword == "type") {
        const Json types = rule.is_array() ? rule : Json::array({rule});
        if (std::none_of(types.begin(), types.end(), [&](const Json& type) { return has_type(value, type); }))
          return at + " is not " + rule.dump();
      } else if (keyword == "enum") {
        if (std::find(rule.begin(), rule.end(), value) == rule.end()) return at + " is none of its values";
      } else if (keyword == "const") {
        if (value != rule) return at + " is not " + rule.dump();
      } else if (keyword == "required") {
        for (const auto& key : rule)
          if (value.is_object() && !value.contains(key)) return at + " lacks " + key.dump();
      } else if (keyword == "properties") {
        for (const auto& [key, sub] : rule.items()) {
          if (!value.is_object() || !value.contains(key)) continue;
          if (auto why = fault(value[key], sub, at + "." + key); !why.empty()) return why;
        }
      } else if (keyword == "items") {
        for (const auto& item : value.is_array() ? value : Json::array())
          if (auto why = fault(item, rule, at + "[]"); !why.empty()) return why;
      } else if (keyword == "anyOf") {
        if (std::none_of(rule.begin(), rule.end(), [&](const Json& sub) { return fault(value, sub, at).empty(); }))
          return at + " fits none of the alternatives";
      } else if (keyword[0] != '$' && keyword != "description" && keyword != "title") {
        throw std::runtime_error("the schema uses '" + keyword + "', which this test does not know");
      }
    }
    return "";
  }

  std::string unnamed(const Json& value, const Json& unresolved, const std::string& at) const {
    const Json& schema = resolve(unresolved);
    if (schema.contains("anyOf")) {
      for (const Json& sub : schema["anyOf"])
        if (fault(value, sub, at).empty()) return unnamed(value, sub, at);
    }
    if (value.is_array() && schema.contains("items")) {
      for (const auto& item : value)
        if (auto key = unnamed(item, schema["items"], at + "[]"); !key.empty()) return key;
    }
    if (!value.is_object() || !schema.contains("properties")) return "";
    for (const auto& [key, sub] : value.items()) {
      if (!schema["properties"].contains(key)) return at + "." + key;
      if (auto deeper = unnamed(sub, schema["properties"][key], at + "." + key); !deeper.empty()) return deeper;
    }
    return "";
  }

  Json root_;
};

Schema record_schema() {
  std::ifstream file(KBX_SOURCE_DIR "/docs/schema/record.v1.json");
  return Schema(Json::parse(file));
}

TEST(RecordSchema, AcceptsWhatIsWritten) {
  const Schema schema = record_schema();
  EXPECT_EQ(schema.fault(Json(full_record())), "");
  EXPECT_EQ(schema.fault(Json(Record{})), "");
  Record odd = full_record();
  odd.cases[0].worst->error = std::numeric_limits<double>::infinity();
  EXPECT_EQ(schema.fault(Json(odd)), "");
}

TEST(RecordSchema, NamesEveryKeyThatIsWritten) {
  Record record = full_record();
  record.extra.erase("from_a_later_version");
  EXPECT_EQ(record_schema().unnamed(Json(record)), "");
  EXPECT_EQ(record_schema().unnamed(Json(full_record())), "record.from_a_later_version");
}

TEST(RecordSchema, RefusesWhatIsMissingOrOfTheWrongKind) {
  const Schema schema = record_schema();
  for (const char* key : {"version", "id", "task", "method", "round", "sample", "verdict", "stage", "call", "exe",
                          "perf", "cases", "attempts"}) {
    Json json = full_record();
    json.erase(key);
    EXPECT_NE(schema.fault(json), "") << key;
  }
  Json json = full_record();
  json["cases"][0]["verdict"] = "odd";
  EXPECT_NE(schema.fault(json), "");
  json = full_record();
  json["sizes"] = Json::array({{{"base_us", {{"median", "fast"}}}}});
  EXPECT_NE(schema.fault(json), "");
}

TEST(RecordSchema, ListsExactlyTheVerdictsAndStages) {
  std::ifstream file(KBX_SOURCE_DIR "/docs/schema/record.v1.json");
  const Json schema = Json::parse(file);
  Json verdicts = Json::array();
  for (int i = 0; i <= static_cast<int>(Verdict::kInfrastructure); ++i)
    verdicts.push_back(name_of(static_cast<Verdict>(i)));
  EXPECT_EQ(schema["$defs"]["verdict"]["enum"], verdicts);
  EXPECT_EQ(schema["$defs"]["stage"]["enum"], Json({"call", "exe", "perf"}));
}

}  // namespace
}  // namespace kbx
