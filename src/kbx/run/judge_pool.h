// SPDX-License-Identifier: Apache-2.0
// The judges of a run, one a device. A judge that dies gives its items back as lost and is started anew; one that dies
// several times without a record between is given up. A judge that is silent for much longer than its limits allow is
// taken for dead.
#pragma once

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kbx/run/evaluator.h"
#include "kbx/run/judge_process.h"

namespace kbx {

struct PoolConfig {
  std::filesystem::path program;
  nlohmann::json configure;          // the message, without its device
  std::vector<std::string> devices;  // one judge each
  int jobs = 1;                      // submissions at a time, a judge
  std::chrono::seconds silence{600};
  int log = -1;  // file descriptor for what judges print; -1 for none
};

class JudgePool : public Evaluator {
 public:
  // Starts the judges. Throws Error(kEnvironment) with what a judge says when it cannot serve.
  explicit JudgePool(PoolConfig config);
  ~JudgePool() override;

  // What each judge said of itself when it was ready.
  const std::vector<nlohmann::json>& ready() const { return ready_; }

  bool has_room(bool alone) const override;
  void submit(Item item, bool alone) override;
  std::optional<Finished> next(Clock::time_point deadline, int also_fd) override;
  void kill() override;

 private:
  struct Judge {
    std::string device;
    std::unique_ptr<JudgeProcess> process;  // none: given up
    bool ready = false;
    bool alone = false;  // what is in flight must stay alone
    int deaths = 0;      // since the last record
    std::string last_words;
    Clock::time_point heard;
    std::vector<Item> in_flight;  // without code
  };

  void start(Judge& judge);
  void wait_until_ready();
  void hear(Judge& judge);
  void take(Judge& judge, wire::Message message);
  void bury(Judge& judge, std::string why);
  bool wait(Clock::time_point deadline, int also_fd);
  std::optional<size_t> free_judge(bool alone) const;

  PoolConfig config_;
  size_t most_in_flight_ = 1;
  std::vector<Judge> judges_;
  std::vector<nlohmann::json> ready_;
  std::deque<Finished> finished_;
};

}  // namespace kbx
