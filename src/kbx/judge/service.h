// SPDX-License-Identifier: Apache-2.0
// kbx-judge as kbx drives it: a configuration, then submissions, several at a time, each answered with its record.
//
//   kbx -> judge   configure {device, target, targets, seed, jobs, timeout_s, compile_timeout_s, unsafe_no_sandbox,
//   scratch}
//                  evaluate  {id, task, code, entry, attempt}
//                  stop      {}: what is in flight is finished first
//   judge -> kbx   ready     {device, versions, sandbox, not_enforced}
//                  record    {id, record}
//                  failed    {message, hint}: the judge ends
#pragma once

#include <filesystem>
#include <string>

#include "kbx/wire/channel.h"

namespace kbx {

struct ServiceConfig {
  std::string python;
  std::filesystem::path guest_dir;  // holds the package kbx_guest
};

// Serves until kbx stops it or goes away. Answers with the process's exit code.
int serve(wire::Channel channel, const ServiceConfig& config);

// What the machine has, as JSON: python, torch, triton, devices, sandbox. For `kbx doctor`.
wire::Json doctor(const ServiceConfig& config);

}  // namespace kbx
