// SPDX-License-Identifier: Apache-2.0
// The arguments of one call by name, as references and cost formulas read them. Asking for an argument that a case does
// not give answers with the signature's default; asking for one that neither has is a fault of the task and throws.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kbx/task/value.h"

namespace kbx {

class Signature;

class Args {
 public:
  Args() = default;
  explicit Args(const Signature* signature) : signature_(signature) {}

  void set(std::string name, Value value);
  bool given(std::string_view name) const;
  // Given and not None.
  bool has(std::string_view name) const;
  const Value& at(std::string_view name) const;

  at::Tensor tensor(std::string_view name) const;
  // Empty when the argument is None.
  std::optional<at::Tensor> optional_tensor(std::string_view name) const;
  std::vector<at::Tensor> tensors(std::string_view name) const;
  double number(std::string_view name) const;  // int, float or bool
  int64_t integer(std::string_view name) const;
  bool flag(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  std::optional<double> optional_number(std::string_view name) const;
  std::optional<int64_t> optional_integer(std::string_view name) const;
  // A list of integers; an integer stands for a list of one, repeated `count` times when count > 1 (kernel sizes).
  std::vector<int64_t> integers(std::string_view name, int64_t count = 1) const;
  std::optional<at::ScalarType> optional_dtype(std::string_view name) const;

  const std::vector<std::pair<std::string, Value>>& items() const { return items_; }
  // The same arguments with every tensor replaced by f(tensor).
  template <typename F>
  Args map_tensors(const F& f) const {
    Args out(signature_);
    for (const auto& [name, value] : items_) out.set(name, kbx::map_tensors(value, f));
    return out;
  }
  const Signature* signature() const { return signature_; }

 private:
  const Signature* signature_ = nullptr;
  std::vector<std::pair<std::string, Value>> items_;
};

}  // namespace kbx
