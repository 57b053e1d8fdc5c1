// SPDX-License-Identifier: Apache-2.0
// The host's name of half.
#pragma once
#include "tla_recorder/numbers.h"
namespace op {
using fp16_t = half;
}
