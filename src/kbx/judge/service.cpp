// SPDX-License-Identifier: Apache-2.0
#include "kbx/judge/service.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "kbx/base/error.h"
#include "kbx/cuda/driver.h"
#include "kbx/judge/evaluate.h"
#include "kbx/judge/guest_policy.h"
#include "kbx/record/json.h"
#include "kbx/task/registry.h"

namespace kbx {
namespace {

using wire::Arrival;
using wire::Json;
using wire::Type;

// Submissions that wait for a worker. A closed queue gives out what it holds, then nullopt.
class Queue {
 public:
  void push(Json item) {
    std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    changed_.notify_one();
  }
  std::optional<Json> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    Json item = std::move(items_.front());
    items_.pop_front();
    return item;
  }
  void close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Json> items_;
  bool closed_ = false;
};

// A folder of the run's own for guests' scratch folders, removed at the end.
class ScratchRoot {
 public:
  explicit ScratchRoot(const std::string& wanted) {
    std::string name =
        (wanted.empty() ? std::filesystem::temp_directory_path() : std::filesystem::path(wanted)) / "kbx-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
      throw Error(ErrorKind::kEnvironment, fmt::format("cannot make a folder like {}", name),
                  "set TMPDIR to a folder that can be written");
    path_ = name;
  }
  ScratchRoot(const ScratchRoot&) = delete;
  ScratchRoot& operator=(const ScratchRoot&) = delete;
  ~ScratchRoot() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The number in "cuda:1"; nullopt for "cpu". Throws for anything else.
std::optional<int> cuda_index(const std::string& device) {
  if (device == "cpu") return std::nullopt;
  if (device == "cuda") return 0;
  if (device.starts_with("cuda:")) return std::stoi(device.substr(5));
  throw Error(ErrorKind::kUsage, fmt::format("no such device: '{}'", device), "use cpu, cuda or cuda:N");
}

bool only_call(const Json& stages) {
  return stages.is_array() && !stages.empty() && std::ranges::find(stages, Json("exe")) == stages.end();
}

class Service {
 public:
  Service(wire::Channel channel, const ServiceConfig& config) : channel_(std::move(channel)), config_(config) {}

  int run() {
    try {
      configure();
      serve_submissions();
      return 0;
    } catch (const Error& error) {
      send(Type::kFailed, {{"message", error.what()}, {"hint", error.hint()}});
    } catch (const std::exception& error) {
      send(Type::kFailed, {{"message", error.what()}, {"hint", ""}});
    }
    return 4;
  }

 private:
  void configure() {
    wire::Received received = channel_.receive();
    if (received.arrival != Arrival::kMessage || received.message.type != Type::kConfigure)
      throw Error(ErrorKind::kEnvironment, "kbx-judge was not told its configuration",
                  "kbx starts kbx-judge; to start it by hand is of no use");
    const Json& c = received.message.payload;
    scratch_ = std::make_unique<ScratchRoot>(c.value("scratch", ""));
    zygote_ = std::make_unique<Zygote>(ZygoteConfig{.python = config_.python,
                                                    .guest_dir = config_.guest_dir.string(),
                                                    .log_path = (scratch_->path() / "zygote.log").string()});
    const auto cuda = cuda_index(c.value("device", "cpu"));
    const std::string target = c.value("target", "sm_90");
    std::string device_name = fmt::format("cpu (emulating {})", target);
    if (cuda) {
      memory_ = cuda_memory(*cuda);
      device_name = cuda::device_info(*cuda).name;
    } else {
      memory_ = host_memory();
    }
    const bool sandboxed = !c.value("unsafe_no_sandbox", false);
    bench_ = std::make_unique<Bench>(Bench{
        .zygote = *zygote_,
        .memory = *memory_,
        .seed = c.at("seed").get<std::string>(),
        .on_gpu = cuda.has_value(),
        .device_name = device_name,
        .guest_config = {{"emulate", cuda ? Json(nullptr) : Json(target)},
                         {"targets", c.value("targets", Json::array())},
                         {"own_driver", c.value("triton_driver", "own") == "own"},
                         {"sandbox", sandboxed ? guest_policy(*zygote_, cuda.has_value()) : Json(nullptr)}},
        .scratch_root = scratch_->path(),
        .artifacts = c.value("keep_artifacts", false) ? std::filesystem::path(c.value("run", "")) / "artifacts" : "",
        .check_values = !only_call(c.value("stages", Json::array())),
        .limits = {.call_s = c.value("timeout_s", Limits{}.call_s),
                   .compile_s = c.value("compile_timeout_s", Limits{}.compile_s)}});
    jobs_ = std::max(1, c.value("jobs", 1));
    // Guests are what runs in parallel; a reference of a small case gains nothing from threads.
    at::set_num_threads(1);
    const Json sandbox = sandboxed ? prove_sandbox() : Json::array();
    send(Type::kReady, {{"device", device_name}, {"versions", zygote_->versions()}, {"sandbox", sandbox}});
  }

