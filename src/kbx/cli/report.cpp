// SPDX-License-Identifier: Apache-2.0
// kbx report: what a run came to.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "kbx/cli/commands.h"
#include "kbx/record/json.h"
#include "kbx/report/overview.h"
#include "kbx/store/results.h"
#include "kbx/store/run_folder.h"

namespace kbx {
namespace {

struct ReportOptions {
  std::string folder;
  std::string format = "text";
};

int report(const ReportOptions& options) {
  const RunFolder run = RunFolder::open(options.folder);
  Overview overview;
  const int64_t unreadable = for_each_record(run.results(), [&](const Record& record) { overview.add(record); });
  if (options.format == "json") {
    fmt::print("{}\n", dump(overview.to_json(run.manifest(), unreadable), 2));
  } else {
    fmt::print("{}", overview.to_text(run.manifest(), style_for(STDOUT_FILENO), unreadable));
  }
  return 0;
}

}  // namespace

void setup_report(CLI::App& app, Action& action) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Show what a run came to");
  command->add_option("RUN", options->folder, "The folder of a run, finished or not")->required();
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_flag_callback(
      "--json", [options] { options->format = "json"; }, "The same as --format json");
  command->footer(
      "Examples:\n  kbx report runs/2024-06-01-120000\n  kbx report runs/2024-06-01-120000 --json | jq .exe_rate");
  command->callback([options, &action] { action = [options] { return report(*options); }; });
}

}  // namespace kbx
