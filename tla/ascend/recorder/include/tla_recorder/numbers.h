// SPDX-License-Identifier: Apache-2.0
// Element types: half and bfloat16 as numbers, narrower floats as bytes, and the names of all in a trace.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tla_recorder {

constexpr uint32_t bits_of(float value) { return __builtin_bit_cast(uint32_t, value); }
constexpr float float_of(uint32_t bits) { return __builtin_bit_cast(float, bits); }

// A float rounded to the nearest half; of two, to the even one.
constexpr uint16_t half_bits(float value) {
    uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return uint16_t(sign | 0x7e00);  // NaN
    if (magnitude >= 0x47800000) return uint16_t(sign | 0x7c00);  // 65536 and more
    if (magnitude < 0x33000000) return uint16_t(sign);  // less than half of the smallest
    // Of the 24 bits of the significand, those under the last place of the result are rounded off.
    uint32_t exponent = magnitude >> 23, normal = exponent >= 113;
    uint32_t significand = normal ? magnitude - (112u << 23) : (magnitude & 0x7fffff) | 0x800000;
    uint32_t shift = normal ? 13 : 126 - exponent;
    uint32_t kept = significand >> shift, rest = significand & ((1u << shift) - 1), middle = 1u << (shift - 1);
    return uint16_t(sign | (kept + (rest > middle || (rest == middle && (kept & 1)))));
}

constexpr float float_of_half(uint16_t bits) {
    uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = bits >> 10 & 31, significand = bits & 0x3ff;
    if (exponent == 31) return float_of(sign | 0x7f800000 | significand << 13);
    if (exponent) return float_of(sign | (exponent + 112) << 23 | significand << 13);
    float small = float(significand) / 16777216.0f;
    return sign ? -small : small;
}

constexpr uint16_t bfloat16_bits(float value) {
    uint32_t bits = bits_of(value);
    return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace tla_recorder

template <class T> using tla_if_number = std::enable_if_t<std::is_arithmetic_v<T>>;

struct half {
    uint16_t bits;
    half() = default;
    template <class T, class = tla_if_number<T>> constexpr half(T value)
        : bits(tla_recorder::half_bits(float(value))) {}
    constexpr operator float() const { return tla_recorder::float_of_half(bits); }
};
struct bfloat16_t {
    uint16_t bits;
    bfloat16_t() = default;
    template <class T, class = tla_if_number<T>> constexpr bfloat16_t(T value)
        : bits(tla_recorder::bfloat16_bits(float(value))) {}
    constexpr operator float() const { return tla_recorder::float_of(uint32_t(bits) << 16); }
};

using float16_t = half;
using float32_t = float;

struct float8_e8m0_t { uint8_t bits; };
struct float8_e4m3_t { uint8_t bits; };
struct float8_e5m2_t { uint8_t bits; };
struct hifloat8_t { uint8_t bits; };
struct float4_e2m1x2_t { uint8_t bits; };  // two numbers
struct float4_e1m2x2_t { uint8_t bits; };
using fp8_e8m0_t = float8_e8m0_t;
using fp8_e4m3fn_t = float8_e4m3_t;
using fp8_e5m2_t = float8_e5m2_t;
using fp4x2_e2m1_t = float4_e2m1x2_t;
using fp4x2_e1m2_t = float4_e1m2x2_t;

namespace AscendC {

struct int4b_t {  // two numbers
    uint8_t bits;
    int4b_t() = default;
    constexpr int4b_t(int value) : bits(uint8_t(value)) {}
};
struct mx_fp8_e4m3_t { uint8_t bits; };
struct mx_fp8_e5m2_t { uint8_t bits; };
using ::fp8_e8m0_t;

template <class T> struct SizeOfBits {
    static constexpr bool is_pair =
        std::is_same_v<T, int4b_t> || std::is_same_v<T, float4_e2m1x2_t> || std::is_same_v<T, float4_e1m2x2_t>;
    static constexpr int value = is_pair ? 4 : 8 * sizeof(T);
};

inline float ToFloat(half value) { return value; }
inline float ToFloat(bfloat16_t value) { return value; }
inline float ToFloat(float value) { return value; }

}  // namespace AscendC

namespace tla_recorder {

template <class T> constexpr size_t bytes_of(int64_t count) { return count * AscendC::SizeOfBits<T>::value / 8; }

template <class T> struct dtype_name { static constexpr const char* value = "?"; };
#define TLA_DTYPE(TYPE, NAME) template <> struct dtype_name<TYPE> { static constexpr const char* value = NAME; };
TLA_DTYPE(half, "float16")
TLA_DTYPE(bfloat16_t, "bfloat16")
TLA_DTYPE(float, "float32")
TLA_DTYPE(double, "float64")
TLA_DTYPE(bool, "bool")
TLA_DTYPE(AscendC::int4b_t, "int4")
TLA_DTYPE(float8_e8m0_t, "float8_e8m0")
TLA_DTYPE(float8_e4m3_t, "float8_e4m3")
TLA_DTYPE(float8_e5m2_t, "float8_e5m2")
TLA_DTYPE(hifloat8_t, "hifloat8")
TLA_DTYPE(AscendC::mx_fp8_e4m3_t, "mx_float8_e4m3")
TLA_DTYPE(AscendC::mx_fp8_e5m2_t, "mx_float8_e5m2")
TLA_DTYPE(float4_e2m1x2_t, "float4_e2m1")
TLA_DTYPE(float4_e1m2x2_t, "float4_e1m2")
#undef TLA_DTYPE

template <class T> constexpr const char* dtype() {
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_integral_v<U> && !std::is_same_v<U, bool>) {
        constexpr const char* names[] = {"uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"};
        constexpr int size = sizeof(U) == 1 ? 0 : sizeof(U) == 2 ? 1 : sizeof(U) == 4 ? 2 : 3;
        return names[2 * size + std::is_signed_v<U>];
    } else return dtype_name<U>::value;
}

}  // namespace tla_recorder
