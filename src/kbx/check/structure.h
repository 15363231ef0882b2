// SPDX-License-Identifier: Apache-2.0
// Inside check/: results as trees. Two answers are compared leaf by leaf, by paths such as "result[1]" or
// "result['state'][0]". A tuple of one result is the same as the result; a list is as good as a tuple.
#pragma once

#include <string>
#include <vector>

#include "kbx/task/contract.h"

namespace kbx {

struct Leaf {
  std::string path;
  const Value* value;
};

// What is neither list nor dict, depth first, the keys of a dict in sorted order.
std::vector<Leaf> leaves(const Results& results);
std::vector<Leaf> leaves(const std::string& path, const Value& value);

// got, which has the structure of right, as a list at the top or as results, whichever right is.
Results in_form_of(const Results& got, const Results& right);

// A number, bool or tensor as a tensor; undefined for everything else.
at::Tensor as_tensor(const Value& value);

}  // namespace kbx
