// SPDX-License-Identifier: Apache-2.0
// Vector functions of Ascend950. Each is one line of the trace. If all its calls are known here, the line has them:
// the element type, the bytes of the lanes that the mask takes, the registers that are written and read, and a
// scalar or how memory is read. Of others the driver leaves the name and the arguments.
#pragma once
#include <algorithm>

#include "names.h"
#include "numbers.h"

namespace AscendC {

namespace Reg {
enum class RegLayout { UNKNOWN, ZERO, ONE, TWO, THREE };
enum class SatMode { UNKNOWN, NO_SAT, SAT };
enum class MaskMergeMode { UNKNOWN, ZEROING, MERGING };
TLA_ENUM(enum class, LoadDist, DIST_NORM, DIST_BRC_B8, DIST_BRC_B16, DIST_BRC_B32, DIST_DINTLV_B8, DIST_DINTLV_B16,
         DIST_DINTLV_B32, DIST_UNPACK_B8, DIST_UNPACK_B16, DIST_UNPACK_B32, DIST_UNPACK4_B8, DIST_US_B8, DIST_US_B16,
         DIST_E2B_B16, DIST_E2B_B32)
TLA_ENUM(enum class, StoreDist, DIST_NORM, DIST_NORM_B8, DIST_NORM_B16, DIST_NORM_B32, DIST_PACK_B16, DIST_PACK_B32,
         DIST_PACK4_B32, DIST_INTLV_B8, DIST_INTLV_B16, DIST_INTLV_B32, DIST_FIRST_ELEMENT_B8,
         DIST_FIRST_ELEMENT_B16, DIST_FIRST_ELEMENT_B32)
enum class PostLiteral { POST_MODE_NORMAL, POST_MODE_UPDATE };
constexpr PostLiteral POST_UPDATE = PostLiteral::POST_MODE_UPDATE;
enum class DataCopyMode { NORM, DATA_BLOCK_COPY };
enum class MaskDist { DIST_NORM, DIST_US, DIST_DS };
enum class MemType { VEC_STORE, VEC_LOAD, SCALAR_STORE, SCALAR_LOAD, VEC_ALL, SCALAR_ALL };
enum class ReduceType { SUM, MAX, MIN };
enum class MaskPattern { ALL, VL1, VL2, VL3, VL4, VL8, VL16, VL32, VL64, VL128, M3, M4, H, Q, ALLF };
struct CastTrait {
    RegLayout layoutMode = RegLayout::UNKNOWN;
    SatMode satMode = SatMode::UNKNOWN;
    MaskMergeMode mrgMode = MaskMergeMode::UNKNOWN;
    RoundMode roundMode = RoundMode::UNKNOWN;
};
struct MaskReg {
    size_t bytes = VECTOR_REG_WIDTH;  // of the lanes that it takes: the first ones
};
struct UnalignReg {};
using UnalignRegForStore = UnalignReg;
using UnalignRegForLoad = UnalignReg;
}  // namespace Reg
namespace MicroAPI = Reg;

}  // namespace AscendC

