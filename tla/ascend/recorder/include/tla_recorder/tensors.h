// SPDX-License-Identifier: Apache-2.0
// Tensors: an address in a buffer of the core or in global memory, and the buffers and queues they come from.
#pragma once
#include "memory.h"
#include "names.h"
#include "numbers.h"

namespace tla_recorder {

inline const char* space_of(AscendC::TPosition position) {
    switch (position) {
        case AscendC::TPosition::A1:
        case AscendC::TPosition::B1:
        case AscendC::TPosition::C1:
        case AscendC::TPosition::TSCM: return "L1";
        case AscendC::TPosition::A2: return "L0A";
        case AscendC::TPosition::B2: return "L0B";
        case AscendC::TPosition::C2: return "BT";
        case AscendC::TPosition::CO1: return "L0C";
        case AscendC::TPosition::C2PIPE2GM: return "FB";
        default: return "UB";  // a tensor without a position too: the fixpipe takes it as UB
    }
}

}  // namespace tla_recorder

namespace AscendC {

struct TBuffAddr {
    uint32_t dataLen = 0, bufferAddr = 0;  // bytes
    uint64_t bufferHandle = 0;
    uint8_t logicPos = 0;
};

template <class T> struct LocalTensor {
    using PrimType = T;
    TBuffAddr address_;

    LocalTensor() = default;
    LocalTensor(TPosition position, uint32_t address, uint32_t count) {
        address_.logicPos = uint8_t(position);
        address_.bufferAddr = address;
        SetSize(count);
    }
    explicit LocalTensor(const TBuffAddr& address) : address_(address) {}

    template <class U> LocalTensor<U> ReinterpretCast() const { return LocalTensor<U>(address_); }
    LocalTensor operator[](uint32_t offset) const {
        LocalTensor rest(address_);
        uint32_t bytes = uint32_t(tla_recorder::bytes_of<T>(offset));
        rest.address_.bufferAddr += bytes;
        rest.address_.dataLen -= bytes;
        return rest;
    }
    int GetPosition() const { return address_.logicPos; }
    uint64_t GetPhyAddr(uint32_t offset = 0) const { return address_.bufferAddr + tla_recorder::bytes_of<T>(offset); }
    uint32_t GetLength() const { return address_.dataLen; }
    uint32_t GetSize() const { return address_.dataLen * 8 / SizeOfBits<T>::value; }
    void SetSize(uint32_t count) { address_.dataLen = uint32_t(tla_recorder::bytes_of<T>(count)); }
    void SetBufferLen(uint32_t count) { SetSize(count); }
    void SetAddr(const TBuffAddr& address) { address_ = address; }

    // The recorder computes nothing: a scalar that is read from a buffer is zero.
    T GetValue(uint32_t offset) const {
        tla_recorder::Line("GetValue", "S").operand("src", (*this)[offset]);
        return T{};
    }
    template <class V> void SetValue(uint32_t offset, V value) const {
        tla_recorder::Line("SetValue", "S").operand("dst", (*this)[offset]).with("value", value);
    }

    const char* space() const { return tla_recorder::space_of(TPosition(address_.logicPos)); }
    std::string operand() const {
        tla_recorder::Object out;
        out.text("space", space()).value("addr", address_.bufferAddr).text("dtype", tla_recorder::dtype<T>());
        return out.json_text();
    }
};

template <class T> struct GlobalTensor {
    using PrimType = T;
    T* address_ = nullptr;

    void SetGlobalBuffer(T* buffer, uint64_t = 0) { address_ = buffer; }
    T* GetPhyAddr(uint64_t offset = 0) const {
        auto bytes = int64_t(offset) * SizeOfBits<T>::value / 8;
        return reinterpret_cast<T*>(intptr_t(address_) + bytes);
    }
    GlobalTensor operator[](uint64_t offset) const {
        GlobalTensor rest;
        rest.address_ = GetPhyAddr(offset);
        return rest;
    }
    template <class U> GlobalTensor<U> ReinterpretCast() const {
        GlobalTensor<U> same;
        same.address_ = reinterpret_cast<U*>(address_);
        return same;
    }
    // What the host wrote. Outside of the tensor it is zero; the trace has the offset.
    T GetValue(uint64_t offset) const {
        T* place = GetPhyAddr(offset);
        T value = tla_recorder::is_inside(place, sizeof(T)) ? *place : T{};
        tla_recorder::Line line("GetValue", "S");
        line.operand("src", (*this)[offset]);
        if constexpr (std::is_convertible_v<T, float>) line.with("value", value);
        return value;
    }
    template <class V> void SetValue(uint64_t offset, V value) const {
        T* place = GetPhyAddr(offset);
        if (tla_recorder::is_inside(place, sizeof(T))) *place = T(value);
        tla_recorder::Line("SetValue", "S").operand("dst", (*this)[offset]).with("value", value);
    }
    template <class... Hint> void SetL2CacheHint(Hint...) const {}

    const char* space() const { return "GM"; }
    std::string operand() const { return tla_recorder::global_operand(address_, tla_recorder::dtype<T>()); }
};

template <TPosition P = TPosition::VECCALC> struct TBuf {
    uint32_t address = 0, bytes = 0;
    template <class T> LocalTensor<T> Get() { return Get<T>(bytes * 8 / SizeOfBits<T>::value); }
    template <class T> LocalTensor<T> Get(uint32_t count) { return LocalTensor<T>(P, address, count); }
    template <class T> LocalTensor<T> GetWithOffset(uint32_t count, uint32_t offset) {
        return LocalTensor<T>(P, address + offset, count);
    }
};

// One buffer of each position from its address 0 on; event ids in turn.
struct TPipe {
    int next_event = 0;
    void Init() {}
    void Destroy() {}
    void Reset() {}
    template <TPosition P> void InitBuffer(TBuf<P>& buffer, uint32_t bytes) { buffer.bytes = bytes; }
    template <HardEvent E> int AllocEventID() { return next_event++ % 8; }
    template <HardEvent E> void ReleaseEventID(int) {}
    int FetchEventID(HardEvent) { return next_event++ % 8; }
};

}  // namespace AscendC

inline AscendC::TPipe* GetTPipePtr() {
    static AscendC::TPipe pipe;
    return &pipe;
}
