// SPDX-License-Identifier: Apache-2.0
// The platform that a program asks for its cores and buffers.
#pragma once
#include <cstdint>
#include <cstdlib>

namespace platform_ascendc {

enum class CoreMemType { L0_A, L0_B, L0_C, L1, L2, UB, HBM };

struct PlatformAscendC {
    uint32_t GetCoreNumAic() const {
        const char* cores = getenv("TLA_CORES");
        return cores ? uint32_t(atoi(cores)) : 2;
    }
    uint32_t GetCoreNumAiv() const { return 2 * GetCoreNumAic(); }
    uint32_t GetCoreNum() const { return GetCoreNumAic(); }
    void GetCoreMemSize(CoreMemType type, uint64_t& bytes) const {
        constexpr bool is_a2 = CATLASS_ARCH == 2201;
        switch (type) {
            case CoreMemType::L0_A:
            case CoreMemType::L0_B: bytes = 64 << 10; break;
            case CoreMemType::L0_C: bytes = (is_a2 ? 128 : 256) << 10; break;
            case CoreMemType::L1: bytes = 512 << 10; break;
            case CoreMemType::UB: bytes = (is_a2 ? 192 : 248) << 10; break;
            default: bytes = uint64_t(64) << 30;
        }
    }
};

struct PlatformAscendCManager {
    template <class... A> static PlatformAscendC* GetInstance(A...) {
        static PlatformAscendC platform;
        return &platform;
    }
};

}  // namespace platform_ascendc
