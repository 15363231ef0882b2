// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/DynamicTypes.h>
#include <torch/csrc/autograd/python_variable.h>

#include <string>

namespace py = pybind11;

namespace kbx::guest {

py::object to_python(const nlohmann::json& value) {
  using Kind = nlohmann::json::value_t;
  switch (value.type()) {
    case Kind::boolean:
      return py::bool_(value.get<bool>());
    case Kind::number_integer:
      return py::int_(value.get<int64_t>());
    case Kind::number_unsigned:
      return py::int_(value.get<uint64_t>());
    case Kind::number_float:
      return py::float_(value.get<double>());
    case Kind::string: {
      const auto& text = value.get_ref<const std::string&>();
      PyObject* str = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
      if (str == nullptr) throw py::error_already_set();
      return py::reinterpret_steal<py::object>(str);
    }
    case Kind::array: {
      py::list out;
      for (const auto& item : value) out.append(to_python(item));
      return out;
    }
    case Kind::object: {
      py::dict out;
      for (const auto& [key, item] : value.items()) out[to_python(key)] = to_python(item);
      return out;
    }
    default:
      return py::none();
  }
}

nlohmann::json from_python(const py::handle& value) {
  PyObject* p = value.ptr();
  if (p == Py_None) return nullptr;
  if (PyBool_Check(p)) return p == Py_True;
  if (PyLong_Check(p)) {
    const long long number = PyLong_AsLongLong(p);
    if (number == -1 && PyErr_Occurred()) {  // does not fit: as text, which no contract takes for a number
      PyErr_Clear();
      return py::str(value).cast<std::string>();
    }
    return static_cast<int64_t>(number);
  }
  if (PyFloat_Check(p)) return PyFloat_AS_DOUBLE(p);
  if (PyUnicode_Check(p)) {
    const auto bytes = py::reinterpret_steal<py::bytes>(PyUnicode_AsEncodedString(p, "utf-8", "replace"));
    if (!bytes) throw py::error_already_set();
    return static_cast<std::string>(bytes);
  }
  if (PyList_Check(p) || PyTuple_Check(p)) {
    nlohmann::json out = nlohmann::json::array();
    for (const auto& item : py::reinterpret_borrow<py::sequence>(value)) out.push_back(from_python(item));
    return out;
  }
  if (PyDict_Check(p)) {
    nlohmann::json out = nlohmann::json::object();
    for (const auto& [key, item] : py::reinterpret_borrow<py::dict>(value))
      out[from_python(key).get<std::string>()] = from_python(item);
    return out;
  }
  throw py::type_error("a payload holds an object of type " + std::string(Py_TYPE(p)->tp_name));
}

py::object describe_tensor(const py::handle& value, const py::handle& parameter_type) {
  PyObject* p = value.ptr();
  if (!THPVariable_Check(p)) return py::none();
  const bool exact =
      THPVariable_CheckTypeExact(Py_TYPE(p)) || Py_TYPE(p) == reinterpret_cast<PyTypeObject*>(parameter_type.ptr());
  if (!exact) return py::str(std::string("a tensor subclass ") + Py_TYPE(p)->tp_name);
  const at::Tensor& tensor = THPVariable_Unpack(p);
  if (tensor.layout() != at::kStrided) return py::str("a tensor that is not dense");
  if (tensor.is_quantized()) return py::str("a quantised tensor");
  if (!tensor.device().is_cpu() && !tensor.device().is_cuda()) return py::str("a tensor on " + tensor.device().str());
  if (!tensor.has_storage()) return py::str("a tensor without storage");
  py::dict out;
  out["dtype"] = torch::getTHPDtype(tensor.scalar_type())->name;
  out["shape"] = py::cast(tensor.sizes().vec());
  out["place"] = tensor.device().is_cuda() ? "cuda" : "cpu";
  return out;
}

}  // namespace kbx::guest
