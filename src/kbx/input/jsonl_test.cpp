// SPDX-License-Identifier: Apache-2.0
#include "kbx/input/jsonl.h"

#include <gmock/gmock.h>

#include "kbx/input/test_catalog.h"

namespace kbx {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Submission submission_in(std::string_view line, const Defaults& defaults = {"m", ""}) {
  auto parsed = parse_line(line, kTestCatalog, defaults);
  if (auto* refused = std::get_if<Refused>(&parsed)) throw std::runtime_error(refused->reason);
  return std::get<Submission>(parsed);
}

std::string reason_in(std::string_view line) {
  auto parsed = parse_line(line, kTestCatalog, {"m", ""});
  auto* refused = std::get_if<Refused>(&parsed);
  return refused ? refused->reason : "accepted";
}

TEST(ParseLine, ReadsAllKnownKeys) {
  const Submission s = submission_in(
      R"({"file":"Math/abs.py","predict":"def f(x): pass","method":"me","round":2,"sample":3,"entry":"f","k":[1]})");
  EXPECT_EQ(s.task, "abs");
  EXPECT_EQ(s.category, "Math");
  EXPECT_EQ(s.code, "def f(x): pass");
  EXPECT_EQ(s.method, "me");
  EXPECT_EQ(s.round, 2);
  EXPECT_EQ(s.sample, 3);
  EXPECT_EQ(s.entry, "f");
  EXPECT_EQ(s.extra, nlohmann::json({{"k", {1}}}));
  EXPECT_EQ(s.id(), "abs/me/2/3");
}

TEST(ParseLine, OtherNamesOfTheKeys) {
  const Submission s = submission_in(R"({"task":"abs","model":"me","iter":"2","sample_id":"3","predict":"x = 1"})");
  EXPECT_EQ(s.id(), "abs/me/2/3");
  EXPECT_EQ(submission_in(R"({"file":"abs"})").task, "abs");
  EXPECT_EQ(submission_in(R"({"file":"abs.py","task":"Math/abs.py"})").task, "abs");
}

TEST(ParseLine, DefaultsFillWhatIsMissing) {
  EXPECT_EQ(submission_in(R"({"task":"abs","code":"x = 2"})").code, "x = 2");
  const Submission s = submission_in(R"({"predict":"x = 1"})", {"model-a", "relu"});
  EXPECT_EQ(s.task, "relu");
  EXPECT_EQ(s.method, "model-a");
  EXPECT_EQ(s.round, 0);
  EXPECT_FALSE(s.sample);
}

TEST(ParseLine, KnownTaskWithoutCodeIsASubmission) {
  EXPECT_EQ(submission_in(R"({"file":"abs"})").code, "");
  EXPECT_EQ(submission_in(R"({"file":"abs","predict":null})").code, "");
  EXPECT_EQ(submission_in(R"({"file":"abs","predict":"I cannot do that."})").code, "");
}

TEST(ParseLine, InstructionNamesTheTask) {
  EXPECT_EQ(submission_in(R"({"instruction":"relu"})").task, "relu");
  EXPECT_EQ(submission_in(R"({"instruction":"Write: Gaussian error linear unit. Use relu(x) inside."})").task, "gelu");
  EXPECT_EQ(submission_in(R"({"instruction":"def fused_add_gelu(a, b): do it"})").task, "fused_add_gelu");
  EXPECT_EQ(submission_in(R"({"instruction":"implement sgd_step(...) fast"})").task, "SGD");
  EXPECT_THAT(reason_in(R"J({"instruction":"abs(x) then relu(x)"})J"), HasSubstr("two tasks, abs and relu"));
  EXPECT_THAT(reason_in(R"J({"instruction":"write my_abs(x) like torch.abs(x)"})J"), StartsWith("no task"));
}

TEST(ParseLine, RefusesWithAReason) {
  EXPECT_THAT(reason_in("{"), StartsWith("not JSON: "));
  EXPECT_EQ(reason_in("[1]"), "not a JSON object");
  EXPECT_EQ(reason_in("{\"file\":\"a\xff\"}"), "not UTF-8");
  EXPECT_THAT(reason_in(R"({"file":"abs","predict":"\ud800"})"), StartsWith("not JSON: "));
  EXPECT_THAT(reason_in(R"({"predict":"x"})"), StartsWith("no task"));
  EXPECT_EQ(reason_in(R"({"file":"gelo"})"), R"(unknown task "gelo"; did you mean gelu?)");
  EXPECT_EQ(reason_in(R"({"file":"zzzzzz"})"), R"(unknown task "zzzzzz")");
  EXPECT_THAT(reason_in(R"({"file":"abs","task":"gelu"})"), StartsWith("two tasks"));
  EXPECT_EQ(reason_in(R"({"file":"abs","file":"gelu"})"), R"(the key "file" stands twice)");
  EXPECT_EQ(reason_in(R"({"file":3})"), "`file` is not text");
  EXPECT_EQ(reason_in(R"({"file":"abs","predict":["x"]})"), "`predict` is not text");
  for (const char* round : {"1.5", "-1", R"("a")", R"("1 ")", "true", "1e300", "18446744073709551615"})
    EXPECT_EQ(reason_in(R"({"file":"abs","round":)" + std::string(round) + "}"), "`round` is not a whole number");
}

// Names and paths reach file names and terminals.
TEST(ParseLine, HostileNamesAreRefusedAndPrintable) {
  EXPECT_THAT(reason_in(R"({"file":"../../x; touch y #"})"), StartsWith("unknown task"));
  EXPECT_THAT(reason_in("{\"file\":\"a\\u001b[31m\\u0000\"}"), HasSubstr("\\u001b[31m\\u0000"));
  EXPECT_LT(reason_in(R"({"file":")" + std::string(100000, 'a') + "\"}").size(), 200u);
  EXPECT_THAT(reason_in(R"({"file":"abs","method":")" + std::string(201, 'a') + "\"}"), HasSubstr("longer"));
  EXPECT_THAT(reason_in("{\"file\":\"abs\",\"method\":\"a\\nb\"}"), HasSubstr("control"));
  EXPECT_THAT(reason_in(R"({"file":"abs","entry":"f); import os"})"), HasSubstr("not the name of a function"));
}

TEST(ParseLine, DeepNestingIsRefusedBeforeItCostsStack) {
  std::string deep = R"({"file":"abs","k":)";
  deep.append(1000000, '[');
  EXPECT_EQ(reason_in(deep), "JSON nested too deeply");
}

TEST(EditDistance, CountsSwapsAsOne) {
  EXPECT_EQ(edit_distance("gelu", "gelu"), 0u);
  EXPECT_EQ(edit_distance("glue", "gelu"), 2u);
  EXPECT_EQ(edit_distance("gleu", "gelu"), 1u);
  EXPECT_EQ(edit_distance("", "abs"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

}  // namespace
}  // namespace kbx
