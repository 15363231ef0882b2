// SPDX-License-Identifier: Apache-2.0
// kbx doctor: what is here, what is missing, and what to do about it.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "kbx/base/error.h"
#include "kbx/cli/catalog.h"
#include "kbx/cli/commands.h"
#include "kbx/cli/devices.h"
#include "kbx/cli/doctor_text.h"
#include "kbx/cli/program_output.h"
#include "kbx/cli/version.h"
#include "kbx/record/json.h"

namespace kbx {
namespace {

nlohmann::json examine() {
  const auto program = judge_program();
  nlohmann::json found = {{"kbx", {{"version", version()}, {"commit", commit()}, {"tasks", catalog_json().size()}}},
                          {"kbx_judge", program.string()}};
  if (::access(program.c_str(), X_OK) != 0) {
    found["missing"] = {{"message", "kbx-judge is not beside kbx"},
                        {"hint", "build with KBX_BUILD_JUDGE=ON; without it kbx only reports"}};
    return found;
  }
  const nlohmann::json judge = nlohmann::json::parse(output_of(program, {"--doctor"}), nullptr, false);
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
