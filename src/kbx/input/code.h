// SPDX-License-Identifier: Apache-2.0
// Finds the program in what a language model wrote: code alone, or chat text with fenced blocks, perhaps cut off.
//
// What stands below a line of 146 '#' is dropped (the published tests stand there), so is reasoning that ends in
// </think>, and everything from an end token on. Then:
//  1. no fence: the text, without chat before its first line of code; without such a line there is no code;
//  2. blocks that define the entry: the last one that is closed (a model corrects itself downwards, and what is cut off
//     is worth less), with those blocks above it that define a name which it uses and lacks: kernel and wrapper often
//     come apart, and examples of use below them are left out;
//  3. the entry is defined outside of all blocks: the text as it is (a fence in a docstring), or, if the first fence
//     only closes, what stands above it;
//  4. no block defines the entry: the longest block, for the judge to say what is missing.
// A fence is a line of ``` or ~~~ with at most three spaces before it; the last block may lack its end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbx {

// entries: the names under which the function may be defined.
std::string extract_code(std::string_view text, const std::vector<std::string>& entries);

// Whether the code has `def name(` or `name =` at its top level.
bool defines(std::string_view code, std::string_view name);

}  // namespace kbx
