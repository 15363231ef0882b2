// SPDX-License-Identifier: Apache-2.0
// What was built: stored with each run.
#pragma once

namespace kbx {

const char* version();  // "0.1.0"
const char* commit();   // "1a2b3c4d5e6f", with "+" where the tree had changes

}  // namespace kbx
