// SPDX-License-Identifier: Apache-2.0
#include "kbx/judge/evaluate.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>

#include "kbx/check/check.h"
#include "kbx/judge/marshal.h"

namespace kbx {
namespace {

using wire::Clock;
using wire::Json;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A result may be larger than the right one and still be read, to say how it is wrong; not without limit.
constexpr size_t kMaxResultBytes = size_t{1} << 30;

// What one call gave: a failure, or results that are snapshots in private memory.
struct CallOutcome {
  std::optional<Failure> failure;
  Judgement judgement;  // when there is no failure
  Results got;
};

Judgement refusal(Verdict verdict, std::string reason, std::string because = {}) {
  return {.verdict = verdict, .reason = std::move(reason), .because = std::move(because), .worst = {}};
}

class Evaluation {
 public:
  Evaluation(const SubmittedCode& submission, const Task& task, Bench& bench, GuestSession& guest, Record& record)
      : submission_(submission),
        task_(task),
        bench_(bench),
        guest_(guest),
        record_(record),
        signature_(call_signature(task)),
        pool_(bench.memory) {}

  void run() {
    if (load() && run_cases()) record_.stage = bench_.check_values ? Stage::kExe : Stage::kCall;
    record_.stdout_text = guest_.standard_output();
    record_.stderr_text = guest_.standard_error();
    record_.seconds.compile = guest_.compile_seconds();
  }

 private:
  bool load() {
    const auto start = Clock::now();
    std::vector<std::string> entries{Signature(task_.signature).entry(), task_.name, "kernel_function"};
    if (!submission_.entry.empty()) entries.insert(entries.begin(), submission_.entry);
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    const auto failure = guest_.load(submission_.code, entries, task_.wrapper ? task_.wrapper->python : std::string());
    record_.seconds.load = seconds_since(start);
    note(guest_.seen());
    if (failure) fail(Stage::kCall, *failure);
    return !failure;
  }

  // True when every case was called.
  bool run_cases() {
    record_.verdict = Verdict::kPassed;
    for (const Case& c : task_.cases) {
      if (c.gpu_only && !bench_.on_gpu) continue;
      record_.cases.push_back(run_case(c));
      const CaseResult& result = record_.cases.back();
      if (result.verdict == Verdict::kPassed) continue;
      if (result.stage == Stage::kCall) return false;
      if (record_.verdict == Verdict::kPassed) {
        record_.verdict = result.verdict;
        record_.reason = fmt::format("case '{}': {}", result.label, result.reason);
      }
    }
    return true;
  }

  CaseResult run_case(const Case& c) {
    CaseResult result;
    result.label = c.label;
    const Args args = realise(signature_, recipes_of(c, bench_.seed, task_.name), bench_.seed,
                              fmt::format("{}/{}", task_.name, c.label));
    CallOutcome outcome = call(args, result);
    if (!outcome.failure && outcome.judgement.verdict == Verdict::kPassed) check_independence(args, outcome, result);
    if (outcome.failure) {
      result.stage = Stage::kCall;
      result.verdict = outcome.failure->verdict;
      result.reason = outcome.failure->reason;
      fail(result.stage, *outcome.failure, &c);
      return result;
    }
    result.verdict = outcome.judgement.verdict;
    result.reason = outcome.judgement.reason;
    result.because = outcome.judgement.because;
    result.worst = outcome.judgement.worst;
    return result;
  }

