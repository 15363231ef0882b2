// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM, counted: the first asks a run to finish what is in flight, the second to kill it.
#pragma once

namespace kbx {

// Signals then interrupt waiting calls, which are not restarted.
void count_interruptions();
int interruptions();

}  // namespace kbx
