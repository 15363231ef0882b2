// SPDX-License-Identifier: Apache-2.0
#include "kbx/cli/seed.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "kbx/base/error.h"

namespace kbx {

std::string random_seed() {
  std::array<uint64_t, 2> bits{};
  if (::getrandom(bits.data(), sizeof bits, 0) != static_cast<ssize_t>(sizeof bits))
    throw Error(ErrorKind::kEnvironment, "the system gives no random numbers");
  return fmt::format("{:016x}{:016x}", bits[0], bits[1]);
}

void erase_seed(int argc, char** argv) {
  constexpr std::string_view kOption = "--seed";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == kOption && i + 1 < argc) {
      std::memset(argv[i + 1], 'x', std::strlen(argv[i + 1]));
    } else if (argument.starts_with("--seed=")) {
      std::memset(argv[i] + kOption.size() + 1, 'x', argument.size() - kOption.size() - 1);
    }
  }
}

}  // namespace kbx
