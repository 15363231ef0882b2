// SPDX-License-Identifier: Apache-2.0
// The run's seed: drawn from the system, or named by --seed. Whoever knows it knows the inputs, and the command line of
// a process can be read by others.
#pragma once

#include <string>

namespace kbx {

// 128 bits in hexadecimal digits.
std::string random_seed();

// Overwrites the value of --seed in the memory that /proc shows.
void erase_seed(int argc, char** argv);

}  // namespace kbx
