// SPDX-License-Identifier: Apache-2.0
#include "kbx/judge/guest_policy.h"

#include "kbx/judge/guest_session.h"

namespace kbx {
namespace {

using wire::Json;

// Programs, libraries and the few files of /etc that the loader and Python read; nothing of /etc that holds secrets.
const char* const kSystem[] = {
    "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/passwd", "/etc/localtime", "/etc/nsswitch.conf"};
const char* const kDevices[] = {"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"};
// What CUDA opens. /proc has to stay writable for it (the driver names its threads), /sys readable.
const char* const kCuda[] = {"/dev/nvidiactl",      "/dev/nvidia-uvm",  "/dev/nvidia-uvm-tools",
                             "/dev/nvidia-modeset", "/dev/nvidia-caps", "/dev/nvidia-fs"};
constexpr int kMaxGpus = 16;

// Generous for an honest submission, and small enough that a hostile one harms nobody.
constexpr uint64_t kFileBytes = uint64_t{1} << 30;
constexpr uint64_t kDataBytes = uint64_t{12} << 30;  // without a GPU; CUDA reserves far more than it uses
constexpr uint64_t kProcesses = 256;
constexpr uint64_t kOpenFiles = 1024;

}  // namespace

Json guest_policy(const Zygote& zygote, bool on_gpu) {
  Json readable = Json::array();
  for (const char* path : kSystem) readable.push_back(path);
  for (const Json& path : zygote.versions().value("readable", Json::array())) readable.push_back(path);
  readable.push_back("/proc");
  readable.push_back("/sys");
  Json writable = Json::array();  // the session adds the scratch folder
  for (const char* path : kDevices) writable.push_back(path);
  if (on_gpu) {
    writable.push_back("/proc");
    for (const char* path : kCuda) writable.push_back(path);
    for (int i = 0; i < kMaxGpus; ++i) writable.push_back("/dev/nvidia" + std::to_string(i));
  }
  return {{"readable", readable},
          {"writable", writable},
          {"device_access", on_gpu},
          {"file_bytes", kFileBytes},
          {"data_bytes", on_gpu ? 0 : kDataBytes},
          {"processes", kProcesses},
          {"open_files", kOpenFiles}};
}

Json try_sandbox(Zygote& zygote, const std::filesystem::path& scratch) {
  GuestSession guest(zygote,
                     {{"emulate", "sm_90"},
                      {"targets", Json::array()},
                      {"own_driver", true},
                      {"self_test", true},
                      {"sandbox", guest_policy(zygote, false)}},
                     scratch, Limits{});
  guest.await_hello();
  return {{"mechanisms", guest.sandbox()}, {"attempts", guest.self_test()}};
}

}  // namespace kbx
