// SPDX-License-Identifier: Apache-2.0
#include "kbx/cli/evaluation.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "kbx/base/error.h"
#include "kbx/base/sha256.h"
#include "kbx/cli/catalog.h"
#include "kbx/cli/devices.h"
#include "kbx/cli/signals.h"
#include "kbx/cli/version.h"
#include "kbx/input/reader.h"
#include "kbx/record/json.h"
#include "kbx/report/overview.h"
#include "kbx/run/plan.h"
#include "kbx/run/progress.h"
#include "kbx/run/scheduler.h"
#include "kbx/store/files.h"
#include "kbx/store/results.h"
#include "kbx/store/summary.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kInterrupted = 130;  // as shells say it: 128 + SIGINT

int default_jobs(const std::vector<std::string>& devices) {
  const auto cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  constexpr int kMostOnAGpu = 8;  // more guests at once gain nothing there: contexts are made one after another
  const int each = std::max(1, cores / static_cast<int>(devices.size()));
  return devices.front() == "cpu" ? each : std::min(each, kMostOnAGpu);
}

// This command as it was given, a seed in it already erased.
Json command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  Json words = Json::array();
  for (std::string word; std::getline(file, word, '\0');) words.push_back(as_utf8(word));
  return words;
}

class Evaluation {
 public:
  explicit Evaluation(const RunSettings& settings)
      : settings_(settings),
        catalog_(catalog_json()),
        run_(opened()),
        progress_(stderr, ::isatty(STDERR_FILENO) == 1) {}

  int run() {
    describe();
    try {
      const bool complete = judge_all();
      end(complete);
      return complete ? (problem_count_ > 0 ? 3 : 0) : kInterrupted;
    } catch (const Error& error) {
      progress_.clear();
      spdlog::error("{}", error.what());
      run_.manifest()["state"] = "failed";
      list_problems();
      run_.save();
      throw Error(error.kind(), error.what(), (error.hint().empty() ? "" : error.hint() + "; ") + how_to_resume());
    }
  }

 private:
  RunFolder opened() const;
  void describe();
  std::vector<std::string> paths() const;
  bool judge_all();
  std::unique_ptr<JudgePool> start_judges();
  Events events();
  void say(const Problem& problem);
  void keep(const Record& record);
  void tick();
  void end(bool complete);
  void list_problems();
  std::string how_to_resume() const { return "go on with: kbx run --resume --out " + run_.path().string(); }

  const RunSettings& settings_;
  Catalog catalog_;
  RunFolder run_;
  Progress progress_;
  Fd judge_log_;  // outlives the judges: one that is started anew gets it too
  std::unique_ptr<ResultsWriter> results_;
  std::unique_ptr<Plan> plan_;
  ProgressState state_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  Json problems_ = Json::array();
  int64_t problem_count_ = 0;
  bool nobody_listens_ = false;  // standard output was closed
};

RunFolder Evaluation::opened() const {
  if (settings_.resume) return RunFolder::resume(settings_.out);
  // A wrong path or task is found out before there is a folder.
  const Reader reader(catalog_, settings_.paths, settings_.config.value("task", ""));
  return RunFolder::create(settings_.out, settings_.seed);
}

// What can be said of the run before it begins.
void Evaluation::describe() {
  spdlog::set_default_logger(spdlog::basic_logger_mt("kbx", run_.log().string()));
  spdlog::flush_on(spdlog::level::info);
  Json& manifest = run_.manifest();
  if (!settings_.resume) {
    manifest["config"] = settings_.config;
    manifest["paths"] = settings_.paths;
    manifest["paths_from"] = fs::current_path().string();
    manifest["catalog_sha256"] = to_hex(sha256(embedded_catalog()));
  }
  // What was wrong with standard input cannot be found out again.
  for (const Json& problem : manifest.value("problems", Json::array()))
    if (problem.value("file", "") == "-") problems_.push_back(problem);
  problem_count_ = static_cast<int64_t>(problems_.size());
  manifest["state"] = "running";
  manifest["commands"].push_back(
      {{"at", timestamp()}, {"words", command_line()}, {"kbx", {{"version", version()}, {"commit", commit()}}}});
  run_.save();
  spdlog::info("kbx {} ({}), run {}", version(), commit(), run_.path().string());
}

// Those of this command, or those that the run began with.
std::vector<std::string> Evaluation::paths() const {
  if (!settings_.paths.empty()) return settings_.paths;
  const fs::path from = run_.manifest().value("paths_from", "");
  std::vector<std::string> paths = run_.manifest().value("paths", std::vector<std::string>());
  std::erase(paths, "-");  // what came from there lies in the run folder; nothing more will
  for (std::string& path : paths)
    if (!fs::exists(path)) path = (from / path).string();
  return paths;
}

bool Evaluation::judge_all() {
  const Json& manifest = run_.manifest();
  const Json& config = manifest.at("config");
  results_ = std::make_unique<ResultsWriter>(run_.results());
  plan_ = std::make_unique<Plan>(Reader(catalog_, paths(), config.value("task", "")),
                                 SubmissionStore::open_for_adding(run_.submissions()),
                                 parse_shard(config.value("shard", "1/1")));
  if (settings_.resume) {
    plan_->take_up(run_.results());
    state_.before = state_.done = plan_->total() - static_cast<int64_t>(plan_->waiting());
  }
  // Where nothing can be judged, no judge is started.
  constexpr size_t kAtOnce = 200;
  while (plan_->waiting() == 0 && plan_->read(kAtOnce, [this](const Problem& problem) { say(problem); })) {
  }
  if (plan_->ended() && plan_->waiting() == 0) return true;
  const auto judges = start_judges();
  count_interruptions();
  began_ = std::chrono::steady_clock::now();
  return Scheduler(*plan_, *judges, events()).run();
}

