// SPDX-License-Identifier: Apache-2.0
// Arguments into shared memory and results out of it. A tensor lies in a block of its own between two guards of poison;
// the guest gets copies, so after a call the guards tell stray writes, and the originals tell changed inputs.
// guest/kbx_guest/values.py is the other side of the payloads made here.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "kbx/judge/memory.h"
#include "kbx/task/task.h"
#include "kbx/wire/message.h"

namespace kbx {

// A repeated pattern that is unlikely to be anybody's result, different for every guest.
struct Poison {
  std::array<std::byte, 8> pattern{};
  static Poison random();
  void fill(std::span<std::byte> bytes) const;
  bool intact(std::span<const std::byte> bytes) const;
};

// A tensor of the submission's, as it describes it: the claim decides only how the bytes are read.
struct TensorClaim {
  at::ScalarType dtype = at::kFloat;
  std::vector<int64_t> shape;
  bool on_device = true;
};

// One tensor in shared memory.
struct Placed {
  std::string name;  // "input", "tensors[1]", "result[0]"
  BlockPool::Lent lent;
  size_t offset = 0;    // of the first element
  size_t bytes = 0;     // up to the last element
  at::Tensor original;  // private; undefined for a result
};

// The arguments of one call, placed; gives its blocks back at the end of its life.
class PlacedCall {
 public:
  PlacedCall(BlockPool& pool, const Poison& poison, const Signature& signature, const Args& args);
  PlacedCall(const PlacedCall&) = delete;
  PlacedCall& operator=(const PlacedCall&) = delete;
  ~PlacedCall();

  // {"args": [...], "kwargs": {...}}: parameters without a default by position, the others by keyword.
  const wire::Json& payload() const { return payload_; }
  const std::vector<Placed>& inputs() const { return inputs_; }

  // Slots for results of these claims; poisoned.
  const std::vector<Placed>& place_results(const std::vector<TensorClaim>& claims);

  // Below: after the call.
  // The first tensor with a byte of its guards changed.
  std::optional<std::string> stray_write() const;
  // The first argument that changed although it is not in `allowed`.
  std::optional<std::string> mutated_input(const std::vector<std::string>& allowed) const;
  // The arguments as they are now in shared memory, copied.
  Args arguments_now(const Args& args) const;
  std::vector<at::Tensor> results(const std::vector<TensorClaim>& claims) const;

 private:
  wire::Json encode(const std::string& name, const Value& value);
  Placed place(const std::string& name, size_t bytes);

  BlockPool& pool_;
  const Poison& poison_;
  std::vector<Placed> inputs_, results_;
  wire::Json payload_;
};

// A result as the guest described it: tensors are meta tensors of the claimed dtype and shape. Throws
// wire::ProtocolError when the tree is not one that the guest's code makes.
struct DescribedResult {
  Results results;                  // a list or tuple at the top is several results
  std::vector<TensorClaim> claims;  // in the order of for_each_tensor
};
DescribedResult decode_result(const wire::Json& tree);
// The same tree with its tensors replaced, in order.
Results with_tensors(const Results& results, const std::vector<at::Tensor>& tensors);

}  // namespace kbx
