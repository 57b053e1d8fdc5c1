// SPDX-License-Identifier: Apache-2.0
// Order between pipes and cores, and modes that stay set: flags, barriers, masks, atomics, mutexes.
#pragma once
#include "tensors.h"

namespace tla_recorder {

// An event id that the program never set: the compiler fills such a variable, of 1, 2 or 4 bytes, with one byte.
inline bool is_unset(uint32_t id) {
    for (uint32_t byte : {0xAAu, 0xFEu}) {  // clang's, g++'s
        if (id == byte || id == byte * 0x101 || id == byte * 0x1010101) return true;
    }
    return false;
}

inline void flag(const char* op, const std::string& pipe, AscendC::HardEvent event, int32_t id) {
    bool unset = is_unset(uint32_t(id));
    Line line(op, pipe);
    line.with("event", event).with("id", unset ? 0 : id);
    if (unset) line.with("id_uninitialised", true);
}

}  // namespace tla_recorder

namespace AscendC {

using TEventID = int32_t;

template <HardEvent E> void SetFlag(int32_t id) {
    std::string event = name_of(E);
    tla_recorder::flag("SetFlag", event.substr(0, event.find('_')), E, id);
}
template <HardEvent E> void WaitFlag(int32_t id) {
    std::string event = name_of(E);
    tla_recorder::flag("WaitFlag", event.substr(event.find('_') + 1), E, id);
}
template <pipe_t P> void PipeBarrier() { tla_recorder::Line("PipeBarrier", tla_recorder::pipe_name(P)); }

template <uint8_t M = 0, pipe_t P = PIPE_S> void CrossCoreSetFlag(uint16_t flag) {
    tla_recorder::Line("CrossCoreSetFlag", tla_recorder::pipe_name(P)).with("mode", M).with("flag", flag);
}
template <uint8_t M = 0, pipe_t P = PIPE_S> void CrossCoreWaitFlag(uint16_t flag) {
    tla_recorder::Line("CrossCoreWaitFlag", tla_recorder::pipe_name(P)).with("mode", M).with("flag", flag);
}
template <bool only_vector = true> void SyncAll() {
    tla_recorder::Line("SyncAll", "ALL").with("isAIVOnly", only_vector);
}
template <class... A> void SetSyncBaseAddr(A...) {}

namespace Mutex {
template <pipe_t P> void Lock(int id) { tla_recorder::Line("MutexLock", tla_recorder::pipe_name(P)).with("id", id); }
template <pipe_t P> void Unlock(int id) { tla_recorder::Line("MutexUnlock", tla_recorder::pipe_name(P)).with("id", id); }
}  // namespace Mutex

#define TLA_STATE(NAME, PIPE) inline void NAME() { tla_recorder::Line(#NAME, PIPE); }
TLA_STATE(SetAtomicNone, "S")
TLA_STATE(DisableDmaAtomic, "S")
TLA_STATE(SetMaskCount, "V")
TLA_STATE(SetMaskNorm, "V")
TLA_STATE(ResetMask, "V")
#undef TLA_STATE
#define TLA_STATE(NAME) template <class V> void NAME(V value) { tla_recorder::Line(#NAME, "S").with("value", value); }
TLA_STATE(SetHF32Mode)
TLA_STATE(SetHF32TransMode)
TLA_STATE(SetMMLayoutTransform)
#undef TLA_STATE
#define TLA_STATE(NAME) \
    template <class T> void NAME() { tla_recorder::Line(#NAME, "S").with("dtype", tla_recorder::dtype<T>()); }
TLA_STATE(SetAtomicAdd)
TLA_STATE(SetAtomicMax)
TLA_STATE(SetAtomicMin)
#undef TLA_STATE

template <class T, MaskMode M = MaskMode::NORMAL> void SetVectorMask(uint64_t high, uint64_t low) {
    tla_recorder::Line("SetVectorMask", "V").with("mode", M).with("maskHigh", high).with("maskLow", low);
}
template <class T, MaskMode M = MaskMode::NORMAL> void SetVectorMask(int32_t len) {
    tla_recorder::Line("SetVectorMask", "V").with("mode", M).with("len", len);
}
template <int Start, int End> int64_t GetCtrlSpr() { return 0; }
template <int Start, int End> void SetCtrlSpr(int64_t value) {
    tla_recorder::Line("SetCtrlSpr", "S").with("start", Start).with("end", End).with("value", value);
}
template <class T, CacheLine L, DcciDst D> void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst) {
    tla_recorder::Line("DataCacheCleanAndInvalid", "S").operand("dst", dst);
}
template <class... A> void ICachePreLoad(A...) {}

}  // namespace AscendC

inline void pipe_barrier(pipe_t pipe) { tla_recorder::Line("PipeBarrier", tla_recorder::pipe_name(pipe)); }
template <class... A> void icache_preload(A...) {}
