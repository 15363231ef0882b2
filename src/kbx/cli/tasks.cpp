// SPDX-License-Identifier: Apache-2.0
// kbx tasks: what can be asked for.
#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <memory>

#include "kbx/base/error.h"
#include "kbx/cli/catalog.h"
#include "kbx/cli/commands.h"
#include "kbx/input/catalog.h"
#include "kbx/input/jsonl.h"
#include "kbx/record/json.h"
#include "kbx/report/text.h"

namespace kbx {
namespace {

struct TasksOptions {
  std::string name;
  bool json = false;
};

int list(const TasksOptions& options) {
  const nlohmann::json tasks = catalog_json();
  if (options.json) {
    fmt::print("{}\n", dump(tasks, 1));
    return 0;
  }
  std::vector<std::vector<std::string>> rows;
  const Catalog catalog(tasks);
  for (const CatalogTask& task : catalog.tasks()) rows.push_back({task.name, task.category, task.signature});
  fmt::print("{}{}\n", columns(rows, 3), counted(static_cast<int64_t>(rows.size()), "task"));
  return 0;
}

std::string text_or_json(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : dump(value);
}

std::string lines_of(const nlohmann::json& entries) {
  std::string text;
  for (const auto& entry : entries) {
    text += fmt::format("  {}", text_or_json(entry.value("label", nlohmann::json())));
    if (entry.value("gpu_only", false)) text += " (on a GPU only)";
    text += '\n';
    const nlohmann::json args = entry.value("args", nlohmann::json::object());
    for (const auto& [name, value] : args.items()) text += fmt::format("      {} = {}\n", name, text_or_json(value));
  }
  return text;
}

int show(const TasksOptions& options) {
  const nlohmann::json tasks = catalog_json();
  const auto task =
      std::find_if(tasks.begin(), tasks.end(), [&](const auto& t) { return t.value("name", "") == options.name; });
  if (task == tasks.end())
    throw Error(ErrorKind::kUsage, unknown_task(options.name, Catalog(tasks)), "`kbx tasks` lists them");
  if (options.json) {
    fmt::print("{}\n", dump(*task, 1));
    return 0;
  }
  const Style style = style_for(STDOUT_FILENO);
  fmt::print("{} ({})\n\n{}\n\n{}\n", style.strong(options.name), task->value("category", ""),
             task->value("signature", ""), task->value("description", ""));
  if (const std::string snippet = task->value("snippet", ""); !snippet.empty())
    fmt::print("\n{}\n{}\n", style.strong("In PyTorch"), snippet);
  const nlohmann::json contract = task->value("contract", nlohmann::json::object());
  if (contract.is_object() && contract.contains("bound"))
    fmt::print("\n{}\n  {}: {}\n  {}\n", style.strong("What is right"), contract.value("rule", ""),
               contract.value("bound", ""), contract.value("because", ""));
  if (const auto mutates = task->find("mutates"); mutates != task->end() && !mutates->empty())
    fmt::print("\n{}\n  {}\n", style.strong("Arguments that it changes"), dump(*mutates));
  fmt::print("\n{}\n{}", style.strong("Cases"), lines_of(task->value("cases", nlohmann::json::array())));
  fmt::print("\n{}\n{}", style.strong("Sizes that are timed"), lines_of(task->value("sizes", nlohmann::json::array())));
  return 0;
}

}  // namespace

void setup_tasks(CLI::App& app, Action& action) {
  const auto options = std::make_shared<TasksOptions>();
  CLI::App* tasks = app.add_subcommand("tasks", "List the tasks, or show one");
  tasks->add_flag("--json", options->json, "As JSON: an array of objects, or one object");
  tasks->footer("Examples:\n  kbx tasks\n  kbx tasks show softmax\n  kbx tasks --json | jq -r '.[].name'");
  CLI::App* one = tasks->add_subcommand("show", "Show one task: signature, description, cases, what is right");
  one->add_option("NAME", options->name, "The task")->required();
  one->add_flag("--json", options->json, "As JSON");
  tasks->callback([options, one, &action] {
    if (!one->parsed()) action = [options] { return list(*options); };
  });
  one->callback([options, &action] { action = [options] { return show(*options); }; });
}

}  // namespace kbx
