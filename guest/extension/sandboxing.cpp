// SPDX-License-Identifier: Apache-2.0
#include "sandboxing.h"

#include <pybind11/stl.h>

#include <algorithm>

#include "kbx/sandbox/apply.h"
#include "kbx/sandbox/self_test.h"

namespace py = pybind11;

namespace kbx::guest {
namespace {

// What was applied to this process, for the self-test.
sandbox::Policy applied;
sandbox::Report report;

py::dict as_dict(sandbox::Mechanism mechanism) {
  py::dict out;
  out["mechanism"] = std::string(sandbox::name(mechanism));
  return out;
}

// config: {"gpu": bool, "readable": [...], "writable": [...], "data_bytes": n}. What a guest needs of the system is
// added. Answers with an entry a mechanism: {"mechanism", "enforced", "reason"}.
py::list apply_sandbox(const py::dict& config) {
  applied = sandbox::system_policy(config["gpu"].cast<bool>());
  const auto extend = [](std::vector<std::string>& paths, const py::handle& more) {
    for (auto& path : more.cast<std::vector<std::string>>()) paths.push_back(std::move(path));
  };
  extend(applied.readable, config["readable"]);
  extend(applied.writable, config["writable"]);
  applied.data_bytes = config["data_bytes"].cast<uint64_t>();
  report = sandbox::apply(applied);
  py::list out;
  for (const sandbox::Entry& entry : report.entries) {
    py::dict part = as_dict(entry.mechanism);
    part["enforced"] = entry.enforced;
    part["reason"] = entry.reason;
    out.append(part);
  }
  return out;
}

// Answers with an entry an act: {"act", "mechanism", "forbidden", "outcome", "surprise"}.
py::list self_test(const std::string& scratch, const std::string& readable_file, const std::string& forbidden_folder,
                   const std::string& forbidden_file) {
  const auto attempts = sandbox::self_test({.scratch = scratch,
                                            .readable_file = readable_file,
                                            .program = "/bin/true",
                                            .forbidden_folder = forbidden_folder,
                                            .forbidden_file = forbidden_file},
                                           applied);
  const auto surprises = sandbox::surprises(report, attempts);
  py::list out;
  for (const sandbox::Attempt& attempt : attempts) {
    py::dict part = as_dict(attempt.mechanism);
    part["act"] = attempt.act;
    part["forbidden"] = attempt.forbidden;
    part["outcome"] = attempt.outcome;
    part["surprise"] = std::any_of(surprises.begin(), surprises.end(),
                                   [&](const sandbox::Attempt& s) { return s.act == attempt.act; });
    out.append(part);
  }
  return out;
}

}  // namespace

void bind_sandbox(py::module_& module) {
  module.def("apply_sandbox", &apply_sandbox);
  module.def("self_test", &self_test);
}

}  // namespace kbx::guest
