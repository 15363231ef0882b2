// SPDX-License-Identifier: Apache-2.0
#include "kbx/cli/devices.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "kbx/base/error.h"

namespace kbx {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

bool all_of(std::string_view text, const char* allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

}  // namespace

std::vector<std::string> parse_devices(const std::string& text, bool gpu) {
  if (text == "auto") return {gpu ? "cuda:0" : "cpu"};
  if (text == "cpu") return {"cpu"};
  std::vector<std::string> devices;
  for (const std::string& part : split(text)) {
    const bool numbered = part.starts_with("cuda:") && part.size() < 9 && all_of(part.substr(5), "0123456789");
    if (part != "cuda" && !numbered)
      throw Error(ErrorKind::kUsage, "--device " + text + ": '" + part + "' is no device",
                  "use auto, cpu, cuda, cuda:N, or several of them: cuda:0,cuda:1");
    devices.push_back(part == "cuda" ? "cuda:0" : part);
    if (std::count(devices.begin(), devices.end(), devices.back()) > 1)
      throw Error(ErrorKind::kUsage, "--device " + text + " names " + devices.back() + " twice");
  }
  return devices;
}

bool gpu_present() {
  return ::access("/dev/nvidiactl", F_OK) == 0;
}

std::vector<std::string> parse_targets(const std::string& text) {
  std::vector<std::string> targets = split(text);
  for (const std::string& target : targets) {
    const bool known = (target.starts_with("sm_") && all_of(target.substr(3), "0123456789abcdef")) ||
                       (target.starts_with("gfx") && all_of(target.substr(3), "0123456789abcdef"));
    if (!known) throw Error(ErrorKind::kUsage, "'" + target + "' is no target", "targets look like sm_90 or gfx942");
  }
  return targets;
}

std::vector<std::string> parse_stages(const std::string& text) {
  if (text == "call") return {"call"};
  if (text == "call,exe" || text == "exe") return {"call", "exe"};
  if (text.find("perf") != std::string::npos)
    throw Error(ErrorKind::kUsage, "--stages " + text + ": perf is not measured yet", "use --stages call,exe");
  throw Error(ErrorKind::kUsage, "--stages " + text + " is not call or call,exe");
}

std::filesystem::path judge_program() {
  if (const char* other = std::getenv("KBX_JUDGE")) return other;
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kbx-judge";
}

}  // namespace kbx
