// SPDX-License-Identifier: Apache-2.0
// kbx_guest._native: frames, shared memory, sandbox and launches for the guest. Nothing here knows what a task is.
#include <torch/csrc/Dtype.h>
#include <torch/csrc/autograd/python_variable.h>

#include <chrono>
#include <memory>

#include "blocks.h"
#include "kbx/wire/channel.h"
#include "launcher.h"
#include "sandboxing.h"
#include "values.h"

namespace py = pybind11;
using namespace kbx;         // NOLINT: this file is the seam between the two worlds
using namespace kbx::guest;  // NOLINT

namespace {

// One end of a channel for Python. Blocking calls release the interpreter's lock.
class PyChannel {
 public:
  PyChannel(int fd, size_t max_payload) : channel_(Fd(fd), max_payload) {}

  bool send(int type, uint64_t nonce, const py::object& payload) {
    const auto json = from_python(payload);
    py::gil_scoped_release unlocked;
    return channel_.send(static_cast<wire::Type>(type), nonce, json);
  }

  // (type, nonce, payload, descriptors), or None at the time limit. Raises EOFError when the peer has gone.
  py::object receive(const py::object& timeout_s) {
    auto deadline = wire::Clock::time_point::max();
    if (!timeout_s.is_none())
      deadline = wire::Clock::now() + std::chrono::microseconds(static_cast<int64_t>(timeout_s.cast<double>() * 1e6));
    wire::Received received;
    {
      py::gil_scoped_release unlocked;
      received = channel_.receive(deadline);
    }
    if (received.arrival == wire::Arrival::kTimeout) return py::none();
    if (received.arrival == wire::Arrival::kClosed) {
      PyErr_SetNone(PyExc_EOFError);
      throw py::error_already_set();
    }
    py::list fds;
    for (Fd& fd : received.message.fds) fds.append(fd.release());
    return py::make_tuple(static_cast<int>(received.message.type), received.message.nonce,
                          to_python(received.message.payload), fds);
  }

  int fileno() const { return channel_.fd(); }
  void close() { channel_.close(); }

 private:
  wire::Channel channel_;
};

}  // namespace

PYBIND11_MODULE(_native, module) {
  module.doc() = "Frames, shared memory and sandbox of KernelBench-X's guest.";
  py::class_<PyChannel>(module, "Channel")
      .def(py::init<int, size_t>(), py::arg("fd"), py::arg("max_payload") = size_t{64} << 20)
      .def("send", &PyChannel::send)
      .def("receive", &PyChannel::receive, py::arg("timeout_s") = py::none())
      .def("fileno", &PyChannel::fileno)
      .def("close", &PyChannel::close);
  py::class_<Blocks>(module, "Blocks")
      .def(py::init<>())
      .def("map", [](Blocks& self, int64_t id, int fd, size_t bytes, bool cuda) { self.map(id, Fd(fd), bytes, cuda); })
      .def("tensor",
           [](const Blocks& self, int64_t id, size_t offset, const py::object& dtype, const std::vector<int64_t>& shape,
              const std::vector<int64_t>& strides) {
             const auto type = reinterpret_cast<THPDtype*>(dtype.ptr())->scalar_type;
             return py::reinterpret_steal<py::object>(THPVariable_Wrap(self.tensor(id, offset, type, shape, strides)));
           })
      .def("take", [](const Blocks& self, int64_t id, size_t offset, const py::object& tensor) {
        self.take(id, offset, THPVariable_Unpack(tensor.ptr()));
      });
  module.def("describe_tensor", &describe_tensor);
  bind_launcher(module);
  bind_sandbox(module);
}
