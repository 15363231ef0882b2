// SPDX-License-Identifier: Apache-2.0
// Inside check/: one function a kind of contract. Each gets outputs whose structure, dtype and shape are right already,
// and answers with a Judgement that names the worst element, passed or not.
#pragma once

#include <string>
#include <vector>

#include "kbx/check/check.h"

namespace kbx {

// One tensor under judgement. Python numbers stand here as tensors without dimensions.
struct Output {
  std::string path;           // "result[1]", "running_mean"
  at::Tensor got;             // of dtype `dtype`
  at::Tensor expected;        // the reference's, as wide as it computed
  at::Tensor eager;           // undefined for arguments
  at::ScalarType dtype;       // the right one
  at::Tensor magnitude = {};  // Relative's, where there is one
};

Judgement compare_exact(const Output& output, const Exact& rule);
Judgement compare_close(const Output& output);
Judgement compare_relative(const Output& output, const Relative& rule);
Judgement compare_optimiser(const Output& output, const Optimiser& rule);

// Rules that look at the whole answer. `outputs` are the results.
Judgement compare_invariants(const Invariants& rule, const Question& question, const std::vector<Output>& outputs);
Judgement compare_distribution(const Distribution& rule, const Question& question, const std::vector<Output>& outputs);
Judgement compare_quantised(const Quantised& rule, const Args& before, const std::vector<Output>& outputs);

// True for the rules that judge one output at a time.
bool is_elementwise(const Rule& rule);
Judgement compare_output(const Output& output, const Rule& rule);
Judgement compare_answer(const Rule& rule, const Question& question, const std::vector<Output>& outputs);

}  // namespace kbx
