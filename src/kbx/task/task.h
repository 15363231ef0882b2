// SPDX-License-Identifier: Apache-2.0
// A task: what to compute, with all that judges it. One file under tasks/ a task; docs/adding-a-task.md shows one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kbx/task/args.h"
#include "kbx/task/contract.h"
#include "kbx/task/recipe.h"
#include "kbx/task/signature.h"

namespace kbx {

using ArgRecipes = std::vector<std::pair<std::string, Recipe>>;

// One set of inputs for correctness. Sized so that interpreting it is bearable (about 20 µs an operation of a program
// instance); a case that is not is marked gpu_only and is skipped, by name, without a GPU.
struct Case {
  std::string label;
  ArgRecipes args;
  bool gpu_only = false;
  // Where the shapes come from the run's seed too, so that no submission can know them: makes what args would hold.
  std::function<ArgRecipes(Draw&)> drawn = nullptr;
};

// One set of inputs for timing.
struct Size {
  std::string label;
  ArgRecipes args;
};

using Cases = std::vector<Case>;
using Sizes = std::vector<Size>;
Cases operator+(Cases a, Cases b);

// Work that cannot be avoided: unique bytes read, unique bytes written, operations by the unit that does them.
struct Cost {
  double bytes_read = 0;
  double bytes_written = 0;
  double flops = 0;         // multiply and add count as two
  double matrix_flops = 0;  // of those, what a matrix unit can do
};

// A few lines of Python that the guest runs around the entry point, where the entry itself cannot be called with values
// or returns what cannot cross (Adam returns an optimiser). It defines `def call(entry, ...)`; a case then gives the
// parameters of `call`.
struct Wrapper {
  std::string parameters;  // "params, grads, lr=0.001, ..." in Python's notation, without entry
  std::string python;
};

struct Task {
  std::string signature;    // Python: "gelu(input, approximate='none')"; names the entry point
  std::string description;  // enough to write the kernel from it
  std::string snippet;      // PyTorch: defines the entry point; shown in prompts, run against the reference in tests
  // ATen, on whatever it is given: double copies of the arguments for judging. Legal mutation is done in place on them.
  std::function<Results(const Args&)> reference;
  Cases cases;
  Sizes sizes;
  std::function<Cost(const Args&)> cost;
  Contract contract;
  // What most tasks do not need.
  std::function<Results(const Args&)> eager =
      nullptr;                            // the timed baseline in the task's dtype; default: the reference
  std::vector<std::string> mutates = {};  // arguments that the operation changes; their content is judged
  std::optional<Wrapper> wrapper = {};
  // Null submissions (check/nulls.h) that are right answers of this task, each with the reason.
  std::vector<std::pair<std::string, std::string>> right_nulls = {};

  // Filled in by the registry.
  std::string name = {};
  std::string category = {};
};

// The results in the dtypes and shapes that a submission must have: eager on copies of the arguments.
Results eager_results(const Task& task, const Args& args);
// The parameters that a case of this task may give: the wrapper's, else the signature's.
Signature call_signature(const Task& task);
Case drawn_case(std::string label, std::function<ArgRecipes(Draw&)> drawn);
// The recipes of a case, for which the seed decides the shapes where they are drawn.
ArgRecipes recipes_of(const Case& c, std::string_view seed, std::string_view task);
// The arguments of a case, drawn. seed: the run's.
Args realise(const Signature& signature, const ArgRecipes& recipes, std::string_view seed, std::string_view path);
// The same with meta tensors: shapes and dtypes for plans and costs, at no cost.
Args outline(const Signature& signature, const ArgRecipes& recipes);

}  // namespace kbx
