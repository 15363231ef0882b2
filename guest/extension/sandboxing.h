// SPDX-License-Identifier: Apache-2.0
// The sandbox, as Python calls it in a fresh guest.
#pragma once

#include <pybind11/pybind11.h>

namespace kbx::guest {

void bind_sandbox(pybind11::module_& module);

}  // namespace kbx::guest