namespace tla_recorder {

template <class A> void vector_argument(Object& out, const std::string& name, const A& argument) {
    if constexpr (std::is_pointer_v<A>) {
        Object place;
        place.text("space", "UB").value("addr", uint64_t(argument));
        place.text("dtype", dtype<std::remove_pointer_t<A>>());
        out.raw(name.c_str(), place.json_text());
    } else if constexpr (std::is_arithmetic_v<A> || std::is_enum_v<A>) out.value(name.c_str(), argument);
}

// The calls of the function on registers that runs.
inline std::string* code = nullptr;
inline bool is_known = true;
inline std::vector<bool> registers_in_use;

class VectorFunction {
    std::string name_, arguments_, code_;

public:
    template <class... A> VectorFunction(const char* name, const char* names, const A&... arguments) : name_(name) {
        Object out;
        size_t index = 0;
        (vector_argument(out, name_in(names, index++), arguments), ...);
        arguments_ = out.json_text();
        code = &code_;
        is_known = true;
    }
    ~VectorFunction() {
        code = nullptr;
        Line line("VectorFunction", "V");
        line.with("name", name_).raw("arguments", arguments_);
        if (is_known && !code_.empty()) line.raw("code", "[" + code_ + "]");
    }
};

template <class... A> void vector_function(const char* name, const char* names, const A&... arguments) {
    VectorFunction(name, names, arguments...);
}

inline int take_register() {
    size_t number = 2;  // the machine exchanges by the first two
    while (number < registers_in_use.size() && registers_in_use[number]) ++number;
    if (number >= registers_in_use.size()) registers_in_use.resize(number + 1);
    registers_in_use[number] = true;
    return int(number);
}

inline std::string numbers(std::initializer_list<int> list) {
    std::string out;
    for (int one : list) out += (out.empty() ? "" : ", ") + std::to_string(one);
    return "[" + out + "]";
}

inline void call(const char* op, const char* type, size_t mask, std::initializer_list<int> dst,
                 std::initializer_list<int> src, const std::string& value = "null") {
    if (!code) return;
    *code += (code->empty() ? "[" : ", [") + quoted(op) + ", " + quoted(type) + ", " + std::to_string(mask) + ", " +
             numbers(dst) + ", " + numbers(src) + ", " + value + "]";
}

template <class D, class T> std::string place(D dist, const T* at) {
    return "[" + quoted(name_of(dist)) + ", " + std::to_string(uint64_t(at)) + "]";
}

}  // namespace tla_recorder

