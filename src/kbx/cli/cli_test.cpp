// SPDX-License-Identifier: Apache-2.0
// The built kbx, with a judge that only pretends: usage, exit codes, pipes, interruptions, resumption.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <set>
#include <thread>

#include "kbx/cli/catalog.h"
#include "kbx/record/json.h"
#include "kbx/store/files.h"
#include "tests/support/temporary_folder.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

// kbx, started in a process group of its own as a shell would.
class Kbx {
 public:
  Kbx(const fs::path& folder, Words words, const char* judge = KBX_BINARY_DIR "/tests/fake_judge") : folder_(folder) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const Fd out = open_file(folder / "stdout", O_WRONLY | O_CREAT | O_TRUNC);
    const Fd err = open_file(folder / "stderr", O_WRONLY | O_CREAT | O_TRUNC);
    words.insert(words.begin(), KBX_BINARY_DIR "/bin/kbx");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setpgid(0, 0);
      ::setenv("KBX_JUDGE", judge, 1);
      ::dup2(ends[0], 0);
      ::dup2(out.get(), 1);
      ::dup2(err.get(), 2);
      if (::chdir(folder.c_str()) != 0) ::_exit(126);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::setpgid(pid_, pid_);
    ::close(ends[0]);
    input_ = Fd(ends[1]);
  }
  Kbx(const Kbx&) = delete;
  Kbx& operator=(const Kbx&) = delete;
  ~Kbx() {
    if (pid_ < 0) return;
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  pid_t pid() const { return pid_; }
  void type(const std::string& text) {
    ASSERT_EQ(::write(input_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close_input() { input_.reset(); }
  // The exit code, or minus the signal.
  int wait() {
    close_input();
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  std::string out() const { return read_file(folder_ / "stdout"); }
  std::string err() const { return read_file(folder_ / "stderr"); }

 private:
  fs::path folder_;
  pid_t pid_ = -1;
  Fd input_;
};

bool eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 3000 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return holds();
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(Json::parse(text.substr(at, end - at)));
  return lines;
}

class CliTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Json tasks = catalog_json();
    if (tasks.empty()) GTEST_SKIP() << "this kbx was built without tasks/catalog.json";
    task_ = tasks[0].at("name");
  }

  std::string line(const std::string& code, int sample) const {
    return Json{{"task", task_}, {"method", "m"}, {"sample", sample}, {"predict", code}}.dump() + "\n";
  }
  void write_input(const std::string& lines) { replace_file(folder_ / "in.jsonl", lines); }
  void write_many(int count, const std::string& code) {
    std::string lines;
    for (int i = 0; i < count; ++i) lines += line(code + "\n" + std::to_string(i), i);
    write_input(lines);
  }
  int kbx(Words words) {
    Kbx child(folder_.path(), std::move(words));
    const int code = child.wait();
    out_ = child.out();
    err_ = child.err();
    return code;
  }
  std::vector<Json> records() const {
    const fs::path path = folder_ / "run/results.jsonl";
    return fs::exists(path) ? lines_of(read_file(path)) : std::vector<Json>();
  }
  Json manifest() const { return Json::parse(read_file(folder_ / "run/run.json")); }
  // Every sample once.
  void expect_complete(int count) const {
    std::multiset<int> samples, expected;
    for (const Json& record : records()) samples.insert(record.at("sample").get<int>());
    for (int i = 0; i < count; ++i) expected.insert(i);
    EXPECT_EQ(samples, expected);
  }

  TemporaryFolder folder_;
  std::string task_, out_, err_;
};

TEST_F(CliTest, UsageIsExitCode2) {
  write_input(line("# pass", 0));
  for (const Words& words : {Words{},
                             {"jump"},
                             {"run"},
                             {"run", "nowhere.jsonl"},
                             {"run", "in.jsonl", "--device", "abacus"},
                             {"run", "in.jsonl", "--oracle", "published"},
                             {"run", "in.jsonl", "--shard", "3/2"},
                             {"run", "in.jsonl", "--jobs", "0"},
                             {"run", "in.jsonl", "--seed", "x"},
                             {"run", "in.jsonl", "--task", "nothing_like_it"},
                             {"run", "--resume"},
                             {"run", "--resume", "--out", "nowhere"},
                             {"run", "in.jsonl", "--targets", "rubbish"},
                             {"report", "."},
                             {"tasks", "show", "nothing_like_it"}}) {
    EXPECT_EQ(kbx(words), 2) << ::testing::PrintToString(words) << out_ << err_;
    EXPECT_NE(out_ + err_, "");
  }
  EXPECT_FALSE(fs::exists(folder_ / "runs"));
  kbx({"run", "in.jsonl", "--oracle", "published"});
  EXPECT_THAT(err_, HasSubstr("not yet"));
}

TEST_F(CliTest, HelpAndVersion) {
  EXPECT_EQ(kbx({"--version"}), 0);
  EXPECT_THAT(out_, ::testing::StartsWith("kbx 0."));
  for (const char* command : {"run", "tasks", "report", "replay", "doctor"}) {
    EXPECT_EQ(kbx({command, "--help"}), 0);
    EXPECT_THAT(out_, HasSubstr("--help"));
  }
  kbx({"run", "--help"});
  EXPECT_THAT(out_, HasSubstr("Examples:"));
}

TEST_F(CliTest, TasksAreListedAndShown) {
  EXPECT_EQ(kbx({"tasks", "--json"}), 0);
  const Json tasks = Json::parse(out_);
  ASSERT_TRUE(tasks.is_array());
  for (const char* key : {"name", "category", "signature"}) EXPECT_TRUE(tasks[0].contains(key));
  EXPECT_EQ(kbx({"tasks", "show", task_}), 0);
  EXPECT_THAT(out_, HasSubstr(tasks[0]["signature"].get<std::string>()));
  EXPECT_EQ(kbx({"tasks"}), 0);
  EXPECT_THAT(out_, HasSubstr(task_));
}

TEST_F(CliTest, RunWritesItsFolderAndReports) {
  write_input(line("# pass", 0) + line("# wrong", 1) + line("", 2));
  EXPECT_EQ(kbx({"run", "in.jsonl", "--out", "run", "--jobs", "1"}), 0) << err_;
  expect_complete(3);
  for (const char* name :
       {"run.json", "results.jsonl", "metrics.json", "summary.json", "summary.csv", "submissions", "kbx.log"})
    EXPECT_TRUE(fs::exists(folder_ / "run" / name)) << name;
  EXPECT_EQ(manifest()["state"], "finished");
  EXPECT_EQ(manifest()["seed"].get<std::string>().size(), 32u);
  EXPECT_EQ(manifest()["seed_known"], false);
  EXPECT_THAT(out_, HasSubstr("3 submissions: 2 (66.7 %) load and run, 1 (33.3 %) right"));
  EXPECT_EQ(kbx({"report", "run", "--format", "json"}), 0);
  EXPECT_EQ(Json::parse(out_)["exe_pass"], 1);

  EXPECT_EQ(kbx({"run", "in.jsonl", "--out", "run"}), 2);
  EXPECT_THAT(err_, HasSubstr("--resume"));
  expect_complete(3);
}

TEST_F(CliTest, WhatCannotBeReadIsNamedAndTheRestIsJudged) {
  write_input(line("# pass", 0) + "{rubbish\n" +
              R"({"task":"nothing_like_it","predict":"x"})"
              "\n" +
              line("# pass", 1));
  EXPECT_EQ(kbx({"run", "in.jsonl", "--out", "run"}), 3);
  expect_complete(2);
  EXPECT_THAT(err_, HasSubstr("in.jsonl:2: not JSON"));
  EXPECT_THAT(err_, HasSubstr("in.jsonl:3: unknown task"));
  EXPECT_EQ(manifest()["problem_count"], 2);
  EXPECT_EQ(manifest()["problems"][1]["line"], 3);
}

TEST_F(CliTest, WithoutAnythingToJudgeNoJudgeStarts) {
  write_input("rubbish\n");
  Kbx child(folder_.path(), {"run", "in.jsonl", "--out", "run"}, "/nowhere/kbx-judge");
  EXPECT_EQ(child.wait(), 3) << child.err();
}

TEST_F(CliTest, AJudgeThatCannotServeIsExitCode4) {
  write_input(line("# pass", 0));
  Kbx child(folder_.path(), {"run", "in.jsonl", "--out", "run"}, "/nowhere/kbx-judge");
  EXPECT_EQ(child.wait(), 4);
  EXPECT_THAT(child.err(), HasSubstr("kbx-judge"));
  EXPECT_EQ(manifest()["state"], "failed");
  EXPECT_EQ(kbx({"run", "--resume", "--out", "run"}), 0) << err_;
  expect_complete(1);
}

TEST_F(CliTest, LinesInAPipeAreAnsweredAsTheyCome) {
  Kbx child(folder_.path(), {"run", "-", "--json", "--out", "run"});
  const auto answers = [&] { return lines_of(child.out()); };
  child.type(line("# pass", 0));
  ASSERT_TRUE(eventually([&] { return answers().size() == 1; })) << child.err();
  EXPECT_EQ(answers()[0]["verdict"], "passed");
  child.type("rubbish\n" + line("# wrong", 1));
  ASSERT_TRUE(eventually([&] { return answers().size() == 3; })) << child.err();
  EXPECT_EQ(answers()[1]["problem"]["line"], 2);
  EXPECT_EQ(answers()[2]["verdict"], "wrong_value");
  EXPECT_EQ(child.wait(), 3);
  expect_complete(2);
}

// A terminal sends Ctrl-C to the whole group: the judges must live on to finish what they have.
TEST_F(CliTest, FirstCtrlCFinishesWhatIsInFlightAndResumeTheRest) {
  write_many(30, "# slow");
  Kbx child(folder_.path(), {"run", "in.jsonl", "--out", "run", "--jobs", "2"});
  ASSERT_TRUE(eventually([&] { return records().size() >= 2; })) << child.err();
  ::kill(-child.pid(), SIGINT);
  EXPECT_EQ(child.wait(), 130);
  EXPECT_THAT(child.err(), HasSubstr("kbx run --resume --out run"));
  EXPECT_LT(records().size(), 30u);
  for (const Json& record : records()) EXPECT_EQ(record["attempts"], 1);
  EXPECT_EQ(manifest()["state"], "interrupted");
  EXPECT_FALSE(manifest().contains("seed"));
  const Json hash = manifest()["seed_sha256"];

  EXPECT_EQ(kbx({"run", "--resume", "--out", "run", "--seed", "3"}), 2);
  EXPECT_EQ(kbx({"run", "--resume", "--out", "run"}), 0) << err_;
  expect_complete(30);
  EXPECT_EQ(manifest()["seed_sha256"], hash);
}

TEST_F(CliTest, SecondCtrlCKills) {
  write_many(4, "# hang");
  Kbx child(folder_.path(), {"run", "in.jsonl", "--out", "run"});
  ASSERT_TRUE(eventually([&] { return fs::exists(folder_ / "run/run.json") && manifest().contains("judges"); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ::kill(child.pid(), SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ::kill(child.pid(), SIGINT);
  EXPECT_EQ(child.wait(), 130);
}

TEST_F(CliTest, AKilledRunIsFinishedByResume) {
  write_many(20, "# slow");
  {
    Kbx child(folder_.path(), {"run", "in.jsonl", "--out", "run", "--jobs", "2"});
    ASSERT_TRUE(eventually([&] { return records().size() >= 2; })) << child.err();
    ::kill(child.pid(), SIGKILL);
    child.wait();
  }
  const std::string results = read_file(folder_ / "run/results.jsonl");
  replace_file(folder_ / "run/results.jsonl", results + results.substr(0, 40));
  EXPECT_EQ(kbx({"run", "in.jsonl", "--resume", "--out", "run"}), 0) << err_;
  expect_complete(20);
}

TEST_F(CliTest, OnlyWhatKillsJudgesIsLost) {
  write_input(line("# pass", 0) + line("# die", 1) + line("# pass 2", 2));
  EXPECT_EQ(kbx({"run", "in.jsonl", "--out", "run"}), 0) << err_;
  expect_complete(3);
  for (const Json& record : records())
    EXPECT_EQ(record["verdict"], record["sample"] == 1 ? "infrastructure" : "passed");
}

TEST_F(CliTest, ASeedThatWasNamedIsHiddenAndRecordedAsKnown) {
  write_many(4, "# slow");
  Kbx child(folder_.path(), {"run", "in.jsonl", "--out", "run", "--seed", "918273645"});
  ASSERT_TRUE(eventually([&] { return !records().empty(); }));
  EXPECT_THAT(read_file("/proc/" + std::to_string(child.pid()) + "/cmdline"), ::testing::Not(HasSubstr("918273645")));
  EXPECT_THAT(read_file(folder_ / "run/run.json"), ::testing::Not(HasSubstr("918273645")));
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(manifest()["seed"], "918273645");
  EXPECT_EQ(manifest()["seed_known"], true);
}

TEST_F(CliTest, ShardsTogetherAreTheWhole) {
  write_many(5, "# pass");
  EXPECT_EQ(kbx({"run", "in.jsonl", "--out", "run", "--shard", "1/2"}), 0);
  EXPECT_EQ(records().size(), 3u);
  EXPECT_EQ(kbx({"run", "in.jsonl", "--out", "other", "--shard", "2/2"}), 0);
  EXPECT_EQ(lines_of(read_file(folder_ / "other/results.jsonl")).size(), 2u);
}

TEST_F(CliTest, ReplayJudgesOneAgain) {
  write_input(line("# wrong", 0));
  kbx({"run", "in.jsonl", "--out", "run"});
  EXPECT_EQ(kbx({"replay", "run", task_ + "/m/0/0"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("wrong_value in exe"));
  EXPECT_EQ(kbx({"replay", "run", task_ + "/m/0/0", "--json"}), 0);
  EXPECT_EQ(Json::parse(out_)["source"], "in.jsonl:1");
  EXPECT_EQ(kbx({"replay", "run", task_ + "/m/0/7"}), 2);
}

TEST_F(CliTest, DoctorSaysWhatIsMissing) {
  EXPECT_EQ(kbx({"doctor"}), 0) << out_;
  Kbx child(folder_.path(), {"doctor", "--json"}, "/nowhere/kbx-judge");
  EXPECT_EQ(child.wait(), 4);
  EXPECT_TRUE(Json::parse(child.out()).contains("missing"));
}

}  // namespace
}  // namespace kbx
