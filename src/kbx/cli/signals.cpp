// SPDX-License-Identifier: Apache-2.0
#include "kbx/cli/signals.h"

#include <csignal>
#include <initializer_list>

namespace kbx {
namespace {

volatile std::sig_atomic_t g_interruptions = 0;

void count(int) {
  g_interruptions = g_interruptions + 1;
}

}  // namespace

void count_interruptions() {
  struct sigaction action {};
  action.sa_handler = count;
  ::sigemptyset(&action.sa_mask);
  for (int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

int interruptions() {
  return g_interruptions;
}

}  // namespace kbx
