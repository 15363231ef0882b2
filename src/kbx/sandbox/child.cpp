// SPDX-License-Identifier: Apache-2.0
#include "kbx/sandbox/child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "kbx/base/error.h"

namespace kbx::sandbox {
namespace {

int guarded(const std::function<int()>& act) {
  try {
    return act();
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "%s\n", exception.what());
    return ENOTRECOVERABLE;
  }
}

}  // namespace

std::string Outcome::text() const {
  if (signal != 0) return std::string("killed by SIG") + ::sigabbrev_np(signal) + (core ? " with a core dump" : "");
  return error == 0 ? "succeeded" : ::strerrorname_np(error);
}

Outcome in_child(const std::function<int()>& act) {
  const pid_t pid = ::fork();
  if (pid < 0) throw Error(ErrorKind::kEnvironment, std::string("sandbox: fork: ") + std::strerror(errno));
  if (pid == 0) ::_exit(guarded(act));  // errno values fit into an exit status
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {.error = 0, .signal = WTERMSIG(status), .core = WCOREDUMP(status) != 0};
  return {.error = WEXITSTATUS(status), .signal = 0, .core = false};
}

}  // namespace kbx::sandbox
