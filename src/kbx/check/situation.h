// SPDX-License-Identifier: Apache-2.0
// Inside check/: one case of a task with what is right in it, and what a submission might hand in for it. The gate and
// the null submissions are made of these; no guest is needed.
#pragma once

#include <string_view>

#include "kbx/check/check.h"

namespace kbx {

struct Answer {
  Results results;
  Args after;
};

struct Situation {
  const Task& task;
  Args before;
  Expectation expected;
};

// shapes, values: the seeds of drawn shapes and of the values in them.
Situation situation(const Task& task, const Signature& signature, const Case& c, std::string_view shapes,
                    std::string_view values);

// The tree `wide` with its tensors in the dtypes of `like`.
Value cast(const Value& wide, const Value& like);
Results cast(const Results& wide, const Results& like);

// The results with the arguments as an honest kernel leaves them: those that the reference returned hold the results.
Answer answer(const Situation& s, Results results);

Judgement judged(const Situation& s, const Answer& given);

// The reference's own answer; of a quantised task that of its first scheme, since the reference is what must not pass.
Results honest(const Situation& s);

template <typename F>
Results changed(const Results& results, const F& f) {
  Results out;
  for (const Value& value : results) out.push_back(map_tensors(value, f));
  return out;
}

// The same structure and the same values, NaN being equal to NaN.
bool equal(const Results& a, const Results& b);

}  // namespace kbx
