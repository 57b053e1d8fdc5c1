// SPDX-License-Identifier: Apache-2.0
// The ACL runtime on the host: memory of the device is a tensor of the trace; the rest succeeds and does nothing.
#pragma once
#include "kernel_operator.h"

using aclError = int;
using aclrtStream = void*;
using aclrtContext = void*;
using aclrtEvent = void*;
constexpr aclError ACL_ERROR_NONE = 0, ACL_SUCCESS = 0, ACL_RT_SUCCESS = 0;
enum { ACL_CONTINUE_ON_FAILURE, ACL_STOP_ON_FAILURE };
enum { ACL_RT_THREAD_LEVEL };
enum aclrtMemMallocPolicy { ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_ONLY, ACL_MEM_MALLOC_NORMAL_ONLY };
enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE
};
enum aclDataType { ACL_FLOAT = 0, ACL_FLOAT16 = 1, ACL_INT8 = 2, ACL_INT32 = 3, ACL_INT64 = 9, ACL_BF16 = 27 };

// The name of the tensor comes from the expression for its pointer.
#define aclrtMalloc(where, ...) tla_recorder::malloc_device(#where, where, __VA_ARGS__)
namespace tla_recorder {
template <class P> aclError malloc_device(const char* expression, P** where, size_t bytes, int = 0) {
    return allocate(expression, reinterpret_cast<void**>(where), bytes);
}
}  // namespace tla_recorder

inline aclError aclrtFree(void*) { return 0; }
template <class P> aclError aclrtMallocHost(P** where, size_t bytes) {
    *where = static_cast<P*>(calloc(1, bytes + 1));
    return *where ? 0 : 1;
}
inline aclError aclrtFreeHost(void* memory) {
    free(memory);
    return 0;
}
inline aclError aclrtMemcpy(void* to, size_t room, const void* from, size_t bytes, int) {
    if (bytes > room) return 1;
    memcpy(to, from, bytes);
    return 0;
}
inline aclError aclrtMemset(void* to, size_t room, int value, size_t bytes) {
    if (bytes > room) return 1;
    memset(to, value, bytes);
    return 0;
}
inline aclError aclrtGetHardwareSyncAddr(void** address) {
    *address = nullptr;
    return 0;
}

#define TLA_ACL(NAME) template <class... A> aclError NAME(A&&...) { return 0; }
TLA_ACL(aclInit)
TLA_ACL(aclFinalize)
TLA_ACL(aclrtSetDevice)
TLA_ACL(aclrtResetDevice)
TLA_ACL(aclrtCreateContext)
TLA_ACL(aclrtDestroyContext)
TLA_ACL(aclrtCreateStream)
TLA_ACL(aclrtDestroyStream)
TLA_ACL(aclrtSynchronizeStream)
TLA_ACL(aclrtSynchronizeDevice)
TLA_ACL(aclrtSetStreamFailureMode)
TLA_ACL(aclrtCreateEvent)
TLA_ACL(aclrtDestroyEvent)
TLA_ACL(aclrtRecordEvent)
TLA_ACL(aclrtSynchronizeEvent)
TLA_ACL(aclrtGetLastError)
#undef TLA_ACL
inline aclError aclrtEventElapsedTime(float* milliseconds, aclrtEvent, aclrtEvent) {
    *milliseconds = 0;
    return 0;
}
inline const char* aclGetRecentErrMsg() { return ""; }
