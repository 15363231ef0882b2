// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "kbx/base/error.h"
#include "kbx/cli/commands.h"
#include "kbx/cli/seed.h"
#include "kbx/cli/version.h"
#include "kbx/report/text.h"

namespace kbx {
namespace {

constexpr const char* kDescription =
    "KernelBench-X: judges GPU kernels that language models write.\n"
    "Exit codes: 0 evaluated, whatever the verdicts; 2 wrong usage; 3 some input could not be read, the rest was\n"
    "evaluated; 4 the environment or kbx itself failed; 130 interrupted.";

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return 2;
    case ErrorKind::kInput:
      return 3;
    case ErrorKind::kEnvironment:
      return 4;
  }
  return 4;
}

int report_error(const char* what, const std::string& hint, int code) {
  const Style style = style_for(STDERR_FILENO);
  fmt::print(stderr, "{} {}\n", style.bad("kbx:"), shown(what));
  if (!hint.empty()) fmt::print(stderr, "     {}\n", shown(hint));
  return code;
}

}  // namespace

int run_cli(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app(kDescription, "kbx");
  app.set_version_flag("--version", fmt::format("kbx {} ({})", version(), commit()));
  app.require_subcommand(1);
  app.footer("kbx COMMAND --help tells more, with examples.");
  Action action;
  setup_run(app, action);
  setup_tasks(app, action);
  setup_report(app, action);
  setup_replay(app, action);
  setup_doctor(app, action);
  try {
    app.parse(argc, argv);
    erase_seed(argc, argv);  // before any other process is started that could read it
    return action();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const Error& error) {
    return report_error(error.what(), error.hint(), exit_code(error.kind()));
  } catch (const std::exception& error) {
    return report_error(error.what(), "this is a fault of kbx; please report it", 4);
  }
}

}  // namespace kbx
