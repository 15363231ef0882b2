// SPDX-License-Identifier: Apache-2.0
// kbx: the command line.
#include "kbx/cli/commands.h"

int main(int argc, char** argv) {
  return kbx::run_cli(argc, argv);
}
