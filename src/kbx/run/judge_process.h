// SPDX-License-Identifier: Apache-2.0
// One running kbx-judge: a child in a process group of its own (Ctrl-C is for kbx to handle), which dies with kbx and
// is killed and reaped with this object. Its output goes to a log.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "kbx/wire/channel.h"

namespace kbx {

class JudgeProcess {
 public:
  // log: open for writing. Throws Error(kEnvironment) when the program cannot be started.
  JudgeProcess(const std::filesystem::path& program, int log);
  JudgeProcess(const JudgeProcess&) = delete;
  JudgeProcess& operator=(const JudgeProcess&) = delete;
  ~JudgeProcess();

  wire::Channel& channel() { return channel_; }
  pid_t pid() const { return pid_; }
  // Asks it to end and waits; kills it at the deadline.
  void stop(wire::Clock::time_point deadline);
  // Kills and reaps it. Answers how it ended: "signal 11", "exit code 4".
  std::string end();

 private:
  wire::Channel channel_;
  pid_t pid_ = -1;
};

}  // namespace kbx
