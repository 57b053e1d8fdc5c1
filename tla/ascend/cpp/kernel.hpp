// A tensor from its first element on.
template <class T> CATLASS_DEVICE auto Data(T const& tensor)
{
    return tensor.data()[tensor.layout()(tensor.coord())];
}

template <class T> CATLASS_DEVICE auto Shifted(T const& tensor, uint32_t elements)
{
    return tla::MakeTensor(tensor.data()[elements], tensor.layout(), Arch::PositionType<T::position>{});
}

template <class Dst, class Src> CATLASS_DEVICE void CopyTile(Dst dst, Src src)
{
    Gemm::Tile::TileCopyTla<ArchTag, Src, Dst> copy;
    copy(dst, src);
}

template <class Dst, class Src> CATLASS_DEVICE void CopyOut(Dst dst, Src src, uint8_t unitFlag)
{
    Gemm::Tile::CopyL0CToGmTla<ArchTag, Src, Dst> copy;
    copy(dst, src, unitFlag);
}

// Rows of a tensor: their number, the bytes of each, and the bytes from one to the next.
struct Rows { uint32_t count, length, pitch; };
template <class T> CATLASS_DEVICE Rows RowsOf(T const& tensor)
{
    constexpr uint32_t size = sizeof(typename T::Element);
    if constexpr (T::rank == 1) {
        uint32_t length = tla::get<0>(tensor.originShape()) * size;
        return {1, length, length};
    } else {
        uint32_t count = tla::get<0>(tensor.originShape()), length = tla::get<1>(tensor.originShape());
        return {count, length * size, uint32_t(tla::get<0>(tensor.stride()) * size)};
    }
}

CATLASS_DEVICE uint32_t Gap(Rows rows)
{
    return rows.pitch > rows.length ? rows.pitch - rows.length : 0;
}

CATLASS_DEVICE uint32_t Blocks(Rows ub, Rows gm)
{
    return gm.count == 1 ? 0 : ub.pitch / 32 - (gm.length + 31) / 32;
}

template <class Dst, class Src> CATLASS_DEVICE void CopyGmToUb(Dst dst, Src src)
{
    Rows gm = RowsOf(src);
    AscendC::DataCopyExtParams params(gm.count, gm.length, Gap(gm), Blocks(RowsOf(dst), gm), 0);
    AscendC::DataCopyPadExtParams<typename Src::Element> pad(false, 0, 0, 0);
    AscendC::DataCopyPad(Data(dst), Data(src), params, pad);
}

template <class Dst, class Src> CATLASS_DEVICE void CopyUbToGm(Dst dst, Src src)
{
    Rows gm = RowsOf(dst);
    AscendC::DataCopyExtParams params(gm.count, gm.length, Blocks(RowsOf(src), gm), Gap(gm), 0);
    AscendC::DataCopyPad(Data(dst), Data(src), params);
}

struct MmadShape { uint32_t m, n, k; bool initC; uint8_t unitFlag; bool alignK, disableGemv; };
template <class C, class A, class B, class... Bias>
CATLASS_DEVICE void Multiply(MmadShape shape, C c, A a, B b, Bias... bias)
{
    AscendC::MmadParams params;
    params.m = shape.m;
    params.n = shape.n;
    params.k = shape.k;
    params.unitFlag = shape.unitFlag;
    params.cmatrixInitVal = shape.initC;
    params.kDirectionAlign = shape.alignK;
#if CATLASS_ARCH == 3510
    params.disableGemv = shape.disableGemv;
#endif
    AscendC::Mmad(Data(c), Data(a), Data(b), Data(bias)..., params);
}

// Rounded down, as in Python.
CATLASS_DEVICE int64_t Quotient(int64_t a, int64_t b) { return a / b - (a % b && (a < 0) != (b < 0)); }
CATLASS_DEVICE int64_t Remainder(int64_t a, int64_t b) { return a - Quotient(a, b) * b; }
template <class T> CATLASS_DEVICE T Least(T a, T b) { return a < b ? a : b; }
template <class T> CATLASS_DEVICE T Most(T a, T b) { return a > b ? a : b; }
