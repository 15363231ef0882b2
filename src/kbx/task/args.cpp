// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/args.h"

#include <fmt/format.h>

#include "kbx/base/error.h"
#include "kbx/task/signature.h"

namespace kbx {
namespace {

[[noreturn]] void refuse(std::string_view name, std::string_view wanted, const Value& value) {
  throw Error(ErrorKind::kEnvironment,
              fmt::format("the argument '{}' is read as {}, but it is {}", name, wanted, to_text(value)));
}

std::optional<double> as_number(const Value& value) {
  if (const auto* v = value.as<double>()) return *v;
  if (const auto* v = value.as<int64_t>()) return static_cast<double>(*v);
  if (const auto* v = value.as<bool>()) return *v ? 1.0 : 0.0;
  return std::nullopt;
}

std::optional<int64_t> as_integer(const Value& value) {
  if (const auto* v = value.as<int64_t>()) return *v;
  if (const auto* v = value.as<bool>()) return *v ? 1 : 0;
  return std::nullopt;
}

}  // namespace

void Args::set(std::string name, Value value) {
  for (auto& [known, old] : items_)
    if (known == name) {
      old = std::move(value);
      return;
    }
  items_.emplace_back(std::move(name), std::move(value));
}

bool Args::given(std::string_view name) const {
  for (const auto& [known, value] : items_)
    if (known == name) return true;
  return false;
}

bool Args::has(std::string_view name) const {
  return given(name) && !at(name).none();
}

const Value& Args::at(std::string_view name) const {
  for (const auto& [known, value] : items_)
    if (known == name) return value;
  const Parameter* parameter = signature_ == nullptr ? nullptr : signature_->find(name);
  if (parameter != nullptr && parameter->fallback) return *parameter->fallback;
  throw Error(ErrorKind::kEnvironment, fmt::format("the argument '{}' is neither given nor has it a default in '{}'",
                                                   name, signature_ == nullptr ? "" : signature_->text()));
}

at::Tensor Args::tensor(std::string_view name) const {
  const Value& value = at(name);
  if (const auto* t = value.as<at::Tensor>()) return *t;
  refuse(name, "a tensor", value);
}

std::optional<at::Tensor> Args::optional_tensor(std::string_view name) const {
  return at(name).none() ? std::nullopt : std::optional(tensor(name));
}

std::vector<at::Tensor> Args::tensors(std::string_view name) const {
  const Value& value = at(name);
  const auto* list = value.as<List>();
  if (list == nullptr) refuse(name, "a list of tensors", value);
  std::vector<at::Tensor> out;
  for (const Value& item : list->items) {
    const auto* t = item.as<at::Tensor>();
    if (t == nullptr) refuse(name, "a list of tensors", value);
    out.push_back(*t);
  }
  return out;
}

double Args::number(std::string_view name) const {
  if (const auto v = as_number(at(name))) return *v;
  refuse(name, "a number", at(name));
}

int64_t Args::integer(std::string_view name) const {
  if (const auto v = as_integer(at(name))) return *v;
  refuse(name, "an integer", at(name));
}

bool Args::flag(std::string_view name) const {
  if (const auto* v = at(name).as<bool>()) return *v;
  refuse(name, "a bool", at(name));
}

const std::string& Args::text(std::string_view name) const {
  if (const auto* v = at(name).as<std::string>()) return *v;
  refuse(name, "a text", at(name));
}

std::optional<double> Args::optional_number(std::string_view name) const {
  return at(name).none() ? std::nullopt : std::optional(number(name));
}

std::optional<int64_t> Args::optional_integer(std::string_view name) const {
  return at(name).none() ? std::nullopt : std::optional(integer(name));
}

std::vector<int64_t> Args::integers(std::string_view name, int64_t count) const {
  const Value& value = at(name);
  if (value.none()) return {};
  if (const auto v = as_integer(value)) return std::vector<int64_t>(static_cast<size_t>(count), *v);
  const auto* list = value.as<List>();
  if (list == nullptr) refuse(name, "integers", value);
  std::vector<int64_t> out;
  for (const Value& item : list->items) {
    const auto v = as_integer(item);
    if (!v) refuse(name, "integers", value);
    out.push_back(*v);
  }
  if (out.size() == 1 && count > 1) out.resize(static_cast<size_t>(count), out[0]);
  return out;
}

std::optional<at::ScalarType> Args::optional_dtype(std::string_view name) const {
  const Value& value = at(name);
  if (value.none()) return std::nullopt;
  if (const auto* v = value.as<at::ScalarType>()) return *v;
  refuse(name, "a dtype", value);
}

}  // namespace kbx
