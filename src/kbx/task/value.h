// SPDX-License-Identifier: Apache-2.0
// The small tree of values that the 176 signatures take and return. Arguments of a case, results of a submission and
// answers of a reference are all of this kind.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Layout.h>
#include <c10/core/ScalarType.h>

#include <complex>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kbx {

struct Value;

// A Python list or tuple. A result given as either is taken for both.
struct List {
  std::vector<Value> items;
  bool tuple = false;
};

// A Python dict with string keys, in order.
struct Dict {
  std::vector<std::pair<std::string, Value>> items;
};

// The device that the submission runs on ("cuda" there, whatever stands behind it).
struct Place {};

// A torch.Generator on that device, freshly seeded.
struct GeneratorSeed {
  int64_t seed = 0;
};

struct Value {
  using Node = std::variant<std::monostate, bool, int64_t, double, std::complex<double>, std::string, at::ScalarType,
                            at::Layout, Place, GeneratorSeed, at::Tensor, List, Dict>;
  Node node;

  Value() = default;
  Value(bool v) : node(v) {}
  Value(int v) : node(static_cast<int64_t>(v)) {}
  Value(int64_t v) : node(v) {}
  Value(double v) : node(v) {}
  Value(std::complex<double> v) : node(v) {}
  Value(const char* v) : node(std::string(v)) {}
  Value(std::string v) : node(std::move(v)) {}
  Value(at::ScalarType v) : node(v) {}
  Value(at::Layout v) : node(v) {}
  Value(Place v) : node(v) {}
  Value(GeneratorSeed v) : node(v) {}
  Value(at::Tensor v) : node(std::move(v)) {}
  Value(List v) : node(std::move(v)) {}
  Value(Dict v) : node(std::move(v)) {}

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
  bool none() const { return std::holds_alternative<std::monostate>(node); }
};

// A tuple of integers, as shapes and sizes are given.
Value ints(const std::vector<int64_t>& values);

// As Python would print it, tensors as "float32[2, 3]". For descriptions and messages.
std::string to_text(const Value& value);
std::string to_text(const at::Tensor& tensor);

// "float32", "bool", "complex64": torch's names. dtype_named throws std::invalid_argument for a name torch lacks.
std::string_view dtype_name(at::ScalarType dtype);
at::ScalarType dtype_named(std::string_view name);

// A copy of the tree in which every tensor is replaced by f(tensor).
template <typename F>
Value map_tensors(const Value& value, const F& f) {
  if (const auto* t = value.as<at::Tensor>()) return Value(f(*t));
  if (const auto* list = value.as<List>()) {
    List out{.items = {}, .tuple = list->tuple};
    for (const Value& item : list->items) out.items.push_back(map_tensors(item, f));
    return out;
  }
  if (const auto* dict = value.as<Dict>()) {
    Dict out;
    for (const auto& [key, item] : dict->items) out.items.emplace_back(key, map_tensors(item, f));
    return out;
  }
  return value;
}

// Every tensor of the tree, depth first: f(path, tensor), the path as in "result[1]".
template <typename F>
void for_each_tensor(const std::string& path, const Value& value, const F& f) {
  if (const auto* t = value.as<at::Tensor>()) f(path, *t);
  if (const auto* list = value.as<List>())
    for (size_t i = 0; i < list->items.size(); ++i)
      for_each_tensor(path + "[" + std::to_string(i) + "]", list->items[i], f);
  if (const auto* dict = value.as<Dict>())
    for (const auto& [key, item] : dict->items) for_each_tensor(path + "['" + key + "']", item, f);
}

}  // namespace kbx
