// SPDX-License-Identifier: Apache-2.0
// What both sides' workloads do around a call on an NVIDIA card: fresh content into the arguments, poison into the
// result slot, all in stream. Bytes only: what the bytes mean (dtypes, strides, the call itself) is the judge's and the
// guest's business, but they have to refresh alike, or the accounting of checks.h would compare different things.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kbx::timing {

class CudaStaging {
 public:
  // An argument's working copy, which the call is given, and its contents by input. Addresses are on the device.
  struct Argument {
    uint64_t work = 0;
    std::vector<uint64_t> contents;
    size_t bytes = 0;
  };
  // Where results are kept, by slot; bytes is a multiple of four.
  struct Results {
    std::vector<uint64_t> slots;
    size_t bytes = 0;
  };

  CudaStaging(std::vector<Argument> arguments, std::vector<Results> results, uint32_t poison)
      : arguments_(std::move(arguments)), results_(std::move(results)), poison_(poison) {}

  // For Workload::refill.
  void refill(size_t input, size_t slot) const;

 private:
  std::vector<Argument> arguments_;
  std::vector<Results> results_;
  uint32_t poison_;
};

}  // namespace kbx::timing
