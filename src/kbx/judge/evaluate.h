// SPDX-License-Identifier: Apache-2.0
// The judgement of one submission, from its code to its record.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kbx/judge/guest_session.h"
#include "kbx/judge/memory.h"
#include "kbx/record/record.h"
#include "kbx/task/task.h"

namespace kbx {

// What is the same for all submissions that a judge sees.
struct Bench {
  Zygote& zygote;
  Memory& memory;
  std::string seed;  // the run's secret
  bool on_gpu = false;
  std::string device_name;  // as records print it
  wire::Json guest_config;  // guest.py: emulate, targets, sandbox, own_driver
  std::filesystem::path scratch_root;
  std::filesystem::path artifacts = {};  // where to keep what guests leave in their folders; empty: nowhere
  bool check_values = true;              // false: the stage call alone
  Limits limits = {};
};

struct SubmittedCode {
  std::string id;
  std::string code;
  std::string entry;  // the name that the submission itself gives; usually empty
  int attempt = 1;
};

// Runs every case in one guest. A case that cannot be called ends the evaluation; one that is called and wrong does
// not, since "call" is said of all cases. Throws only when the harness fails.
Record evaluate(const SubmittedCode& submission, const Task& task, Bench& bench);

}  // namespace kbx
