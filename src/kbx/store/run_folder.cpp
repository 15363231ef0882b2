// SPDX-License-Identifier: Apache-2.0
#include "kbx/store/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>

#include <ctime>

#include "kbx/base/error.h"
#include "kbx/record/json.h"
#include "kbx/base/sha256.h"
#include "kbx/store/files.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kRunVersion = 1;

Json read_manifest(const fs::path& folder) {
  if (!fs::exists(folder / "run.json"))
    throw Error(ErrorKind::kUsage, folder.string() + " holds no run", "name a folder that `kbx run` has written");
  const Json manifest = Json::parse(read_file(folder / "run.json"), nullptr, false);
  if (!manifest.is_object() || manifest.value("version", Json()) != kRunVersion)
    throw Error(ErrorKind::kInput, (folder / "run.json").string() + " is damaged or of another version");
  return manifest;
}

std::string formatted_time(const char* format, bool utc) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  utc ? ::gmtime_r(&now, &parts) : ::localtime_r(&now, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, format, &parts)};
}

}  // namespace

std::string timestamp() {
  return formatted_time("%Y-%m-%dT%H:%M:%SZ", true);
}

fs::path default_run_folder() {
  const fs::path wanted = fs::path("runs") / formatted_time("%Y-%m-%d-%H%M%S", false);
  fs::path free = wanted;
  for (int n = 2; fs::exists(free); ++n) free = wanted.string() + "-" + std::to_string(n);
  return free;
}

RunFolder RunFolder::create(const fs::path& path, const Seed& seed) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw Error(ErrorKind::kEnvironment, path.string() + ": cannot be made: " + error.message());
  if (fs::exists(path / "run.json"))
    throw Error(ErrorKind::kUsage, path.string() + " holds another run",
                "go on with it by --resume, or name another folder by --out");
  if (!fs::is_empty(path))
    throw Error(ErrorKind::kUsage, path.string() + " is not empty", "name a new folder by --out");
  RunFolder run(path);
  run.lock();
  replace_file(path / ".seed", seed.text, 0600);
  run.manifest_ = {{"version", kRunVersion},
                   {"state", "running"},
                   {"started", timestamp()},
                   {"seed_sha256", to_hex(sha256(seed.text))},
                   {"seed_known", seed.known}};
  run.save();
  return run;
}

RunFolder RunFolder::resume(const fs::path& path) {
  RunFolder run(path);
  (void)read_manifest(path);
  run.lock();
  run.manifest_ = read_manifest(path);  // again, now that nobody else changes it
  return run;
}

RunFolder RunFolder::open(const fs::path& path) {
  RunFolder run(path);
  run.manifest_ = read_manifest(path);
  return run;
}

void RunFolder::lock() {
  lock_ = open_file(path_ / ".lock", O_RDWR | O_CREAT);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
    throw Error(ErrorKind::kUsage, path_.string() + " is being written by another kbx", "wait for it, or stop it");
}

void RunFolder::save() const {
  replace_file(path_ / "run.json", dump(manifest_, 2) + "\n");
}

Seed RunFolder::seed() const {
  const bool known = manifest_.value("seed_known", false);
  if (manifest_.contains("seed")) return {manifest_["seed"], known};
  Seed seed = {read_file(path_ / ".seed"), known};
  if (to_hex(sha256(seed.text)) != manifest_.value("seed_sha256", ""))
    throw Error(ErrorKind::kInput, (path_ / ".seed").string() + " is not the seed that this run began with");
  return seed;
}

void RunFolder::publish_seed() {
  manifest_["seed"] = seed().text;
  save();
  fs::remove(path_ / ".seed");
}

}  // namespace kbx
