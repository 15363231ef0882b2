// SPDX-License-Identifier: Apache-2.0
// kbx run: the options, and what they mean together.
#include <memory>
#include <optional>

#include "kbx/base/error.h"
#include "kbx/cli/commands.h"
#include "kbx/cli/devices.h"
#include "kbx/cli/evaluation.h"
#include "kbx/cli/seed.h"
#include "kbx/run/plan.h"

namespace kbx {
namespace {

struct RunOptions {
  std::vector<std::string> paths;
  std::string task, out, device = "auto", target = "sm_90", targets, stages = "call,exe", oracle = "sound", shard;
  std::string scratch, triton_driver = "own";
  int jobs = 0;
  double timeout_s = 10, compile_timeout_s = 60;
  uint64_t seed = 0;
  bool resume = false, keep_artifacts = false, json = false, unsafe_no_sandbox = false;
  // Given on the command line, by name: a resumed run keeps its own.
  std::vector<CLI::Option*> of_a_new_run;
  CLI::Option* seed_option = nullptr;
};

RunSettings resumed(const RunOptions& options, RunSettings settings) {
  if (options.out.empty()) throw Error(ErrorKind::kUsage, "--resume needs --out, the folder of the run");
  for (const CLI::Option* option : options.of_a_new_run) {
    if (option->count() > 0)
      throw Error(ErrorKind::kUsage, "a resumed run keeps its own " + option->get_name(), "leave that option out");
  }
  settings.out = options.out;
  settings.resume = true;
  return settings;
}

RunSettings settings_of(const RunOptions& options) {
  RunSettings settings;
  settings.paths = options.paths;
  settings.json = options.json;
  settings.jobs = options.jobs;
  if (options.resume) return resumed(options, settings);

  if (options.paths.empty())
    throw Error(ErrorKind::kUsage, "nothing to judge", "name files or folders, or - for standard input");
  if (options.oracle == "published")
    throw Error(ErrorKind::kUsage, "--oracle published: not yet, the tasks do not carry the published rules",
                "use --oracle sound");
  settings.out = options.out.empty() ? default_run_folder() : std::filesystem::path(options.out);
  settings.seed =
      options.seed_option->count() > 0 ? Seed{std::to_string(options.seed), true} : Seed{random_seed(), false};
  (void)parse_targets(options.target);
  if (!options.shard.empty()) (void)parse_shard(options.shard);
  settings.config = {{"devices", parse_devices(options.device, gpu_present())},
                     {"target", options.target},
                     {"targets", options.targets.empty() ? std::vector<std::string>() : parse_targets(options.targets)},
                     {"stages", parse_stages(options.stages)},
                     {"triton_driver", options.triton_driver},
                     {"timeout_s", options.timeout_s},
                     {"compile_timeout_s", options.compile_timeout_s},
                     {"oracle", options.oracle},
                     {"shard", options.shard.empty() ? "1/1" : options.shard},
                     {"task", options.task},
                     {"scratch", options.scratch},
                     {"keep_artifacts", options.keep_artifacts},
                     {"unsafe_no_sandbox", options.unsafe_no_sandbox}};
  return settings;
}

constexpr const char* kExamples =
    "Examples:\n"
    "  kbx run examples/                                  what stands in a folder\n"
    "  kbx run predictions.jsonl --out runs/first         model outputs, one JSON object a line\n"
    "  kbx run kernel.py --task softmax                   one file\n"
    "  kbx run --resume --out runs/first                  go on after an interruption\n"
    "  kbx run predictions.jsonl.gz --shard 1/4           a quarter of them, the rest on other machines\n"
    "  kbx run kernel.py --targets sm_80,sm_120,gfx942    also: where do its kernels compile?\n"
    "  generate | kbx run - --json | learn                a warm judge in a pipe, a record a line\n"
    "A line has `predict` (or `code`) and `file`, `task` or `instruction`; it may have `method`, `round`, `sample`, `entry`.";

}  // namespace

void setup_run(CLI::App& app, Action& action) {
  const auto o = std::make_shared<RunOptions>();
  CLI::App* run = app.add_subcommand("run", "Judge submissions");
  run->add_option("PATH", o->paths, "JSONL files (.gz too), .py files, folders of them, or - for standard input");
  run->add_option("--out", o->out, "The run's folder, which must be new [runs/<date-time>]");
  run->add_flag("--resume", o->resume, "Go on with the run in --out");
  run->add_flag("--json", o->json, "Print every record as a line of JSON, and no report");
  run->add_option("--jobs", o->jobs, "Submissions at a time, a device [by cores]")->check(CLI::Range(1, 1024));
  const auto of_a_new_run = [&](CLI::Option* option) {
    o->of_a_new_run.push_back(option);
    return option;
  };
  of_a_new_run(run->add_option("--task", o->task, "The task of .py files, and of lines that name none"));
  of_a_new_run(run->add_option("--device", o->device, "auto, cpu, cuda, cuda:N, or several: cuda:0,cuda:1"))
      ->capture_default_str();
  of_a_new_run(run->add_option("--target", o->target, "The GPU that is emulated on the CPU"))->capture_default_str();
  of_a_new_run(run->add_option("--targets", o->targets, "Also compile every kernel for these: sm_80,gfx942"));
  of_a_new_run(run->add_option("--stages", o->stages, "How far to go: call, or call,exe"))->capture_default_str();
  of_a_new_run(run->add_option("--timeout", o->timeout_s, "Seconds for one call, without compiling"))
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  of_a_new_run(run->add_option("--compile-timeout", o->compile_timeout_s, "Seconds for compiling, a submission"))
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  o->seed_option = of_a_new_run(
      run->add_option("--seed", o->seed, "Makes the inputs again; the record says that it was known [random]"));
  of_a_new_run(run->add_option("--oracle", o->oracle, "What is right: sound, or published (not yet)"))
      ->check(CLI::IsMember({"sound", "published"}))
      ->capture_default_str();
  of_a_new_run(run->add_option("--triton-driver", o->triton_driver,
                               "On a GPU: own, which records launches and needs no C compiler, or stock, Triton's"))
      ->check(CLI::IsMember({"own", "stock"}))
      ->capture_default_str();
  of_a_new_run(run->add_option("--shard", o->shard, "I/N: only every N-th submission, from the I-th on"));
  of_a_new_run(run->add_option("--scratch", o->scratch, "Where guests get their folders [TMPDIR]"));
  of_a_new_run(run->add_flag("--keep-artifacts", o->keep_artifacts, "Keep what guests leave in their folders"));
  of_a_new_run(run->add_flag("--unsafe-no-sandbox", o->unsafe_no_sandbox, "Run submissions unconfined"));
  run->footer(kExamples);
  run->callback([o, &action] { action = [o] { return evaluate_run(settings_of(*o)); }; });
}

}  // namespace kbx