  // Before anything is judged: guests start, and the sandbox does what it promises.
  Json prove_sandbox() {
    const SandboxProof proof = try_sandbox(*zygote_, bench_->guest_config, bench_->scratch_root);
    if (!proof.surprises.empty())
      throw Error(ErrorKind::kEnvironment,
                  fmt::format("the sandbox does not hold: {}", fmt::join(proof.surprises, "; ")),
                  "'kbx doctor' shows every attempt; --unsafe-no-sandbox runs without");
    return proof.mechanisms;
  }

  void serve_submissions() {
    std::vector<std::thread> workers;
    for (int i = 0; i < jobs_; ++i) workers.emplace_back([this] { work(); });
    for (;;) {
      wire::Received received = channel_.receive();
      if (received.arrival != Arrival::kMessage || received.message.type == Type::kStop) break;
      if (received.message.type == Type::kEvaluate) queue_.push(std::move(received.message.payload));
    }
    queue_.close();
    for (std::thread& worker : workers) worker.join();
  }

  void work() {
    while (auto item = queue_.pop()) {
      Json record;
      try {
        record = record_of(*item);
      } catch (const Error& error) {
        // The zygote or the device is gone: this judge cannot go on. kbx starts another and sends the item again.
        send(Type::kFailed, {{"message", error.what()}, {"hint", error.hint()}});
        ::_exit(4);
      }
      send(Type::kRecord, {{"id", item->at("id")}, {"record", std::move(record)}});
    }
  }

  Json record_of(const Json& item) {
    const SubmittedCode submission{.id = item.at("id").get<std::string>(),
                                   .code = item.at("code").get<std::string>(),
                                   .entry = item.value("entry", ""),
                                   .attempt = item.value("attempt", 1)};
    Record record;
    record.id = submission.id;
    record.task = item.at("task").get<std::string>();
    record.attempts = submission.attempt;
    try {
      const Task* task = Registry::global().find(record.task);
      if (task == nullptr) throw std::runtime_error(fmt::format("this judge has no task '{}'", record.task));
      record = evaluate(submission, *task, *bench_);
    } catch (const Error&) {
      throw;
    } catch (const cuda::DriverError& error) {
      // A fault of a guest can take the judge's own context with it; only a new process gets a new one.
      throw Error(ErrorKind::kEnvironment, fmt::format("the judge lost its GPU context: {}", error.what()));
    } catch (const std::bad_alloc&) {
      record.verdict = Verdict::kNeedsMoreMemory;
      record.reason = "the judge's memory does not suffice for this task";
    } catch (const std::exception& error) {
      record.verdict = Verdict::kInfrastructure;
      record.reason = fmt::format("the judge failed: {}", std::string(error.what()).substr(0, 1000));
    }
    return record;
  }

  void send(Type type, const Json& payload) {
    std::lock_guard lock(sending_);
    channel_.send(type, 0, payload);
  }

  wire::Channel channel_;
  const ServiceConfig& config_;
  std::mutex sending_;
  Queue queue_;
  int jobs_ = 1;
  std::unique_ptr<ScratchRoot> scratch_;
  std::unique_ptr<Zygote> zygote_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Bench> bench_;
};

}  // namespace

int serve(wire::Channel channel, const ServiceConfig& config) {
  return Service(std::move(channel), config).run();
}

Json doctor(const ServiceConfig& config) {
  Json report{{"python", config.python}, {"tasks", Registry::global().all().size()}};
  Json devices = Json::array();
  std::string why;
  if (cuda::available(&why)) {
    for (int i = 0; i < cuda::device_count(); ++i) {
      const cuda::DeviceInfo info = cuda::device_info(i);
      devices.push_back({{"device", fmt::format("cuda:{}", i)},
                         {"name", info.name},
                         {"uuid", info.uuid},
                         {"capability", fmt::format("sm_{}{}", info.major, info.minor)},
                         {"memory_bytes", info.memory_bytes},
                         {"driver", info.driver_version}});
    }
  } else {
    report["no_gpu"] = why;
  }
  report["devices"] = devices;
  try {
    const ScratchRoot scratch("");
    Zygote zygote({.python = config.python,
                   .guest_dir = config.guest_dir.string(),
                   .log_path = (scratch.path() / "zygote.log").string()});
    report["versions"] = zygote.versions();
    const SandboxProof proof = try_sandbox(zygote,
                                           {{"emulate", "sm_90"},
                                            {"targets", Json::array()},
                                            {"own_driver", true},
                                            {"sandbox", guest_policy(zygote, false)}},
                                           scratch.path());
    report["sandbox"] = {
        {"mechanisms", proof.mechanisms}, {"attempts", proof.attempts}, {"surprises", proof.surprises}};
  } catch (const Error& error) {
    report["failed"] = {{"message", error.what()}, {"hint", error.hint()}};
  }
  return report;
}

}  // namespace kbx
