// SPDX-License-Identifier: Apache-2.0
// The comparator: applies a task's contract to what a submission returned. Pure functions over CPU tensors that nobody
// else can reach. Every element is looked at; shapes, dtypes and structure are compared before values.
#pragma once

#include <optional>
#include <string>

#include "kbx/record/record.h"
#include "kbx/task/task.h"

namespace kbx {

struct Judgement {
  Verdict verdict = Verdict::kPassed;
  std::string reason;          // one sentence for people; empty when passed
  std::string because;         // the contract's reason for its bound
  std::optional<Worst> worst;  // the element nearest to its bound, or furthest beyond it
};

// What the task expects of one set of arguments: computed by the judge after the submission's outputs were taken.
struct Expectation {
  Results shaped;  // eager's results: they say which structure, shapes and dtypes are right
  Results values;  // the reference's, floating tensors in double
  Args after;      // the reference's arguments after it ran
};
Expectation expect(const Task& task, const Args& args);

// got, after: the submission's results and the arguments after the call. Order of the tests: structure, dtype, shape,
// non-finite values where the reference has none (or the reverse), values, legally mutated arguments: those that the
// reference returns have to hold what was returned, those that it left alone have to be unchanged, the others follow
// the contract. An argument that was changed without being listed in task.mutates is the caller's business (it compares
// bytes). Throws Error where the task contradicts itself.
Judgement judge(const Task& task, const Args& before, const Args& after, const Results& got,
                const Expectation& expectation);

// The first difference in structure, dtype or shape; values are not looked at (tensors of got may be meta tensors).
std::optional<Judgement> structure_fault(const Results& got, const Results& shaped);

// The published rule (Close) on the same outputs, whatever the contract is.
bool published_agrees(const Results& got, const Results& shaped);

}  // namespace kbx
