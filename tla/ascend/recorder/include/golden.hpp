// SPDX-License-Identifier: Apache-2.0
// The host's data and reference results. A trace has no values, so nothing is filled in or compared;
// group lists, which decide what a kernel does, grow by one step from group to group.
#pragma once
#include <cstdint>
#include <vector>

namespace Catlass::golden {

template <class T, class R> void FillRandomData(std::vector<T>&, R, R) {}
template <class T, class R> void GenRandomData(T& value, R low, R) { value = T(low); }

template <typename T = int32_t> std::vector<T> GenerateGroupList(uint32_t total, uint32_t groups) {
    std::vector<T> ends;
    uint64_t steps = uint64_t(groups) * (groups + 1);
    for (uint64_t group = 1; group <= groups; ++group) ends.push_back(T(total * group * (group + 1) / steps));
#ifdef CATLASS_EXPERIMENTAL_GROUPLIST_SEGMENTED  // the kernel wants the sizes of the groups, not their ends
    for (size_t group = ends.size(); group-- > 1;) ends[group] -= ends[group - 1];
#endif
    return ends;
}
template <typename T = int32_t, bool as_ends = true>
std::vector<T> GenerateAverageGroupList(uint32_t total, uint32_t groups) {
    std::vector<T> list;
    for (uint32_t group = 1; group <= groups; ++group) list.push_back(T(total / groups * (as_ends ? group : 1)));
    return list;
}

struct ErrorMetrics {
    bool passed = true;
    double mareRatio = 0, mereRatio = 0, rmseRatio = 0;
};
template <class... A> ErrorMetrics ComputeErrorMetrics(A&&...) { return {}; }
template <class... A> std::vector<uint64_t> CompareData(A&&...) { return {}; }
template <class... A> std::vector<uint64_t> CompareDataBfloat16(A&&...) { return {}; }

struct Nothing {
    template <class T> operator T() const { return T{}; }
};
// With and without a type between angle brackets.
#define TLA_NOTHING(NAME)                                           \
    template <class... A> Nothing NAME(A&&...) { return {}; }       \
    template <class T, class... A> Nothing NAME(A&&...) { return {}; }
TLA_NOTHING(ClearInvalidOutput)
TLA_NOTHING(ComputeBatchedMatmul)
TLA_NOTHING(ComputeConv2d)
TLA_NOTHING(ComputeGemm)
TLA_NOTHING(ComputeGemv)
TLA_NOTHING(ComputeGroupGemm)
TLA_NOTHING(ComputeGroupedMatmul)
TLA_NOTHING(ComputeGroupedMatmulFixpipeDequant)
TLA_NOTHING(ComputeGroupedMatmulPerTokenDequant)
TLA_NOTHING(ComputeGroupedMatmulSliceKPerTokenDequant)
TLA_NOTHING(ComputeInverseInplace)
TLA_NOTHING(ComputeMatmul)
TLA_NOTHING(ComputeMatmulBias)
TLA_NOTHING(ComputeMatmulElemWiseAdd)
TLA_NOTHING(ComputeMatmulElemWiseGelu)
TLA_NOTHING(ComputeMatmulElemWiseLeakyRelu)
TLA_NOTHING(ComputeMatmulElemWiseRelu)
TLA_NOTHING(ComputeMatmulElemWiseSigmoid)
TLA_NOTHING(ComputeMatmulElemWiseSilu)
TLA_NOTHING(ComputeMatmulElemWiseTanh)
TLA_NOTHING(FillSymmRandomData)
TLA_NOTHING(FillTriangularData)
TLA_NOTHING(QuantMatmul)
TLA_NOTHING(QuantMatmulPergroupPerBlockDequant)
TLA_NOTHING(fillContigunousBatchedData)
#undef TLA_NOTHING

}  // namespace Catlass::golden
