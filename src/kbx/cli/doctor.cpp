// SPDX-License-Identifier: Apache-2.0
// kbx doctor: what is here, what is missing, and what to do about it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "kbx/base/error.h"
#include "kbx/base/fd.h"
#include "kbx/cli/catalog.h"
#include "kbx/cli/commands.h"
#include "kbx/cli/devices.h"
#include "kbx/cli/doctor_text.h"
#include "kbx/cli/version.h"
#include "kbx/record/json.h"

namespace kbx {
namespace {

// What a program prints, empty when it cannot be started.
std::string output_of(const std::filesystem::path& program, std::string option) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(ErrorKind::kEnvironment, "no pipe can be made");
  Fd reading(ends[0]), writing(ends[1]);
  std::string path = program.string();
  char* argv[] = {path.data(), option.data(), nullptr};
  const pid_t child = ::fork();
  if (child < 0) throw Error(ErrorKind::kEnvironment, "no process can be started");
  if (child == 0) {
    ::dup2(writing.get(), STDOUT_FILENO);
    ::execv(argv[0], argv);
    ::_exit(127);
  }
  writing.reset();
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t count; (count = ::read(reading.get(), piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<size_t>(count));
  ::waitpid(child, nullptr, 0);
  return text;
}

nlohmann::json examine() {
  const auto program = judge_program();
  nlohmann::json found = {{"kbx", {{"version", version()}, {"commit", commit()}, {"tasks", catalog_json().size()}}},
                          {"kbx_judge", program.string()}};
  if (::access(program.c_str(), X_OK) != 0) {
    found["missing"] = {{"message", "kbx-judge is not beside kbx"},
                        {"hint", "build with KBX_BUILD_JUDGE=ON; without it kbx only reports"}};
    return found;
  }
  const nlohmann::json judge = nlohmann::json::parse(output_of(program, "--doctor"), nullptr, false);
  if (!judge.is_object()) {
    found["missing"] = {{"message", "kbx-judge does not start"}, {"hint", program.string() + " --doctor says why"}};
    return found;
  }
  found["judge"] = judge;
  if (judge.contains("failed")) found["missing"] = judge["failed"];
  return found;
}

}  // namespace

void setup_doctor(CLI::App& app, Action& action) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("doctor", "Say what this machine has and what it lacks");
  command->add_flag("--json", *json, "As JSON");
  command->footer("Exit code 4 when something is missing that kbx run needs.");
  command->callback([json, &action] {
    action = [json] {
      const nlohmann::json found = examine();
      fmt::print("{}", *json ? dump(found, 2) + "\n" : doctor_text(found, style_for(STDOUT_FILENO)));
      return found.contains("missing") ? 4 : 0;
    };
  });
}

}  // namespace kbx
