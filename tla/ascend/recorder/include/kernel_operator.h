// SPDX-License-Identifier: Apache-2.0
// AscendC on the host: the same names, and each call becomes a line of a trace. Nothing is computed.
#pragma once
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

// The words that say where code runs or where data lies.
#define __aicore__
#define __global__
#define __gm__
#define __ca__
#define __cb__
#define __cc__
#define __cbuf__
#define __ubuf__
#define __fbuf__
#define __local_mem__
#define __simd_vf__
#define __simd_callee__
#define __simt_vf__
#define __VEC_SCOPE__
#define __inline__ inline
#define __forceinline__ inline
using GM_ADDR = uint8_t*;

#include "tla_recorder/cube.h"
#include "tla_recorder/launch.h"
#include "tla_recorder/moves.h"
#include "tla_recorder/registers.h"
#include "tla_recorder/sync.h"
#include "tla_recorder/vector.h"

// A kernel is compiled for one type of core: the program is built twice.
#ifdef TLA_RECORD_AIV
static constexpr int g_coreType = AscendC::AIV;
#define ASCEND_IS_AIC constexpr(false)
#define ASCEND_IS_AIV constexpr(true)
#define __DAV_VEC__ 1
#else
static constexpr int g_coreType = AscendC::AIC;
#define ASCEND_IS_AIC constexpr(true)
#define ASCEND_IS_AIV constexpr(false)
#define __DAV_CUBE__ 1
#endif

// Two of one type first; a pair of other numbers only where no other template takes it.
constexpr uint32_t min(uint32_t a, uint32_t b) { return a < b ? a : b; }
constexpr uint32_t max(uint32_t a, uint32_t b) { return a > b ? a : b; }
template <class A, class B, class... Nothing> constexpr std::common_type_t<A, B> min(A a, B b, Nothing...) {
    return a < b ? a : b;
}
template <class A, class B, class... Nothing> constexpr std::common_type_t<A, B> max(A a, B b, Nothing...) {
    return a > b ? a : b;
}
inline bool likely(bool condition) { return condition; }
inline bool unlikely(bool condition) { return condition; }

namespace AscendC {

namespace Std {
template <class A, class B> using IsSame = std::is_same<A, B>;
template <class A, class... B> constexpr bool is_one_of_v = (std::is_same_v<A, B> || ...);
template <class T> constexpr bool always_false_v = false;
template <class T> constexpr T max(T a, T b) { return a > b ? a : b; }
template <class T> constexpr T min(T a, T b) { return a < b ? a : b; }
}  // namespace Std
template <class A, class B> using IsSameType = std::is_same<A, B>;
template <class A, class B> constexpr auto CeilDivision(A a, B b) { return b == 0 ? 0 : (a + b - 1) / b; }
constexpr int64_t GetVecLen() { return VECTOR_REG_WIDTH; }
template <class... A> void printf(const char*, A...) {}

}  // namespace AscendC
