// SPDX-License-Identifier: Apache-2.0
// What a guest may reach, as the payload that guest.py hands to the sandbox (sandbox/policy.h has the fields).
#pragma once

#include <filesystem>

#include "kbx/judge/zygote.h"

namespace kbx {

// Reading: the interpreter and its packages, system libraries, devices. Writing: the guest's scratch folder alone,
// which the session adds.
wire::Json guest_policy(const Zygote& zygote, bool on_gpu);

// What a guest found when it tried every forbidden act, and every act that guests need, from inside its sandbox.
struct SandboxProof {
  wire::Json mechanisms;               // {"mechanism", "enforced", "reason"} each
  wire::Json attempts;                 // {"act", "mechanism", "forbidden", "outcome", "surprise"} each
  std::vector<std::string> surprises;  // acts that went against what the mechanisms promise: no run may start
};
SandboxProof try_sandbox(Zygote& zygote, wire::Json guest_config, const std::filesystem::path& scratch_root);

}  // namespace kbx
