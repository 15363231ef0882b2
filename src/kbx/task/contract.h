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
  const Results& got;          // what the submission returned
  const Results& expected;     // what the reference returned, floating tensors in double, complex in complex double
};

// One bounded quantity of an invariant: passes when error <= bound. A NaN error never passes.
struct Bounded {
  std::string quantity;  // "|Q^T Q - I|"
  double error = 0;
  double bound = 0;
};

// Bit for bit the values of the reference (copies, indices, booleans, integers). NaN equals NaN, -0 equals 0 unless
// signed_zero.
struct Exact {
  bool signed_zero = false;
};

// The published protocol: |got - eager| <= atol + rtol |eager| with rtol = atol = 5e-3 for half types, 1e-5 for float
// and double, exact otherwise.
struct Close {};

// |got - reference| <= eps(dtype) * (ulps * |reference| + scale * magnitude) + floor, element by element, with the
// reference in double and eps the spacing at one (2^-23 for float32).
//   ulps       relative error allowed, in units of eps
//   magnitude  sum of the absolute terms of a reduction (same shape as the results, in double); scale multiplies it
//   floor      absolute error allowed, in the result's own unit (denormals, cancellations)
struct Relative {
  double ulps = 0;
  double scale = 0;
  std::function<Results(const Args&)> magnitude = nullptr;
  double floor = 0;
};

// Whatever answer fulfils the equations (decompositions, solvers). The function gets what the submission returned in
// double and answers with every quantity it bounded. Shapes and dtypes have been compared with the reference's before.
struct Invariants {
  std::function<std::vector<Bounded>(const Question&)> check;
};

// Random results. The function tests distribution, mask and scale within the outputs of one call; independent says
// that two calls with the same arguments must differ.
struct Distribution {
  std::function<std::vector<Bounded>(const Question&)> check;
  bool independent = true;
};

// Quantised arithmetic: right when the output matches one admissible ideal scheme within rounding, wrong when it is
// closer to the float product. Each scheme computes its ideal output in double.
struct Scheme {
  std::string name;  // "per-row activations, half to even"
  std::function<at::Tensor(const Args&)> ideal;
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
  // Results that follow another rule than the first ("result[1]" of max: indices, judged by the values they point at).
  std::vector<std::pair<std::string, Rule>> except = {};
};

std::string_view name_of(const Rule& rule);  // "exact", "close", "relative", ...

}  // namespace kbx
