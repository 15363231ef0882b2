// SPDX-License-Identifier: Apache-2.0
#include "kbx/check/check.h"
