// SPDX-License-Identifier: Apache-2.0
#include "launcher.h"

#include <ATen/core/Tensor.h>
#include <fmt/format.h>
#include <pybind11/stl.h>
#include <torch/csrc/autograd/python_variable.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "kbx/cuda/driver.h"

namespace py = pybind11;

namespace kbx::guest {
namespace {

// A kernel argument is at most eight bytes wide: pointers and scalars.
using Slot = std::array<unsigned char, 8>;

template <typename T>
void store(Slot& slot, T value) {
  static_assert(sizeof(T) <= sizeof(Slot));
  std::memcpy(slot.data(), &value, sizeof(T));
}

int64_t integer_of(const py::handle& value) {
  // Wraps as C does: an unsigned 64-bit value beyond 2^63 keeps its bits.
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!number) throw py::error_already_set();
  const auto bits = PyLong_AsUnsignedLongLongMask(number.ptr());
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  return static_cast<int64_t>(bits);
}

double float_of(const py::handle& value) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return number;
}

void store_half(Slot& slot, double value) {
  if (PyFloat_Pack2(value, reinterpret_cast<char*>(slot.data()), /*le=*/1) != 0) throw py::error_already_set();
}

// The upper half of the float, as Triton's launcher passes it.
void store_bfloat(Slot& slot, double value) {
  const auto single = static_cast<float>(value);
  uint32_t bits = 0;
  std::memcpy(&bits, &single, sizeof bits);
  store(slot, static_cast<uint16_t>(bits >> 16));
}

// None, an integer address, a tensor on the device, or any object with data_ptr().
void store_pointer(Slot& slot, const py::handle& value, size_t position) {
  if (value.is_none()) return store(slot, uint64_t{0});
  if (PyLong_Check(value.ptr())) return store(slot, integer_of(value));
  if (THPVariable_Check(value.ptr())) {
    const at::Tensor& tensor = THPVariable_Unpack(value.ptr());
    if (!tensor.is_cuda() && !tensor.is_pinned() && tensor.numel() > 0)
      throw py::value_error(
          fmt::format("Pointer argument (at {}) cannot be accessed from Triton (cpu tensor?)", position));
    return store(slot, tensor.data_ptr());
  }
  store(slot, integer_of(value.attr("data_ptr")()));
}

class Launcher {
 public:
  // types: of the arguments that reach the kernel, as Triton writes them ("*fp32", "i32", "fp64", "nvTmaDesc"),
  // constants left out.
  explicit Launcher(std::vector<std::string> types) : types_(std::move(types)) {}

  void launch(const std::array<unsigned, 3>& grid, uintptr_t stream, uintptr_t function, int num_warps, int num_ctas,
              int shared_bytes, bool cooperative, bool programmatic, const py::sequence& arguments) const {
    if (py::len(arguments) != types_.size())
      throw py::type_error(fmt::format("kernel takes {} arguments, {} given", types_.size(), py::len(arguments)));
    std::vector<Slot> slots(types_.size());
    std::vector<void*> pointers(types_.size());
    for (size_t i = 0; i < types_.size(); ++i) {
      if (types_[i] == "nvTmaDesc") {
        pointers[i] = arguments[i].cast<cuda::TensorMap&>().bytes;  // the sequence keeps it alive
        continue;
      }
      pack(slots[i], types_[i], arguments[i], i);
      pointers[i] = slots[i].data();
    }
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) return;  // nothing to do, and the driver refuses empty grids
    cuda::Launch how;
    how.grid[0] = grid[0];
    how.grid[1] = grid[1];
    how.grid[2] = grid[2];
    how.threads = static_cast<unsigned>(32 * num_warps);
    how.shared_bytes = static_cast<unsigned>(shared_bytes);
    how.cluster = static_cast<unsigned>(num_ctas);
    how.cooperative = cooperative;
    how.programmatic = programmatic;
    how.stream = reinterpret_cast<void*>(stream);
    py::gil_scoped_release unlocked;
    cuda::launch(reinterpret_cast<void*>(function), how, pointers);
  }

 private:
  static void pack(Slot& slot, const std::string& type, const py::handle& value, size_t position) {
    if (type[0] == '*') return store_pointer(slot, value, position);
    if (type == "fp32" || type == "f32") return store(slot, static_cast<float>(float_of(value)));
    if (type == "fp64") return store(slot, float_of(value));
    if (type == "fp16") return store_half(slot, float_of(value));
    if (type == "bf16") return store_bfloat(slot, float_of(value));
    if (type[0] == 'i' || type[0] == 'u') return store(slot, integer_of(value));  // little-endian: the low bytes count
    throw py::type_error("a kernel argument of type " + type + " cannot be passed");
  }

  std::vector<std::string> types_;
};

py::tuple load_binary(const std::string& name, const py::bytes& image, int shared_bytes) {
  const cuda::Kernel kernel = cuda::load_kernel(name.c_str(), PyBytes_AS_STRING(image.ptr()), shared_bytes);
  return py::make_tuple(reinterpret_cast<uintptr_t>(kernel.module), reinterpret_cast<uintptr_t>(kernel.function),
                        kernel.registers, kernel.spills, kernel.max_threads);
}

// Triton's own name and parameters: it calls this through its driver. strides: in elements, the innermost's included.
cuda::TensorMap fill_tma_descriptor(uintptr_t base, int swizzle, uint64_t element_bytes, int element_type,
                                    const std::vector<uint32_t>& block, const std::vector<uint64_t>& shape,
                                    const std::vector<uint64_t>& strides, int padding) {
  cuda::Tiling tiling{.base = reinterpret_cast<void*>(base),
                      .element_type = element_type,
                      .swizzle = swizzle,
                      .shape = shape,
                      .strides_bytes = {},
                      .block = block,
                      .nan_outside = padding == 1};
  for (size_t i = 0; i + 1 < strides.size(); ++i) tiling.strides_bytes.push_back(strides[i] * element_bytes);
  return cuda::encode_tensor_map(tiling);
}

}  // namespace

void bind_launcher(py::module_& module) {
  py::class_<cuda::TensorMap>(module, "TensorMap");
  module.def("fill_tma_descriptor", &fill_tma_descriptor);
  py::class_<Launcher>(module, "Launcher").def(py::init<std::vector<std::string>>()).def("launch", &Launcher::launch);
  module.def("load_binary", &load_binary);
  // As Triton words it: programs look for "[CUDA]".
  py::register_local_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const cuda::DriverError& error) {
      PyErr_SetString(PyExc_RuntimeError, fmt::format("Triton Error [CUDA]: {}", error.what()).c_str());
    }
  });
}

}  // namespace kbx::guest