  CallOutcome call(const Args& args, CaseResult& result) {
    PlacedCall placed(pool_, poison_, signature_, args);
    for (const Placed& input : placed.inputs())
      if (!introduce(input))
        return {.failure = Failure{Verdict::kCrashed, "gone before the call"}, .judgement = {}, .got = {}};

    const auto start = Clock::now();
    Json tree;
    std::optional<Failure> failure = guest_.call(placed.payload(), tree);
    result.seconds += seconds_since(start);
    record_.seconds.calls += seconds_since(start);
    for (const KernelUse& kernel : guest_.seen().kernels) result.launches += static_cast<int>(kernel.launches);
    note(guest_.seen());
    // The emulated GPU stops a kernel at such a write; a card would have gone on, so the call itself counts as made.
    if (failure && failure->verdict == Verdict::kOutOfBoundsWrite)
      return {.failure = {}, .judgement = refusal(failure->verdict, failure->reason), .got = {}};
    if (failure) return {.failure = failure, .judgement = {}, .got = {}};

    DescribedResult described;
    try {
      described = decode_result(tree);
    } catch (const wire::ProtocolError& error) {
      return {.failure = Failure{Verdict::kTampered, error.what()}, .judgement = {}, .got = {}};
    }
    if (!bench_.check_values) return {};
    const auto reference_start = Clock::now();
    const Expectation expected = expect(task_, args);
    record_.seconds.reference += seconds_since(reference_start);

    if (auto refused = refuse_unread(described, expected, args))
      return {.failure = {}, .judgement = *refused, .got = {}};
    if ((failure = take(placed, described))) return {.failure = failure, .judgement = {}, .got = {}};

    // From here on nothing that the guest does counts: results and arguments are copies.
    CallOutcome outcome{
        .failure = {}, .judgement = {}, .got = with_tensors(described.results, placed.results(described.claims))};
    const Args after = placed.arguments_now(args);
    if (const auto where = placed.stray_write()) {
      outcome.judgement = refusal(Verdict::kOutOfBoundsWrite, fmt::format("wrote outside of the tensor '{}'", *where));
    } else if (const auto name = placed.mutated_input(task_.mutates)) {
      outcome.judgement = refusal(Verdict::kMutatedInput, fmt::format("changed the argument '{}'", *name));
    } else {
      outcome.judgement = judge(task_, args, after, outcome.got, expected);
    }
    return outcome;
  }

  // Results that are not worth copying: of the wrong structure, dtype or shape, on the host, or impossibly large.
  std::optional<Judgement> refuse_unread(const DescribedResult& described, const Expectation& expected,
                                         const Args& args) {
    bool tensors_given = false;
    for (const auto& [name, value] : args.items())
      for_each_tensor(name, value, [&](const std::string&, const at::Tensor&) { tensors_given = true; });
    size_t bytes = 0;
    for (const TensorClaim& claim : described.claims) {
      if (!claim.on_device && tensors_given)
        return refusal(Verdict::kWrongStructure, "a result is on the host although the arguments are on the device");
      const at::Tensor meta = at::empty(claim.shape, at::TensorOptions().dtype(claim.dtype).device(at::kMeta));
      bytes += static_cast<size_t>(meta.numel()) * meta.itemsize();
    }
    if (auto fault = structure_fault(described.results, expected.shaped)) return fault;
    if (bytes > kMaxResultBytes) return refusal(Verdict::kNeedsMoreMemory, fmt::format("results of {} bytes", bytes));
    return std::nullopt;
  }

  std::optional<Failure> take(PlacedCall& placed, const DescribedResult& described) {
    if (described.claims.empty()) return std::nullopt;
    Json slots = Json::array();
    for (const Placed& slot : placed.place_results(described.claims)) {
      if (!introduce(slot)) return Failure{Verdict::kCrashed, "gone after the call"};
      slots.push_back({{"block", slot.lent.id}, {"offset", slot.offset}});
    }
    return guest_.take({{"slots", slots}});
  }

  bool introduce(const Placed& placed) {
    return !placed.lent.fresh || guest_.map(placed.lent.id, placed.lent.block->bytes(), placed.lent.block->fd());
  }

  // Random results of two calls must differ wherever two runs of the reference differ.
  void check_independence(const Args& args, CallOutcome& outcome, CaseResult& result) {
    const auto* rule = std::get_if<Distribution>(&task_.contract.rule);
    if (rule == nullptr || !rule->independent || seeded(args)) return;
    if (same(expect(task_, args).values, expect(task_, args).values)) return;
    CallOutcome again = call(args, result);
    if (again.failure || again.judgement.verdict != Verdict::kPassed)
      outcome = std::move(again);
    else if (same(outcome.got, again.got))
      outcome.judgement =
          refusal(Verdict::kWrongValue, "two calls gave the same random numbers", task_.contract.because);
  }