std::unique_ptr<JudgePool> Evaluation::start_judges() {
  Json& manifest = run_.manifest();
  PoolConfig pool = pool_config(manifest.at("config"), run_.seed().text, run_.path(), settings_.jobs);
  judge_log_ = open_file(run_.path() / "kbx-judge.log", O_WRONLY | O_APPEND | O_CREAT);
  pool.log = judge_log_.get();
  auto judges = std::make_unique<JudgePool>(pool);
  std::string devices;
  Json not_enforced = Json::array();
  for (const Json& ready : judges->ready()) {
    devices += (devices.empty() ? "" : ", ") + ready.value("device", "");
    for (const Json& part : ready.value("sandbox", Json::array()))
      if (part.is_object() && !part.value("enforced", true)) not_enforced.push_back(part);
  }
  manifest["device"] = devices;
  manifest["versions"] = judges->ready().front().value("versions", Json::object());
  manifest["judges"] = judges->ready();
  manifest["jobs"] = pool.jobs;
  manifest["not_enforced"] = not_enforced;
  run_.save();
  spdlog::info("judges ready: {}", dump(judges->ready()));
  for (const Json& part : not_enforced)
    fmt::print(stderr, "not enforced by the sandbox: {}: {}\n", shown_in_line(part.value("mechanism", "")),
               shown_in_line(part.value("reason", "")));
  if (manifest["config"].value("unsafe_no_sandbox", false)) fmt::print(stderr, "running WITHOUT a sandbox\n");
  return judges;
}

Events Evaluation::events() {
  return {.on_record = [this](const Record& record) { keep(record); },
          .on_problem = [this](const Problem& problem) { say(problem); },
          .on_tick = [this] { tick(); },
          .interruptions = [this] { return std::max(interruptions(), nobody_listens_ ? 1 : 0); }};
}

void Evaluation::say(const Problem& problem) {
  constexpr int64_t kPrinted = 20;
  constexpr size_t kListed = 10000;  // keeps run.json and memory in bounds
  ++problem_count_;
  const Json json = {{"file", as_utf8(problem.file)}, {"line", problem.line}, {"reason", problem.reason}};
  if (problems_.size() < kListed) problems_.push_back(json);
  spdlog::warn("{}", shown_in_line(problem.text(), 1000));
  if (settings_.json) {
    fmt::print("{}\n", dump({{"problem", json}}));
    std::fflush(stdout);
  }
  if (problem_count_ > kPrinted) return;
  progress_.clear();
  fmt::print(stderr, "{}\n", shown_in_line(problem.text(), 1000));
}

void Evaluation::keep(const Record& record) {
  results_->append(record);
  ++state_.done;
  state_.passed += record.verdict == Verdict::kPassed;
  if (!settings_.json) return;
  fmt::print("{}\n", to_line(record));
  nobody_listens_ = std::fflush(stdout) != 0;
}

void Evaluation::tick() {
  state_.total = plan_->total();
  state_.total_known = plan_->ended();
  state_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  progress_.update(state_);
}

void Evaluation::end(bool complete) {
  progress_.clear();
  const int64_t unreadable = write_summaries(run_.path());
  Json& manifest = run_.manifest();
  manifest["state"] = complete ? "finished" : "interrupted";
  manifest["finished"] = complete ? Json(timestamp()) : Json();
  manifest["submissions"] = plan_->total();
  list_problems();
  run_.save();
  if (complete) run_.publish_seed();
  spdlog::info("{}: {} of {} done, {} problems", complete ? "finished" : "interrupted", state_.done, plan_->total(),
               problem_count_);
  if (problem_count_ > 20)
    fmt::print(stderr, "... {} lines could not be used in all; run.json lists them\n", problem_count_);
  if (!settings_.json) {
    Overview overview;
    for_each_record(run_.results(), [&](const Record& record) { overview.add(record); });
    fmt::print("{}\nThe run is in {}\n", overview.to_text(manifest, style_for(STDOUT_FILENO), unreadable),
               run_.path().string());
  }
  if (!complete) {
    fmt::print(stderr, "interrupted with {} of {} done; {}\n", state_.done, plan_->total(), how_to_resume());
  }
}

void Evaluation::list_problems() {
  run_.manifest()["problems"] = problems_;
  run_.manifest()["problem_count"] = problem_count_;
}

}  // namespace

PoolConfig pool_config(const Json& config, const std::string& seed, const fs::path& run, int jobs) {
  PoolConfig pool;
  pool.program = judge_program();
  pool.devices = config.at("devices").get<std::vector<std::string>>();
  pool.jobs = jobs > 0 ? jobs : default_jobs(pool.devices);
  pool.configure = config;
  pool.configure.erase("devices");
  pool.configure["seed"] = seed;
  pool.configure["run"] = fs::absolute(run).string();
  // A case may be compiled and called anew many times before a record is due.
  constexpr double kCases = 20;
  const double limit = config.value("timeout_s", 10.0) + config.value("compile_timeout_s", 60.0);
  pool.silence = std::chrono::seconds(300 + static_cast<int64_t>(kCases * limit));
  return pool;
}

int evaluate_run(const RunSettings& settings) {
  return Evaluation(settings).run();
}

}  // namespace kbx
