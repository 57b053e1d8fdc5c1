// SPDX-License-Identifier: Apache-2.0
// Vector functions of Ascend950. Their code on registers is not recorded: the driver puts a call of
// `vector_function` in its place, so each is one line, with its name and arguments. The types here are those
// that stand outside of such code.
#pragma once
#include "names.h"
#include "numbers.h"

namespace AscendC {

namespace Reg {
template <class T, class... Rest> struct RegTensor {};
struct MaskReg {};
enum class RegLayout { UNKNOWN, ZERO, ONE, TWO, THREE };
enum class SatMode { UNKNOWN, NO_SAT, SAT };
enum class MaskMergeMode { UNKNOWN, ZEROING, MERGING };
enum class LoadDist { DIST_NORM, DIST_BRC_B8, DIST_BRC_B16, DIST_BRC_B32, DIST_DINTLV_B8, DIST_DINTLV_B16,
                      DIST_DINTLV_B32, DIST_UNPACK_B8, DIST_UNPACK_B16, DIST_UNPACK_B32, DIST_UNPACK4_B8,
                      DIST_US_B8, DIST_US_B16, DIST_E2B_B16, DIST_E2B_B32 };
enum class StoreDist { DIST_NORM, DIST_NORM_B8, DIST_NORM_B16, DIST_NORM_B32, DIST_PACK_B16, DIST_PACK_B32,
                       DIST_PACK4_B32, DIST_INTLV_B8, DIST_INTLV_B16, DIST_INTLV_B32, DIST_FIRST_ELEMENT_B8,
                       DIST_FIRST_ELEMENT_B16, DIST_FIRST_ELEMENT_B32 };
struct CastTrait {
    RegLayout layoutMode = RegLayout::UNKNOWN;
    SatMode satMode = SatMode::UNKNOWN;
    MaskMergeMode mrgMode = MaskMergeMode::UNKNOWN;
    RoundMode roundMode = RoundMode::UNKNOWN;
};
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

template <class... A> void vector_function(const char* name, const char* names, const A&... arguments) {
    Object out;
    size_t index = 0;
    (vector_argument(out, name_in(names, index++), arguments), ...);
    Line("VectorFunction", "V").with("name", name).raw("arguments", out.json_text());
}

}  // namespace tla_recorder
