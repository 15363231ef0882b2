// SPDX-License-Identifier: Apache-2.0
// Which outputs are right. A contract is data: check/ holds the code that applies it. Every bound has a `because`,
// which stands in records and descriptions; a contract without one does not compile.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kbx/task/args.h"

namespace kbx {

using Results = std::vector<Value>;  // one for a single result, several for a tuple

// What a rule may look at. Tensors are on the CPU and private to the judge.
struct Question {
  const Args& before;          // the arguments as given
  const Args& after;           // the arguments as they are after the call
  const Args& expected_after;  // the reference's arguments after it: double copies, mutated in place where legal
  const Results& got;          // what the submission returned, floating tensors in double
  const Results& expected;     // what the reference returned, floating tensors in double, complex in complex double
};

// One bounded quantity of an invariant: passes when error <= bound. A NaN never passes.
struct Bounded {
  std::string quantity;  // "|Q^T Q - I|"
  double error = 0;
  double bound = 0;
};

// Bit for bit the values of the reference (copies, indices, booleans, integers). NaN equals NaN, -0 equals 0 unless
// signed_zero. The reference's double is rounded to the result's dtype first.
struct Exact {
  bool signed_zero = false;
};

// The published protocol: |got - eager| <= atol + rtol |eager| with rtol = atol = 5e-3 for half types, 1e-5 for float
// and double, exact otherwise.
struct Close {};

// |got - reference| <= eps(dtype) * (ulps * |reference| + scale * magnitude) + floor, element by element, with the
// reference in double and eps the spacing at one (2^-23 for float32). The bound doubles where the reference is no finer
// than the result (float64). Infinity is right where the reference, or its bound, lies beyond the dtype's largest
// value.
//   ulps       relative error allowed, in units of eps; of denormal numbers, in units of their spacing
//   magnitude  sum of the absolute terms of a reduction, of the arguments as given; scale multiplies it. One a result
//              (same shape), then one for each changed argument that is not itself a result, where one is needed; for
//              an exception that of its own result
//   floor      absolute error allowed, in the result's own unit (denormals, cancellations)
// Integer and bool results have to be equal.
struct Relative {
  double ulps = 0;
  double scale = 0;
  std::function<Results(const Args&)> magnitude = nullptr;
  double floor = 0;
};

// Whatever answer fulfils the equations (decompositions, solvers). The function gets what the submission returned in
// double and answers with every quantity it bounded. Shapes and dtypes have been compared with the reference's before,
// and where all of the reference's result is finite, so is all of the submission's. Arguments that the operation
// changes are the function's to judge, except where the reference returns them (out=).
struct Invariants {
  std::function<std::vector<Bounded>(const Question&)> check;
};

// Random results. The function tests distribution, mask and scale within the outputs of one call; independent says
// that two calls with the same arguments must differ.
struct Distribution {
  std::function<std::vector<Bounded>(const Question&)> check;
  bool independent = true;
};

// Quantised arithmetic: right when the output matches one admissible ideal scheme within rounding, otherwise wrong; the
// reference is the float product, to say when the output lies nearer to that. Each scheme computes its ideal output in
// double from the arguments as given.
struct Scheme {
  std::string name;  // "per-row activations, half to even"
  std::function<at::Tensor(const Args&)> ideal;
  // How far each element may move because x / scale lay so near to a tie that float32 rounds it to the other code.
  std::function<at::Tensor(const Args&)> slack = nullptr;
};
struct Quantised {
  std::vector<Scheme> schemes;
  double rounding = 1e-5;  // relative to the largest output, between an honest kernel and its ideal
};

// State and parameters after some steps, compared as Relative does, mutated arguments included.
struct Optimiser {
  double ulps = 0;
  double floor = 0;
};

using Rule = std::variant<Exact, Close, Relative, Invariants, Distribution, Quantised, Optimiser>;

struct Contract {
  Rule rule;
  std::string because;
  // Results and changed arguments that follow another rule than the first ("result[1]" of max: indices, judged by the
  // values they point at).
  std::vector<std::pair<std::string, Rule>> except = {};
};

std::string_view name_of(const Rule& rule);  // "exact", "close", "relative", ...

}  // namespace kbx
