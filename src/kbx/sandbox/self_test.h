// SPDX-License-Identifier: Apache-2.0
// Proves the sandbox from inside: tries each forbidden act and each one that a guest needs, in a process already under
// apply(). A report says what was asked of the kernel; this says what happens. Run it before every run (exploits of
// this kind of harness start with a sandbox that is silently off).
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "kbx/sandbox/policy.h"
#include "kbx/sandbox/report.h"

namespace kbx::sandbox {

struct SelfTestPaths {
  std::string scratch;           // in Policy::writable
  std::string readable_file;     // below one of Policy::readable
  std::string program;           // exits with 0 when run without arguments, such as /bin/true
  std::string forbidden_folder;  // exists, the user could read and write it, the policy has it not: the run folder
  std::string forbidden_file;    // the same, a file
  pid_t sibling = 0;  // a process of this user outside the sandbox, to be killed if that works; 0: none is tried
};

struct Attempt {
  std::string act;      // "read a file outside"
  Mechanism mechanism;  // what refuses it
  bool forbidden;       // or else a guest needs it
  bool as_expected;
  std::string outcome;  // "EACCES", "succeeded", "killed by SIGSYS"
};

// policy: the one that was applied, for its limits. The parent of the calling process is a target (its memory, its
// signals), so it must be the zygote. Never throws for what an act does; leaves the scratch folder as it was.
std::vector<Attempt> self_test(const SelfTestPaths& paths, const Policy& policy);

// Attempts that went against what the report promises: the run must not start. An act that got through because its
// mechanism is not enforced is no surprise, the report has said so; an act that a guest needs and cannot do is one.
std::vector<Attempt> surprises(const Report& report, const std::vector<Attempt>& attempts);

}  // namespace kbx::sandbox
