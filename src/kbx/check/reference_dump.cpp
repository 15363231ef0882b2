// SPDX-License-Identifier: Apache-2.0
#include "kbx/check/reference_dump.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "kbx/check/check.h"

namespace kbx {
namespace {

using nlohmann::json;

std::string hex_of(const at::Tensor& tensor) {
  static constexpr char kDigits[] = "0123456789abcdef";
  const at::Tensor flat = tensor.contiguous();
  const auto* bytes = static_cast<const unsigned char*>(flat.const_data_ptr());
  std::string out;
  out.reserve(2 * flat.nbytes());
  for (size_t i = 0; i < flat.nbytes(); ++i) {
    out += kDigits[bytes[i] >> 4];
    out += kDigits[bytes[i] & 15];
  }
  return out;
}

json tensor_node(const at::Tensor& t) {
  const char* type = t.is_complex()           ? "complex"
                     : t.is_floating_point()  ? "float"
                     : t.dtype() == at::kBool ? "bool"
                                              : "int";
  const at::ScalarType wide = t.is_complex()                 ? at::kComplexDouble
                              : t.is_floating_point()        ? at::kDouble
                              : t.scalar_type() == at::kBool ? at::kBool
                                                             : at::kLong;
  return {
      {"tensor", t.sizes().vec()}, {"type", type}, {"dtype", dtype_name(t.scalar_type())}, {"hex", hex_of(t.to(wide))}};
}

json node_of(const Value& value) {
  if (const auto* t = value.as<at::Tensor>()) return tensor_node(*t);
  if (const auto* list = value.as<List>()) {
    json items = json::array();
    for (const Value& item : list->items) items.push_back(node_of(item));
    return {{list->tuple ? "tuple" : "list", items}};
  }
  if (const auto* dict = value.as<Dict>()) {
    json items = json::object();
    for (const auto& [key, item] : dict->items) items[key] = node_of(item);
    return {{"dict", items}};
  }
  if (const auto* number = value.as<std::complex<double>>()) return {{"complex", {number->real(), number->imag()}}};
  if (const auto* dtype = value.as<at::ScalarType>()) return {{"dtype", dtype_name(*dtype)}};
  if (const auto* seed = value.as<GeneratorSeed>()) return {{"generator", seed->seed}};
  if (value.as<Place>() != nullptr || value.as<at::Layout>() != nullptr) return {{"place", to_text(value)}};
  if (const auto* flag = value.as<bool>()) return *flag;
  if (const auto* integer = value.as<int64_t>()) return *integer;
  if (const auto* number = value.as<double>()) return {{"float", fmt::format("{}", *number)}};  // infinities too
  if (const auto* text = value.as<std::string>()) return *text;
  return nullptr;
}

json nodes_of(const Args& args) {
  json out = json::object();
  for (const auto& [name, value] : args.items()) out[name] = node_of(value);
  return out;
}

int64_t elements_of(const Args& args, const Results& results) {
  int64_t count = 0;
  const auto add = [&](const std::string&, const at::Tensor& t) { count += t.numel(); };
  for (const auto& [name, value] : args.items()) for_each_tensor(name, value, add);
  for (const Value& value : results) for_each_tensor("result", value, add);
  return count;
}

}  // namespace

json reference_dump(const Task& task, std::string_view seed, int64_t max_elements) {
  const Signature signature = call_signature(task);
  json out = json::array();
  for (const Case& c : task.cases) {
    const Args args =
        realise(signature, recipes_of(c, seed, task.name), seed, fmt::format("{}/{}", task.name, c.label));
    Expectation right = expect(task, args);
    // The reference of a quantised task is the product that it approximates; what is right is a scheme's.
    if (const auto* quantised = std::get_if<Quantised>(&task.contract.rule))
      right.values = {quantised->schemes.front().ideal(args)};
    if (elements_of(args, right.values) > max_elements) continue;
    json results = json::array(), after = json::object();
    for (const Value& value : right.values) results.push_back(node_of(value));
    for (const std::string& name : task.mutates)
      if (right.after.has(name)) after[name] = node_of(right.after.at(name));
    out.push_back({{"label", c.label}, {"args", nodes_of(args)}, {"results", results}, {"after", after}});
  }
  return out;
}

}  // namespace kbx
