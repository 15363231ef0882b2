// SPDX-License-Identifier: Apache-2.0
#include "kbx/judge/guest_policy.h"

#include <fmt/format.h>

#include "kbx/judge/guest_session.h"

namespace kbx {

using wire::Json;

namespace {

// Private writable memory of a guest without a GPU: far beyond any case, and small enough to leave the machine alive.
constexpr uint64_t kDataBytes = uint64_t{12} << 30;

}  // namespace

Json guest_policy(const Zygote& zygote, bool on_gpu) {
  return {{"gpu", on_gpu},
          {"readable", zygote.versions().at("readable")},
          {"writable", Json::array()},  // the session adds the scratch folder
          {"data_bytes", on_gpu ? 0 : kDataBytes}};
}

SandboxProof try_sandbox(Zygote& zygote, Json guest_config, const std::filesystem::path& scratch_root) {
  guest_config["self_test"] = true;
  GuestSession guest(zygote, std::move(guest_config), scratch_root, Limits{});
  guest.await_hello();
  SandboxProof proof{.mechanisms = guest.sandbox(), .attempts = guest.self_test(), .surprises = {}};
  for (const Json& attempt : proof.attempts)
    if (attempt.value("surprise", true))
      proof.surprises.push_back(fmt::format("{}: {}", attempt.value("act", ""), attempt.value("outcome", "")));
  return proof;
}

}  // namespace kbx
