// SPDX-License-Identifier: Apache-2.0
// Between payloads and Python objects, and what may be asked of a tensor without trusting Python: its exact type,
// dtype, shape and place.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

namespace kbx::guest {

pybind11::object to_python(const nlohmann::json& value);
// None, bool, int, float, str (invalid surrogates replaced), list, tuple, dict with str keys. Throws
// pybind11::type_error for anything else: the caller only passes what it made itself.
nlohmann::json from_python(const pybind11::handle& value);

// {"shape": [...], "place": "cuda"} of a dense torch.Tensor or torch.nn.Parameter; a string that says
// what is wrong with it otherwise ("a subclass Lazy", "a sparse_coo tensor", "a tensor on meta"); None when it is no
// tensor at all.
pybind11::object describe_tensor(const pybind11::handle& value, const pybind11::handle& parameter_type);

}  // namespace kbx::guest
