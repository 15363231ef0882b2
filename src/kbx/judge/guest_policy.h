// SPDX-License-Identifier: Apache-2.0
// What a guest may reach, as the payload that guest.py hands to the sandbox (sandbox/policy.h has the fields).
#pragma once

#include <filesystem>

#include "kbx/judge/zygote.h"

namespace kbx {

// Reading: the interpreter and its packages, system libraries, devices. Writing: the guest's scratch folder alone,
// which the session adds.
wire::Json guest_policy(const Zygote& zygote, bool on_gpu);

// The self-test of a guest in its sandbox: what was tried, and whether it was refused as it must be.
wire::Json try_sandbox(Zygote& zygote, const std::filesystem::path& scratch);

}  // namespace kbx
