// SPDX-License-Identifier: Apache-2.0
// The guest zygote, as the judge sees it: a Python process that has torch and triton loaded and forks guests on
// request. Thread-safe: many sessions ask at once, a thread of its own reads the answers. A zygote that dies is a
// kbx::Error(kEnvironment); the judge ends, and kbx starts another.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "kbx/wire/channel.h"

namespace kbx {

struct ZygoteConfig {
  std::string python;     // the interpreter
  std::string guest_dir;  // the folder that holds the package kbx_guest
  std::string log_path;   // where its standard error goes
};

class Zygote {
 public:
  // Starts it and waits until it is ready.
  explicit Zygote(const ZygoteConfig& config);
  Zygote(const Zygote&) = delete;
  Zygote& operator=(const Zygote&) = delete;
  ~Zygote();

  // Versions of python, torch, triton, numpy.
  const wire::Json& versions() const { return versions_; }

  // Forks a guest that gets these three descriptors: its socket, standard output, standard error.
  pid_t fork_guest(const wire::Json& config, const std::vector<int>& fds);
  // Kills the guest's process group and waits until nothing is left of it. Answers with the leader's wait status.
  int end_guest(pid_t guest);

 private:
  wire::Json ask(wire::Type type, const wire::Json& payload, const std::vector<int>& fds);
  void read_answers();

  pid_t pid_ = -1;
  wire::Channel channel_;
  wire::Json versions_;
  std::mutex sending_;
  std::mutex mutex_;
  std::condition_variable answered_;
  std::map<uint64_t, wire::Json> answers_;
  uint64_t next_nonce_ = 1;
  bool dead_ = false;
  std::thread reader_;
};

}  // namespace kbx
