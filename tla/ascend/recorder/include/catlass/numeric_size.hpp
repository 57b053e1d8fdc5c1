// SPDX-License-Identifier: Apache-2.0
//
// Found before CATLASS's own file of this name, so that the bits of a type are those of the device: only there
// does it know that int4b_t has 4.

#pragma once

#include "catlass/catlass.hpp"
#define __CCE__
#include_next "catlass/numeric_size.hpp"
#undef __CCE__
