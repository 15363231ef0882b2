// SPDX-License-Identifier: Apache-2.0
// Loads and launches Triton's binaries through the CUDA driver. Triton's own way compiles a C program for every launch
// signature; packing the arguments by the signature's types needs none, and no compiler in the sandbox.
#pragma once

#include <pybind11/pybind11.h>

namespace kbx::guest {

void bind_launcher(pybind11::module_& module);

}  // namespace kbx::guest
