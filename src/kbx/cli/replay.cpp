// SPDX-License-Identifier: Apache-2.0
// kbx replay: one submission of a run once more, with the run's inputs, and all that came of it.
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "kbx/base/error.h"
#include "kbx/cli/commands.h"
#include "kbx/cli/devices.h"
#include "kbx/cli/evaluation.h"
#include "kbx/cli/program_output.h"
#include "kbx/input/jsonl.h"
#include "kbx/record/json.h"
#include "kbx/report/record_text.h"
#include "kbx/run/scheduler.h"
#include "kbx/store/submissions.h"

namespace kbx {
namespace {

struct ReplayOptions {
  std::string folder, id, device, inputs;
  bool json = false;
};

StoredSubmission find_submission(const RunFolder& run, const std::string& id) {
  const SubmissionStore store = SubmissionStore::open_for_reading(run.submissions());
  std::optional<uint64_t> found;
  store.for_each([&](uint64_t offset, const StoredSubmission& stored) {
    if (stored.submission.id() == id) found = offset;
    return !found;
  });
  if (!found)
    throw Error(ErrorKind::kUsage, "the run holds no submission " + printable(id),
                "ids look like task/method/round/sample; results.jsonl has them");
  return store.at(*found);
}

Finished judge_once(JudgePool& judges, const StoredSubmission& stored) {
  const Submission& submission = stored.submission;
  judges.submit({0, submission.id(), submission.task, submission.code, submission.entry, 1}, true);
  while (true) {
    if (auto finished = judges.next(Evaluator::Clock::now() + std::chrono::seconds(1), -1)) return *finished;
  }
}

// The arguments of every case and what the reference answers, for whoever wants to look with tools of his own.
void write_inputs(const std::string& path, const std::string& task, const std::string& seed) {
  const std::string text = output_of(judge_program(), {"--reference", task, seed});
  if (text.empty())
    throw Error(ErrorKind::kEnvironment, "kbx-judge printed no inputs", "kbx doctor says what is amiss");
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw Error(ErrorKind::kEnvironment, "cannot write " + path);
}

int replay(const ReplayOptions& options) {
  const RunFolder run = RunFolder::open(options.folder);
  const StoredSubmission stored = find_submission(run, options.id);
  if (stored.submission.code.empty())
    throw Error(ErrorKind::kUsage, "there is no code to replay in " + printable(options.id));
  if (!options.inputs.empty()) write_inputs(options.inputs, stored.submission.task, run.seed().text);
  nlohmann::json config = run.manifest().at("config");
  if (options.device.empty()) {
    config["devices"] = {config.at("devices").at(0)};
  } else {
    config["devices"] = {parse_devices(options.device, gpu_present()).front()};
  }
  PoolConfig pool = pool_config(config, run.seed().text, run.path(), 1);
  pool.log = STDERR_FILENO;
  JudgePool judges(pool);
  const Finished finished = judge_once(judges, stored);
  if (!finished.record) throw Error(ErrorKind::kEnvironment, "the judge died over it: " + finished.lost);
  const Record record = framed(*finished.record, frame_of(stored));
  if (options.json) {
    fmt::print("{}\n", to_line(record));
  } else {
    fmt::print("{}", record_text(record, style_for(STDOUT_FILENO)));
  }
  return 0;
}

}  // namespace

void setup_replay(CLI::App& app, Action& action) {
  const auto options = std::make_shared<ReplayOptions>();
  CLI::App* command = app.add_subcommand("replay", "Judge one submission of a run again, and print all");
  command->add_option("RUN", options->folder, "The folder of the run")->required();
  command->add_option("ID", options->id, "The record's id: task/method/round/sample")->required();
  command->add_option("--device", options->device, "Another device than the run's");
  command->add_option(
      "--inputs", options->inputs,
      "Also write the arguments of every case, and the reference's answers, to this file: JSON, elements "
      "of tensors as hexadecimal float64 and int64");
  command->add_flag("--json", options->json, "As one line of JSON");
  command->footer(
      "Examples:\n  kbx replay runs/first abs/gpt-4o/0/0\n  kbx replay runs/first abs/gpt-4o/0/0 --inputs abs.json\n"
      "  kbx replay runs/first abs/gpt-4o/0/0 --device cpu --json");
  command->callback([options, &action] { action = [options] { return replay(*options); }; });
}

}  // namespace kbx
