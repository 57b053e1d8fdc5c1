// SPDX-License-Identifier: Apache-2.0
// The enumerations of AscendC: pipes, events, positions, modes.
#pragma once
#include "line.h"

TLA_ENUM(enum, pipe_t, PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5,
         PIPE_V2, PIPE_FIX)
enum event_t : int {
    EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7
};
TLA_ENUM(enum, QuantMode_t, NoQuant, F322F16, F322BF16, DEQF16, VDEQF16, QF322B8_PRE, VQF322B8_PRE, REQ8, VREQ8,
         QF322FP8_PRE, VQF322FP8_PRE, QF322HIF8_PRE, VQF322HIF8_PRE, QF322F16_PRE, VQF322F16_PRE, QF322BF16_PRE,
         VQF322BF16_PRE, QF322F32_PRE, VQF322F32_PRE, QS322BF16_PRE, VQS322BF16_PRE, DEQS16, VDEQS16,
         SHIFTS322S16, VSHIFTS322S16)

namespace tla_recorder {
inline std::string pipe_name(pipe_t pipe) { return name_of(pipe).substr(strlen("PIPE_")); }
}  // namespace tla_recorder

namespace AscendC {

constexpr int32_t MIX = 0, AIC = 1, AIV = 2;

enum class TPosition : uint8_t {
    GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM, SPM, SHM, TSCM, C2PIPE2GM, C2PIPE2LOCAL, MAX
};
using QuePosition = TPosition;

TLA_ENUM(enum class, HardEvent, MTE2_MTE1, MTE1_MTE2, MTE1_M, M_MTE1, MTE2_V, V_MTE2, MTE3_V, V_MTE3, M_V, V_M,
         V_V, MTE3_MTE1, MTE1_MTE3, MTE1_V, MTE2_M, M_MTE2, V_MTE1, M_FIX, FIX_M, MTE3_MTE2, MTE2_MTE3, S_V, V_S,
         S_MTE2, MTE2_S, S_MTE3, MTE3_S, MTE2_FIX, FIX_MTE2, FIX_S, M_S, FIX_MTE3, MTE3_FIX, MTE1_FIX, FIX_MTE1,
         FIX_FIX, FIX_V, V_FIX, MAX)
TLA_ENUM(enum class, CMPMODE, LT, GT, EQ, LE, GE, NE)
TLA_ENUM(enum class, CO2Layout, NZ, ROW_MAJOR, COLUMN_MAJOR)
TLA_ENUM(enum class, MaskMode, NORMAL, COUNTER)
TLA_ENUM(enum class, ReduceOrder, ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX)
TLA_ENUM(enum class, RoundMode, CAST_NONE, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD,
         UNKNOWN)
enum class SELMODE { VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class FmatrixMode { FMATRIX_LEFT, FMATRIX_RIGHT };
enum class PaddingMode { Normal, Compact };
enum class CacheLine { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class CacheMode { CACHE_MODE_DISABLE, CACHE_MODE_NORMAL, CACHE_MODE_LAST, CACHE_MODE_PERSISTENT };
enum class DcciDst { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class DataFormat { ND, NZ };
enum DataType { DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT8 = 2, DT_INT32 = 3, DT_BF16 = 27 };

constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr int ONE_BLK_SIZE = 32, ONE_BLOCK_SIZE = 32, DEFAULT_C0_SIZE = 32, BLOCK_CUBE = 16, VECTOR_REG_WIDTH = 256;

}  // namespace AscendC
