// SPDX-License-Identifier: Apache-2.0
// kbx tasks: what can be asked for.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <set>
#include <sstream>

#include "kbx/base/error.h"
#include "kbx/cli/catalog.h"
#include "kbx/cli/commands.h"
#include "kbx/cli/devices.h"
#include "kbx/cli/program_output.h"
#include "kbx/input/catalog.h"
#include "kbx/input/jsonl.h"
#include "kbx/record/json.h"
#include "kbx/report/text.h"

namespace kbx {
namespace {

struct TasksOptions {
  std::string name, category;
  bool json = false, prompt = false;
  std::vector<std::string> names;
  int seeds = 1;
};

// The tasks of a category, or all.
nlohmann::json chosen(const TasksOptions& options) {
  nlohmann::json out = nlohmann::json::array();
  std::set<std::string> categories;
  for (const nlohmann::json& task : catalog_json()) {
    categories.insert(task.value("category", ""));
    if (options.category.empty() || task.value("category", "") == options.category) out.push_back(task);
  }
  if (out.empty())
    throw Error(ErrorKind::kUsage, "there is no category " + printable(options.category),
                fmt::format("the categories are {}", fmt::join(categories, ", ")));
  return out;
}

int list(const TasksOptions& options) {
  const nlohmann::json tasks = chosen(options);
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

// What a model is asked: everything that a kernel has to satisfy, and nothing that would answer for it.
std::string prompt_of(const nlohmann::json& task) {
  std::string text = fmt::format(
      "Write a kernel in Triton for the operation below, in one Python file. It defines the function `{}`, which takes "
      "PyTorch tensors on a CUDA device and launches your kernel or kernels; the computation itself is done by them, "
      "not "
      "by calls of PyTorch. float32 is computed as float32: give tl.dot input_precision=\"ieee\".\n\n{}\n\n{}\n",
      task.value("entry", ""), task.value("signature", ""), task.value("description", ""));
  if (const std::string snippet = task.value("snippet", ""); !snippet.empty())
    text += fmt::format("\nIn PyTorch:\n\n```python\n{}```\n", snippet);
  if (const auto wrapper = task.find("wrapper"); wrapper != task.end())
    text += fmt::format("\nIt is called through these lines:\n\n```python\n{}\n```\n", wrapper->value("python", ""));
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
  if (options.prompt) {
    fmt::print("{}", prompt_of(*task));
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

// One row a task: the honest answers, then a sign for each null submission.
std::string row_of(const nlohmann::json& line) {
  std::string signs;
  for (const nlohmann::json& null : line.at("nulls")) {
    const std::string kind = null.value("kind", "");
    signs += kind == "refused" ? " ." : kind == "accepted" ? " X" : kind == "right" ? " r" : " -";
  }
  std::string text = fmt::format("{:44} {:5.1f} s {}\n", line.value("category", "") + "/" + line.value("name", ""),
                                 line.value("seconds", 0.0), signs);
  for (const nlohmann::json& fault : line.at("faults")) text += fmt::format("    {}\n", fault.get<std::string>());
  return text;
}

int check(const TasksOptions& options) {
  const Catalog catalog(catalog_json());
  for (const std::string& name : options.names)
    if (catalog.find(name) == nullptr)
      throw Error(ErrorKind::kUsage, unknown_task(name, catalog), "`kbx tasks` lists them");
  size_t faults = 0, tasks = 0;
  bool header = false;
  for (int seed = 1; seed <= options.seeds; ++seed) {
    std::vector<std::string> arguments = {"--check", std::to_string(seed)};
    arguments.insert(arguments.end(), options.names.begin(), options.names.end());
    std::istringstream lines(output_of(judge_program(), arguments));
    for (std::string text; std::getline(lines, text);) {
      const nlohmann::json line = nlohmann::json::parse(text);
      ++tasks;
      faults += line.at("faults").size();
      if (options.json) {
        fmt::print("{}\n", text);
        continue;
      }
      if (!header) {
        header = true;
        std::string names;
        for (const nlohmann::json& null : line.at("nulls")) names += " " + null.value("name", "") + ",";
        if (!names.empty()) names.pop_back();
        fmt::print(
            "Null submissions, in this order:{}\n. refused  X accepted everywhere  r right, see the file  - in no "
            "case\n\n",
            names);
      }
      fmt::print("{}", row_of(line));
    }
  }
  if (tasks == 0) throw Error(ErrorKind::kEnvironment, "kbx-judge checked no task", "kbx doctor says what is amiss");
  if (!options.json)
    fmt::print("\n{}, {}\n", counted(static_cast<int64_t>(tasks), "gate"),
               counted(static_cast<int64_t>(faults), "fault"));
  return faults == 0 ? 0 : 1;
}

}  // namespace

void setup_tasks(CLI::App& app, Action& action) {
  const auto options = std::make_shared<TasksOptions>();
  CLI::App* tasks = app.add_subcommand("tasks", "List the tasks, or show one");
  tasks->add_flag("--json", options->json, "As JSON: an array of objects, or one object");
  tasks->add_option("--category", options->category, "Only this category");
  tasks->footer(
      "Examples:\n  kbx tasks --category Reduce\n  kbx tasks show softmax\n  kbx tasks show softmax --prompt\n"
      "  kbx tasks check softmax svd --seeds 10\n  kbx tasks --json | jq -r '.[].name'");
  CLI::App* one = tasks->add_subcommand("show", "Show one task: signature, description, cases, what is right");
  one->add_option("NAME", options->name, "The task")->required();
  one->add_flag("--json", options->json, "As JSON");
  one->add_flag("--prompt", options->prompt, "The text for a model");
  CLI::App* gates = tasks->add_subcommand(
      "check", "Ask each task's gate: honest answers pass, answers that took no work do not; exit code 1 otherwise");
  gates->add_option("NAME", options->names, "Tasks [all]");
  gates->add_option("--seeds", options->seeds, "With that many seeds")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  gates->add_flag("--json", options->json, "A line of JSON for each task and seed");
  gates->callback([options, &action] { action = [options] { return check(*options); }; });
  tasks->callback([options, one, gates, &action] {
    if (!one->parsed() && !gates->parsed()) action = [options] { return list(*options); };
  });
  one->callback([options, &action] { action = [options] { return show(*options); }; });
}

}  // namespace kbx
