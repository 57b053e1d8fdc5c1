// SPDX-License-Identifier: Apache-2.0
// Global memory: each allocation is a tensor of the trace, with room on both sides that nothing may touch.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include "line.h"

namespace tla_recorder {

struct Allocation {
    std::string expression;  // what the program passed to aclrtMalloc
    size_t stack;            // where it did
    char* start;
    size_t bytes, guard;
};
inline std::vector<Allocation> allocations;

// Zeroed memory. A pointer that leaves it by less than the guard is still an offset of this tensor.
inline int allocate(const char* expression, void** where, size_t bytes) {
    size_t page = size_t(sysconf(_SC_PAGESIZE)), whole = (bytes + page - 1) / page * page;
    for (size_t guard = size_t(1) << 30; guard >= page; guard /= 32) {
        void* room = mmap(nullptr, whole + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED) continue;
        char* start = static_cast<char*>(room) + guard;
        if (whole && mprotect(start, whole, PROT_READ | PROT_WRITE)) return 1;
        auto calls = calls_from(static_cast<Frame*>(__builtin_frame_address(0)), first_frame);
        allocations.push_back({expression, stack_number(calls), start, bytes, guard});
        *where = start;
        return 0;
    }
    return 1;
}

inline const Allocation* allocation_at(const void* pointer) {
    auto place = static_cast<const char*>(pointer);
    for (auto& one : allocations) {
        if (place >= one.start - one.guard && place < one.start + one.bytes + one.guard) return &one;
    }
    return nullptr;
}

inline bool is_inside(const void* pointer, size_t bytes) {
    auto place = static_cast<const char*>(pointer);
    auto one = allocation_at(pointer);
    return one && place >= one->start && place + bytes <= one->start + one->bytes;
}

// An operand in global memory. The driver puts a name in place of the number of the tensor.
inline std::string global_operand(const void* pointer, const char* dtype) {
    Object out;
    out.text("space", "GM");
    if (auto one = allocation_at(pointer)) {
        out.raw("tensor", "@" + std::to_string(one - allocations.data()));
        out.value("offset", (long long)(static_cast<const char*>(pointer) - one->start));
    } else {
        out.text("tensor", "?").value("offset", (long long)(intptr_t)pointer);
    }
    return out.text("dtype", dtype).json_text();
}

}  // namespace tla_recorder
