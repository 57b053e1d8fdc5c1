// What CATLASS's own tla headers need of AscendC on a host: for the tests that compile against them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace AscendC {
enum class TPosition { GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECCALC, VECOUT, C2PIPE2GM, MAX };
struct int4b_t {};
template <TPosition>
struct TBuf {};
template <class T>
struct GlobalTensor {
    using PrimType = T;
};
template <class T>
struct LocalTensor {
    using PrimType = T;
};
} // namespace AscendC
using half = uint16_t;
using bfloat16_t = int16_t;
