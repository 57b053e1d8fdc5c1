// SPDX-License-Identifier: Apache-2.0
// Copies that know the room of their destination.
#pragma once
#include <cstring>

inline int memcpy_s(void* to, size_t room, const void* from, size_t bytes) {
    if (bytes > room) return 1;
    memcpy(to, from, bytes);
    return 0;
}
inline int memset_s(void* to, size_t room, int value, size_t bytes) {
    if (bytes > room) return 1;
    memset(to, value, bytes);
    return 0;
}
