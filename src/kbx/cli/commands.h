// SPDX-License-Identifier: Apache-2.0
// The subcommands of kbx: each adds itself to the parser and names what to run. One file a command.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace kbx {

// Runs when the command was chosen; answers with the exit code.
using Action = std::function<int()>;

void setup_run(CLI::App& app, Action& action);
void setup_tasks(CLI::App& app, Action& action);
void setup_report(CLI::App& app, Action& action);
void setup_replay(CLI::App& app, Action& action);
void setup_doctor(CLI::App& app, Action& action);

// kbx itself: parses, acts, and turns errors into messages and exit codes.
int run_cli(int argc, char** argv);

}  // namespace kbx
