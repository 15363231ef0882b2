// SPDX-License-Identifier: Apache-2.0
// What a task's file includes.
#pragma once

#include <ATen/ATen.h>

#include "kbx/task/families.h"
#include "kbx/task/registry.h"
