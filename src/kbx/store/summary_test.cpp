// SPDX-License-Identifier: Apache-2.0
#include "kbx/store/summary.h"

#include <gmock/gmock.h>

#include "kbx/store/files.h"
#include "kbx/store/results.h"
#include "tests/support/temporary_folder.h"

namespace kbx {
namespace {

using Json = nlohmann::json;

Record record_of(const std::string& task, const std::string& method, Verdict verdict, Stage stage,
                 std::optional<double> speedup = {}) {
  Record record;
  record.id = task + "/" + method + "/0/0";
  record.task = task;
  record.category = "Math";
  record.method = method;
  record.verdict = verdict;
  record.stage = stage;
  record.reason = "because";
  if (speedup) record.extra["speedup"] = {{"point", *speedup}};
  return record;
}

TEST(Summary, CountsByMethod) {
  Summary summary;
  summary.add(record_of("abs", "a", Verdict::kPassed, Stage::kPerf, 2.0));
  summary.add(record_of("add", "a", Verdict::kPassed, Stage::kPerf, 1.0));
  summary.add(record_of("sub", "a", Verdict::kWrongValue, Stage::kPerf, 9.0));
  summary.add(record_of("abs", "b", Verdict::kWrongValue, Stage::kExe));
  summary.add(record_of("add", "b", Verdict::kInfrastructure, Stage::kCall));
  summary.add(record_of("sub", "b", Verdict::kPassed, Stage::kExe));
  EXPECT_EQ(summary.to_csv(),
            "method,total,call_pass,call_rate,exe_pass,exe_rate,perf_pass,perf_rate,avg_speedup,says_nothing\n"
            "a,3,3,100.0,3,100.0,2,66.7,1.5,0\n"
            "b,3,2,66.7,1,33.3,,,,1\n");
  const Json json = summary.to_json();
  EXPECT_EQ(json["method"], "*");
  EXPECT_EQ(json["total"], 6);
  EXPECT_EQ(json["exe_pass"], 4);
  EXPECT_EQ(json["verdicts"]["wrong_value"], 2);
  EXPECT_EQ(json["methods"][1]["avg_speedup"], Json());
}

TEST(Summary, CsvQuotesNames) {
  Summary summary;
  summary.add(record_of("abs", "a,\"b\"", Verdict::kPassed, Stage::kExe));
  EXPECT_THAT(summary.to_csv(), ::testing::HasSubstr("\n\"a,\"\"b\"\"\",1,"));
}

TEST(Summary, MetricsAreKeyedByFileOnlyWhereThatIsOne) {
  const TemporaryFolder folder;
  {
    ResultsWriter writer(folder / "results.jsonl");
    writer.append(record_of("abs", "a", Verdict::kPassed, Stage::kExe));
  }
  EXPECT_EQ(write_summaries(folder.path()), 0);
  Json metrics = Json::parse(read_file(folder / "metrics.json"));
  EXPECT_EQ(metrics["Math/abs.py"]["call_ok"], true);
  EXPECT_EQ(metrics["Math/abs.py"]["exe_ok"], true);
  EXPECT_EQ(metrics["Math/abs.py"]["perf_ok"], false);
  EXPECT_EQ(metrics["Math/abs.py"]["speedup"], "N/A");
  ResultsWriter(folder / "results.jsonl").append(record_of("abs", "b", Verdict::kEmpty, Stage::kCall));
  write_summaries(folder.path());
  metrics = Json::parse(read_file(folder / "metrics.json"));
  EXPECT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics["abs/b/0/0"]["error"], "because");
}

TEST(Summary, OfNoRecords) {
  const TemporaryFolder folder;
  { ResultsWriter writer(folder / "results.jsonl"); }
  write_summaries(folder.path());
  EXPECT_EQ(Json::parse(read_file(folder / "metrics.json")), Json::object());
  EXPECT_EQ(Json::parse(read_file(folder / "summary.json"))["call_rate"], Json());
}

}  // namespace
}  // namespace kbx
