// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/value.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <stdexcept>

namespace kbx {
namespace {

constexpr std::array kDtypeNames = {
    std::pair{at::kFloat, "float32"},
    std::pair{at::kDouble, "float64"},
    std::pair{at::kHalf, "float16"},
    std::pair{at::kBFloat16, "bfloat16"},
    std::pair{at::kLong, "int64"},
    std::pair{at::kInt, "int32"},
    std::pair{at::kShort, "int16"},
    std::pair{at::kChar, "int8"},
    std::pair{at::kByte, "uint8"},
    std::pair{at::ScalarType::UInt16, "uint16"},
    std::pair{at::ScalarType::UInt32, "uint32"},
    std::pair{at::ScalarType::UInt64, "uint64"},
    std::pair{at::kBool, "bool"},
    std::pair{at::kComplexFloat, "complex64"},
    std::pair{at::kComplexDouble, "complex128"},
    std::pair{at::kComplexHalf, "complex32"},
    std::pair{at::ScalarType::Float8_e4m3fn, "float8_e4m3fn"},
    std::pair{at::ScalarType::Float8_e5m2, "float8_e5m2"},
};

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string joined(const List& list) {
  std::string out;
  for (const Value& item : list.items) out += (out.empty() ? "" : ", ") + to_text(item);
  if (!list.tuple) return "[" + out + "]";
  return "(" + out + (list.items.size() == 1 ? ",)" : ")");
}

std::string joined(const Dict& dict) {
  std::string out;
  for (const auto& [key, item] : dict.items) out += (out.empty() ? "" : ", ") + quoted(key) + ": " + to_text(item);
  return "{" + out + "}";
}

// Python's repr: the shortest digits that give the number back, and always the look of a float.
std::string float_text(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  std::string out = fmt::format("{}", v);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

std::string complex_text(const std::complex<double>& v) {
  return fmt::format("({}{}{}j)", v.real(), std::signbit(v.imag()) ? "-" : "+", std::abs(v.imag()));
}

struct Printer {
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(bool v) const { return v ? "True" : "False"; }
  std::string operator()(int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return float_text(v); }
  std::string operator()(const std::complex<double>& v) const { return complex_text(v); }
  std::string operator()(const std::string& v) const { return quoted(v); }
  std::string operator()(at::ScalarType v) const { return "torch." + std::string(dtype_name(v)); }
  std::string operator()(at::Layout v) const { return v == at::kStrided ? "torch.strided" : "torch.sparse_coo"; }
  std::string operator()(Place) const { return "'cuda'"; }
  std::string operator()(GeneratorSeed v) const { return fmt::format("torch.Generator(seed {})", v.seed); }
  std::string operator()(const at::Tensor& v) const { return to_text(v); }
  std::string operator()(const List& v) const { return joined(v); }
  std::string operator()(const Dict& v) const { return joined(v); }
};

}  // namespace

Value ints(const std::vector<int64_t>& values) {
  List list{.items = {}, .tuple = true};
  for (const int64_t v : values) list.items.emplace_back(v);
  return list;
}

std::string to_text(const Value& value) {
  return std::visit(Printer{}, value.node);
}

std::string to_text(const at::Tensor& tensor) {
  if (!tensor.defined()) return "no tensor";
  return fmt::format("{}[{}]", dtype_name(tensor.scalar_type()), fmt::join(tensor.sizes(), ", "));
}

std::string_view dtype_name(at::ScalarType dtype) {
  for (const auto& [known, name] : kDtypeNames)
    if (known == dtype) return name;
  return c10::toString(dtype);
}

at::ScalarType dtype_named(std::string_view name) {
  for (const auto& [dtype, known] : kDtypeNames)
    if (known == name) return dtype;
  throw std::invalid_argument(fmt::format("no dtype has the name '{}'", name));
}

}  // namespace kbx
