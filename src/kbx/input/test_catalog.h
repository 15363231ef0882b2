// SPDX-License-Identifier: Apache-2.0
// A catalogue of five tasks for tests.
#pragma once

#include "kbx/input/catalog.h"

namespace kbx {

inline Catalog test_catalog() {
  const auto task = [](const char* name, const char* category, const char* entry, const char* signature,
                       const char* description) {
    return nlohmann::json{{"name", name},
                          {"category", category},
                          {"entry", entry},
                          {"signature", signature},
                          {"description", description}};
  };
  return Catalog(nlohmann::json::array({
      task("abs", "Math", "abs", "abs(input)", "The absolute value of every element."),
      task("gelu", "Activation", "gelu", "gelu(input, approximate='none')", "Gaussian error linear unit."),
      task("relu", "Activation", "relu", "relu(input)", "The larger of zero and the element."),
      task("fused_add_gelu", "Fusion", "fused_add_gelu", "fused_add_gelu(a, b)", "gelu(a + b)"),
      task("SGD", "Optimizer", "sgd_step", "sgd_step(param, grad)", "One step of gradient descent."),
  }));
}

inline const Catalog kTestCatalog = test_catalog();

}  // namespace kbx
