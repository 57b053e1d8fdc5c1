// SPDX-License-Identifier: Apache-2.0
// The host's name of bfloat16_t.
#pragma once
#include "tla_recorder/numbers.h"
namespace op {
using bfloat16 = bfloat16_t;
}