  // A generator that is seeded afresh for each call gives the same numbers twice, and rightly so.
  static bool seeded(const Args& args) {
    return std::ranges::any_of(args.items(),
                               [](const auto& item) { return item.second.template as<GeneratorSeed>() != nullptr; });
  }

  static bool same(const Results& a, const Results& b) {
    std::vector<at::Tensor> left, right;
    for (const Value& v : a)
      for_each_tensor("", v, [&](const std::string&, const at::Tensor& t) { left.push_back(t); });
    for (const Value& v : b)
      for_each_tensor("", v, [&](const std::string&, const at::Tensor& t) { right.push_back(t); });
    return left.size() == right.size() &&
           std::equal(left.begin(), left.end(), right.begin(),
                      [](const at::Tensor& x, const at::Tensor& y) { return x.sizes() == y.sizes() && x.equal(y); });
  }

  void fail(Stage stage, const Failure& failure, const Case* in_case = nullptr) {
    record_.verdict = failure.verdict;
    record_.stage = stage;
    record_.reason = in_case == nullptr ? failure.reason : fmt::format("case '{}': {}", in_case->label, failure.reason);
    record_.error_type = failure.error_type;
    record_.traceback = failure.traceback;
  }

  void note(const Seen& seen) {
    for (const KernelUse& use : seen.kernels) {
      const auto known = std::ranges::find(record_.kernels, use.name, &KernelUse::name);
      if (known == record_.kernels.end())
        record_.kernels.push_back(use);
      else
        known->launches += use.launches;
    }
    for (const Finding& f : seen.findings) {
      const bool known =
          std::ranges::any_of(record_.findings, [&](const Finding& k) { return k.rule == f.rule && k.line == f.line; });
      if (!known) record_.findings.push_back(f);
    }
    record_.targets.insert(record_.targets.end(), seen.targets.begin(), seen.targets.end());
  }

  const SubmittedCode& submission_;
  const Task& task_;
  Bench& bench_;
  GuestSession& guest_;
  Record& record_;
  Signature signature_;
  BlockPool pool_;
  Poison poison_ = Poison::random();
};

// What the guest left in its folder, under the submission's id with its slashes replaced. Links are kept as links, so
// that one that points at the judge's files brings nothing along.
void keep_artifacts(GuestSession& guest, const std::string& id, const std::filesystem::path& root) {
  guest.end();
  std::string name = id;
  std::ranges::replace(name, '/', '_');
  std::error_code error;
  std::filesystem::create_directories(root, error);
  std::filesystem::copy(guest.scratch(), root / name,
                        std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks, error);
  if (error)
    throw std::runtime_error(fmt::format("keeping artifacts in {}: {}", (root / name).string(), error.message()));
}

bool blank(const std::string& code) {
  return std::ranges::all_of(code, [](unsigned char c) { return std::isspace(c) != 0; });
}

}  // namespace

Record evaluate(const SubmittedCode& submission, const Task& task, Bench& bench) {
  const auto start = Clock::now();
  Record record;
  record.id = submission.id;
  record.task = task.name;
  record.category = task.category;
  record.attempts = submission.attempt;
  record.device = bench.device_name;
  record.verdict = Verdict::kEmpty;
  record.stage = Stage::kCall;
  if (blank(submission.code)) {
    record.reason = "there is no code";
    return record;
  }
  bench.memory.enter_thread();
  GuestSession guest(bench.zygote, bench.guest_config, bench.scratch_root, bench.limits);
  guest.await_hello();
  record.seconds.fork = seconds_since(start);
  for (const Json& part : guest.sandbox())
    if (part.is_object() && part.value("enforced", true) == false)
      record.not_enforced.push_back(part.value("mechanism", std::string()) + ": " +
                                    part.value("reason", std::string()));
  Evaluation(submission, task, bench, guest, record).run();
  record.seconds.total = seconds_since(start);
  if (!bench.artifacts.empty()) keep_artifacts(guest, submission.id, bench.artifacts);
  return record;
}

}  // namespace kbx