namespace AscendC {
namespace Reg {

template <class T, class... Rest> struct RegTensor {
    using type = T;
    int number = tla_recorder::take_register();
    RegTensor() = default;
    RegTensor(const RegTensor&) = delete;
    ~RegTensor() { tla_recorder::registers_in_use[number] = false; }
};

template <class T, class... Rest> MaskReg UpdateMask(uint32_t& count) {
    uint32_t taken = std::min(count, uint32_t(VECTOR_REG_WIDTH / sizeof(T)));
    count -= taken;
    return {taken * sizeof(T)};
}
template <class T, MaskPattern P = MaskPattern::ALL, class... Rest> MaskReg CreateMask() {
    constexpr int lanes[] = {0, 1, 2, 3, 4, 8, 16, 32, 64, 128};
    if constexpr (P == MaskPattern::ALL) return {};
    else if constexpr (P == MaskPattern::ALLF) return {0};
    else if constexpr (P <= MaskPattern::VL128) return {std::min(lanes[int(P)] * sizeof(T), size_t(VECTOR_REG_WIDTH))};
    tla_recorder::is_known = false;
    return {};
}
template <MemType...> void LocalMemBar() {}

// --- memory: whole registers, the place after them, and those of two registers at once

#define TLA_MEMORY(LOAD, STORE)                                                                                \
    template <class T, LoadDist D = LoadDist::DIST_NORM, class U, class... R>                                  \
    void LOAD(RegTensor<U, R...>& dst, const T* src) {                                                         \
        tla_recorder::call("Load", tla_recorder::dtype<T>(), VECTOR_REG_WIDTH, {dst.number}, {},               \
                           tla_recorder::place(D, src));                                                       \
    }                                                                                                          \
    template <class T, LoadDist D, class U> void LOAD(RegTensor<U>& one, RegTensor<U>& two, const T* src) {    \
        tla_recorder::call("Load", tla_recorder::dtype<T>(), VECTOR_REG_WIDTH, {one.number, two.number}, {},   \
                           tla_recorder::place(D, src));                                                       \
    }                                                                                                          \
    template <class T, PostLiteral P, LoadDist D = LoadDist::DIST_NORM, class U>                               \
    void LOAD(RegTensor<U>& dst, T*& src, int32_t step) {                                                      \
        LOAD<T, D>(dst, src);                                                                                  \
        src += step;                                                                                           \
    }                                                                                                          \
    template <class T, PostLiteral P, LoadDist D, class U>                                                     \
    void LOAD(RegTensor<U>& one, RegTensor<U>& two, T*& src, int32_t step) {                                   \
        LOAD<T, D>(one, two, src);                                                                             \
        src += step;                                                                                           \
    }                                                                                                          \
    template <class T, StoreDist D = StoreDist::DIST_NORM, class U>                                            \
    void STORE(T* dst, const RegTensor<U>& src, const MaskReg& mask) {                                         \
        tla_recorder::call("Store", tla_recorder::dtype<T>(), mask.bytes, {}, {src.number},                    \
                           tla_recorder::place(D, dst));                                                       \
    }                                                                                                          \
    template <class T, PostLiteral P, StoreDist D = StoreDist::DIST_NORM, class U>                             \
    void STORE(T*& dst, const RegTensor<U>& src, int32_t step, const MaskReg& mask) {                          \
        STORE<T, D>(dst, src, mask);                                                                           \
        dst += step;                                                                                           \
    }                                                                                                          \
    template <class T, DataCopyMode M, PostLiteral P, class U>                                                 \
    void STORE(T*& dst, const RegTensor<U>& src, uint32_t blocks, uint32_t step, const MaskReg& mask) {        \
        std::string value = "[\"DATA_BLOCK_COPY\", " + std::to_string(uint64_t(dst));                          \
        tla_recorder::call("Store", tla_recorder::dtype<T>(), mask.bytes, {}, {src.number},                    \
                           value + ", " + std::to_string(blocks) + "]");                                       \
        dst += step * ONE_BLK_SIZE / sizeof(T);                                                                \
    }                                                                                                          \
    template <class T, DataCopyMode M, class U>                                                                \
    void STORE(T* dst, const RegTensor<U>& src, uint32_t blocks, const MaskReg& mask) {                        \
        STORE<T, M, PostLiteral::POST_MODE_NORMAL>(dst, src, blocks, 0, mask);                                 \
    }                                                                                                          \
    template <class T, PostLiteral P, MaskDist D, class... A> void LOAD(MaskReg&, T*&, A&&...) {               \
        tla_recorder::is_known = false; /* masks of memory are not recorded */                                 \
    }
TLA_MEMORY(LoadAlign, StoreAlign)
TLA_MEMORY(DataCopy, DataCopy)
#undef TLA_MEMORY
template <class T, PostLiteral P, class U>
void StoreUnAlign(T*& dst, const RegTensor<U>& src, UnalignReg&, uint32_t count) {
    StoreAlign<T>(dst, src, {count * sizeof(T)});
    dst += count;
}
template <class T, PostLiteral P = PostLiteral::POST_MODE_NORMAL> void StoreUnAlignPost(T*&, UnalignReg&, int32_t) {}
template <class T> void vstas(UnalignReg&, T*&, int32_t, PostLiteral) {}

// --- lanes

#define TLA_LANES(NAME)                                                                                        \
    template <class T = void, MaskMergeMode M = MaskMergeMode::ZEROING, class U>                               \
    void NAME(RegTensor<U>& dst, const RegTensor<U>& a, const MaskReg& mask) {                                 \
        tla_recorder::call(#NAME, tla_recorder::dtype<U>(), mask.bytes, {dst.number}, {a.number});             \
    }
TLA_LANES(Exp) TLA_LANES(Ln) TLA_LANES(Abs) TLA_LANES(Sqrt) TLA_LANES(Neg) TLA_LANES(Not) TLA_LANES(Relu)
TLA_LANES(ReduceSum) TLA_LANES(ReduceMax) TLA_LANES(ReduceMin)
#undef TLA_LANES
#define TLA_LANES(NAME)                                                                                        \
    template <class T = void, MaskMergeMode M = MaskMergeMode::ZEROING, class U>                               \
    void NAME(RegTensor<U>& dst, const RegTensor<U>& a, const RegTensor<U>& b, const MaskReg& mask) {          \
        tla_recorder::call(#NAME, tla_recorder::dtype<U>(), mask.bytes, {dst.number}, {a.number, b.number});   \
    }
TLA_LANES(Add) TLA_LANES(Sub) TLA_LANES(Mul) TLA_LANES(Div) TLA_LANES(Max) TLA_LANES(Min) TLA_LANES(And) TLA_LANES(Or)
TLA_LANES(Xor) TLA_LANES(Select)
#undef TLA_LANES
#define TLA_LANES(NAME, OP, ...)                                                                               \
    template <class T = void, MaskMergeMode M = MaskMergeMode::ZEROING, class U, class S>                      \
    void NAME(RegTensor<U>& dst, const RegTensor<U>& a, const S& scalar, const MaskReg& mask) {                \
        tla_recorder::call(OP, tla_recorder::dtype<U>(), mask.bytes, {dst.number}, {a.number __VA_ARGS__},     \
                           tla_recorder::json(scalar));                                                        \
    }
#define TLA_DST , dst.number
TLA_LANES(Adds, "Adds") TLA_LANES(Muls, "Muls") TLA_LANES(Maxs, "Maxs") TLA_LANES(Mins, "Mins")
TLA_LANES(ShiftLefts, "ShiftLeft") TLA_LANES(ShiftRights, "ShiftRight") TLA_LANES(Axpy, "Axpy", TLA_DST)
#undef TLA_DST
#undef TLA_LANES
template <class T = void, MaskMergeMode M = MaskMergeMode::ZEROING, class U>
void ExpSub(RegTensor<U>& dst, const RegTensor<U>& a, const RegTensor<U>& b, const MaskReg& mask) {
    Sub(dst, a, b, mask);
    Exp(dst, dst, mask);
}
template <class T = void, MaskMergeMode M = MaskMergeMode::ZEROING, class U>
void FusedExpSub(RegTensor<U>& dst, const RegTensor<U>& a, const RegTensor<U>& b, const MaskReg& mask) {
    ExpSub(dst, a, b, mask);
}
template <class T = void, MaskMergeMode M = MaskMergeMode::ZEROING, class U>
void MulDstAdd(RegTensor<U>& dst, const RegTensor<U>& a, const RegTensor<U>& b, const MaskReg& mask) {
    Mul(dst, dst, a, mask);
    Add(dst, dst, b, mask);
}
template <ReduceType R, class T = void, class S = void, MaskMergeMode M = MaskMergeMode::ZEROING, class U>
void Reduce(RegTensor<U>& dst, const RegTensor<U>& a, const MaskReg& mask) {
    if constexpr (R == ReduceType::SUM) ReduceSum(dst, a, mask);
    else if constexpr (R == ReduceType::MAX) ReduceMax(dst, a, mask);
    else ReduceMin(dst, a, mask);
}
template <class T = void, MaskMergeMode M = MaskMergeMode::ZEROING, class U, class S>
void Duplicate(RegTensor<U>& dst, const S& value, const MaskReg& mask = {}) {
    if constexpr (std::is_convertible_v<S, float>)
        tla_recorder::call("Duplicate", tla_recorder::dtype<U>(), mask.bytes, {dst.number}, {},
                           tla_recorder::json(U(value)));
    else tla_recorder::call("Duplicate", tla_recorder::dtype<U>(), mask.bytes, {dst.number}, {value.number});
}
template <class T = void, class U>
void Interleave(RegTensor<U>& one, RegTensor<U>& two, const RegTensor<U>& a, const RegTensor<U>& b) {
    tla_recorder::call("Interleave", tla_recorder::dtype<U>(), VECTOR_REG_WIDTH, {one.number, two.number},
                       {a.number, b.number});
}
template <class T = void, class U>
void DeInterleave(RegTensor<U>& one, RegTensor<U>& two, const RegTensor<U>& a, const RegTensor<U>& b) {
    tla_recorder::call("DeInterleave", tla_recorder::dtype<U>(), VECTOR_REG_WIDTH, {one.number, two.number},
                       {a.number, b.number});
}
template <class D, class S, const CastTrait& trait, class T, class U>
void Cast(RegTensor<T>& dst, const RegTensor<U>& src, const MaskReg& mask) {
    constexpr const char* layouts[] = {"UNKNOWN", "ZERO", "ONE", "TWO", "THREE"};
    std::string value = "[" + tla_recorder::quoted(tla_recorder::dtype<S>()) + ", " +
                        tla_recorder::quoted(name_of(trait.roundMode)) + ", " +
                        tla_recorder::quoted(layouts[int(trait.layoutMode)]) + "]";
    tla_recorder::call("Cast", tla_recorder::dtype<D>(), mask.bytes, {dst.number}, {src.number}, value);
}

}  // namespace Reg
}  // namespace AscendC
