"""Tiled MMAs and copies: the rows of the oracle, what threads hold, and what is refused."""

import re
from random import Random
from typing import Any

import pytest
from cases import over
from oracle import _lines, cute_layout

import tla
from tla import (
    ComposedLayout,
    CoordinateError,
    DivisibilityError,
    KindError,
    Layout,
    LayoutError,
    Swizzle,
    Tensor,
    UndecidedError,
    filter_zeros,
    is_injective,
    same_function,
    sym,
)
from tla.gpu import (
    TiledCopy,
    TiledMma,
    atoms,
    tiled_copy,
    tiled_copy_of,
    tiled_mma,
    times_held,
)
from tla.numbers import evaluate

BITS = {"half_t": 16, "bfloat16_t": 16, "float": 32, "uint8_t": 8}


def cpp(text: str) -> Any:
    """A layout or a tile as C++ writes it: ``Tile<_32,Layout<Shape<_8,_2>,Stride<_2,_1>>>{}``."""
    python = re.sub(r"_(\d+)", r"\1", text.removesuffix("{}")).replace("Underscore", "None")
    python = re.sub(r"(?:Shape|Stride|Tile)<", "t(", python.replace("Layout<", "Layout("))
    return eval(python.replace(">", ")"), {"Layout": Layout, "t": lambda *x: x})


def plain(x: Any) -> Any:
    return [plain(i) for i in x] if isinstance(x, (list, tuple)) else int(x)


def function(x: Any) -> list[int]:
    """The offsets of a layout, or of a layout with its offset."""
    if isinstance(x, tuple):
        return [x[1] + i for i in function(x[0])]
    return [int(x(i)) for i in range(x.size)]


def same(found: Any, wanted: Any) -> bool:
    """Whether an answer is the function of a row: of a layout behind a swizzle, or with a base."""
    base = wanted.get("base", 0) if isinstance(wanted, dict) else 0
    layout = cute_layout(wanted["layout"] if "base" in wanted else wanted)
    part, offset = found if isinstance(found, tuple) else (found, 0)
    if isinstance(part, Layout) and isinstance(layout, Layout):
        return offset == base and same_function(part, layout)
    return function((part, offset)) == function((layout, base))


def operand_of(op: str) -> Any:
    return re.sub(r"make_tiled_copy_|.*_|.*layout", "", op, count=1)[0].lower()


def answer(op: str, given: dict[str, Any]) -> Any:
    x: Any = cute_layout(given["A"]) if "A" in given else None
    copy: TiledCopy
    if "thr" in given:
        threads, values = cute_layout(given["thr"]), cute_layout(given["val"])
        copy = tiled_copy(given["op"], threads, values, element_bits=BITS[given["type"]])
        return of_copy(op, copy, x, given.get("t"))
    mma = tiled_mma(given["op"], cpp(given["atom_layout"]), cpp(given["permutation"]))
    operand = operand_of(op)
    if "copy_op" in given:
        copy = tiled_copy_of(given["copy_op"], mma, operand, element_bits=BITS[given["type"]])
        if op.startswith("retile"):
            part, offset = mma.partition(x, given["t"], operand)
            return copy.retile(part), offset
        return of_copy(re.sub("make_tiled_copy_._", "", op), copy, x, given.get("t"))
    match op.partition("_")[0], op:
        case "thrfrg", _:
            return mma.fragments(x, operand)
        case _, "mma_thr_layout_vmnk":
            return mma.threads
        case _, "mma_tile_shape":
            return mma.shape_mnk
        case _, "partition_shape_C":
            _thread, (value, rest) = mma.fragments(Layout(tuple(given["shape"])), "c").shape
            return (value, *rest)
        case "mma", _:
            return getattr(mma, op[len("mma_layout")].lower())
        case _:
            return mma.partition(x, given["t"], operand)


def of_copy(op: str, copy: TiledCopy, x: Any, thread: Any) -> Any:
    side: Any = "dst" if op.endswith("D") or "layoutD" in op else "src"
    if op.endswith(("tiler", "_tv", "tv")):
        return copy.tile if op.endswith("tiler") else copy.tv
    if op.startswith("partition"):
        return copy.partition(x, thread, side)
    return copy.fragments(x, side) if op.startswith("tidfrg") else getattr(copy, side)


@over("row", _lines("cute_tiles.jsonl"), ids=lambda row: row["id"])
def test_rows_of_the_oracle(row: Any) -> None:
    wanted = row["result"]
    if "error" in wanted and "too few vals" in wanted["error"]:
        with pytest.raises(DivisibilityError):
            answer(row["op"], row["inputs"])
        return
    found = answer(row["op"], row["inputs"])
    if "error" in wanted:  # CuTe does not split the bits of extents that are no power of 2; we need not
        x = cute_layout(row["inputs"]["A"])
        part, offset = answer(row["op"], {**row["inputs"], "A": row["inputs"]["A"]["layout"]})
        assert function(found) == [x.through(i) for i in function((part, offset))]
    elif isinstance(found, tuple) and not isinstance(found[0], (Layout, ComposedLayout)):
        assert plain(found) == wanted
    else:
        assert same(found, wanted)


def times(tv: Any, elements: int) -> int:
    """How often each of so many elements is held; 0 if they are not held as often as each other."""
    once = filter_zeros(tv)
    covers = once.size == once.cosize == elements and is_injective(once)
    return tv.size // elements if covers else 0


MMAS = [
    ("SM80_16x8x16_F32F16F16F32_TN", (2, 2, 1), (32, 32, 16)),
    ("SM80_16x8x16_F32F16F16F32_TN", (1, 4, 1), (None, None, 32)),
    ("SM80_8x8x4_F64F64F64F64_TN", (2, 1, 2), (None, Layout((8, 2), (2, 1)), None)),
    ("SM70_8x8x4_F32F16F16F32_TN", (2, 2, 1), (None, 32, None)),
    ("SM90_64x32x16_F32F16F16_RS", (2, 1, 1), (None, 64, None)),
    ("UniversalFMA<float>", (16, 16, 1), (None, None, None)),
    ("CDNA3_32x32x8_F32F16F16_MFMA", (2, 2, 1), (None, None, 16)),
    ("ASCEND_16x16x16_F32F16F16_MMAD", (1, 1, 1), (64, 32, 32)),
]


@over("name, counts, tile", MMAS)
def test_each_element_is_held(name: str, counts: Any, tile: Any) -> None:
    """C once; A by the atoms along N, B by those along M; in the atom as often as it says."""
    mma = tiled_mma(name, Layout(counts), tile)
    m, n, k = mma.shape_mnk
    atom = atoms[name]
    extent = [int(i) for i in atom.shape_mnk]
    shared = {"a": extent[0] * extent[2], "b": extent[1] * extent[2]}
    assert times(mma.c, m * n) == counts[2]
    assert times(mma.a, m * k) == counts[1] * (atom.a.size // shared["a"])
    assert times(mma.b, n * k) == counts[0] * (atom.b.size // shared["b"])


@over("name, counts, tile", MMAS)
def test_what_a_thread_has_of_a_tile(name: str, counts: Any, tile: Any) -> None:
    """The fragment of the tile counted by itself is the row of its layout of threads and values."""
    mma = tiled_mma(name, Layout(counts), tile)
    rng = Random(7)
    for operand in ("a", "b", "c"):
        whole = Layout(mma.extents(operand))
        tv = getattr(mma, operand)
        threads = tv(0, 0) is not None and int(tla.get(tv, 0).size)
        for thread in rng.sample(range(threads), min(threads, 3)):
            part = function(mma.partition(whole, thread, operand))
            assert part == [tv(thread, value) for value in range(len(part))]
            value = rng.randrange(len(part))
            row, column = (int(i) for i in tla.idx2crd(part[value], whole.shape))
            if tv.size < 10_000:
                assert (thread, value) in mma.holders((row, column), operand)


def test_tiles_are_atoms_side_by_side() -> None:
    """Without a permutation, the atoms of other threads come first, then the values, atom by atom."""
    rng = Random(11)
    names = [name for name in atoms if atoms[name].a.size <= 512 and "_64x" not in name]
    for name in rng.sample(names, 60):
        atom, counts = atoms[name], [rng.choice([1, 2, 3]) for _ in range(3)]
        repeats = [rng.choice([1, 2, 3]) for _ in range(3)]
        whole = [int(e) * c * r for e, c, r in zip(atom.shape_mnk, counts, repeats, strict=True)]
        m, n, k = whole
        mma = tiled_mma(atom, Layout(tuple(counts)), (m, n, k))
        operand: Any = rng.choice(["a", "b", "c"])
        two = {"a": (0, 2), "b": (1, 2), "c": (0, 1)}[operand]
        inside = getattr(atom, operand)
        tv, extents = getattr(mma, operand), [int(atom.shape_mnk[i]) for i in two]
        lanes = int(tla.get(inside, 0).size)
        values = inside.size // lanes
        for _try in range(20):
            at = [rng.randrange(c) for c in counts]
            lane, value = rng.randrange(lanes), rng.randrange(values)
            later = [rng.randrange(repeats[i]) for i in two]
            thread = mma.threads(lane, *at)
            number = value + values * (later[0] + repeats[two[0]] * later[1])
            place = inside(lane, value) % extents[0], inside(lane, value) // extents[0]
            wanted = [
                p + e * (at[i] + counts[i] * n)
                for p, e, i, n in zip(place, extents, two, later, strict=True)
            ]
            assert tv(thread, number) == wanted[0] + whole[two[0]] * wanted[1], (name, operand)


def test_a_symbolic_thread() -> None:
    mma = tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2, 1)), (32, 32, 16))
    copy = tiled_copy("UniversalCopy<uint128_t>", Layout((16, 8), (8, 1)), Layout((1, 8)))
    matrix = Layout((64, 64), (64, 1))
    tid = sym("tid", min=0, max=127)
    for tiles, of in ((mma, "c"), (copy, "src")):
        partition: Any = tiles.partition
        part, offset = partition(matrix, tid, of)
        for thread in range(128):
            assert partition(matrix, thread, of) == (part, evaluate(offset, {"tid": thread}))
        with pytest.raises(UndecidedError):
            partition(matrix, sym("tid", min=0), of)


def test_swizzles_and_tensors() -> None:
    mma = tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2, 1)), (32, 32, 16))
    copy = tiled_copy_of("SM75_U32x4_LDSM_N", mma, "a", element_bits=16)
    inner = Layout((64, 64), (64, 1))
    swizzled = ComposedLayout(Swizzle(3, 3, 3), 0, inner)
    for thread in (0, 37, 127):
        for tiles, operand in ((mma, "a"), (copy, "src")):
            of: Any = tiles.partition
            offsets = function(of(inner, thread, operand))
            assert function(of(swizzled, thread, operand)) == [swizzled.through(i) for i in offsets]
            part = of(Tensor("A", inner, data_offset=5), thread, operand)
            assert [part.data_offset + i for i in function(part.layout)] == [5 + i for i in offsets]


@over("name, counts, tile", MMAS)
def test_every_thread_at_once(name: str, counts: Any, tile: Any) -> None:
    """The thread `_` keeps the threads in front: at a thread it is what the thread has."""
    mma = tiled_mma(name, Layout(counts), tile)
    rng = Random(5)
    for operand in ("a", "b", "c"):
        first, second = (2 * int(n) for n in mma.extents(operand))
        x = ComposedLayout(Swizzle(2, 0, 3), 0, Layout((first, second), (second, 1)))
        whole, begin = mma.partition(x, tla._, operand)
        for thread in rng.choices(range(int(tla.get(whole, 0).size)), k=2):
            part, offset = mma.partition(x, thread, operand)
            assert whole.shape[1:] == part.shape
            for index in rng.choices(range(int(part.size)), k=4):
                coord = tla.idx2crd(index, part.shape)
                assert begin + whole(thread, *coord) == offset + part(index)


def test_a_copy_of_a_transposed_matrix() -> None:
    """`ldmatrix` with 8 x 8 matrices of 16 bits: thread 5 points to row 5, and gets row 1."""
    copy = tiled_copy("SM75_U32x1_LDSM_N", Layout((8, 4), (4, 1)), Layout((1, 2)))
    assert [divmod(copy.src(5, value), 8) for value in range(8)] == [(c, 5) for c in range(8)]
    assert [divmod(copy.dst(5, value), 8) for value in range(2)] == [(2, 1), (3, 1)]


def test_how_often_an_element_is_held() -> None:
    """Proved from the modes, or counted where they interleave; a hole is named."""
    rng = Random(3)
    for _try in range(300):
        shape = tuple(rng.choice([1, 2, 3, 4]) for _mode in range(4))
        layout = Layout(
            (shape[:2], shape[2:]), tuple((rng.randrange(5), rng.randrange(7)) for _ in "ab")
        )
        size = rng.choice([layout.cosize, rng.randrange(1, 20)])
        held = [function(layout).count(i) for i in range(size)]
        inside = layout.cosize <= size
        if inside and len(set(held)) == 1:
            assert times_held(layout, size) == held[0]
        else:
            with pytest.raises(LayoutError, match="outside" if not inside else "times and"):
                times_held(layout, size)


def test_a_copy_of_assumed_width() -> None:
    """It moves values one by one, whatever their type."""
    threads, values = Layout((8, 4), (4, 1)), Layout((2, 2), (2, 1))
    copy = tiled_copy("AutoVectorizingCopy", threads, values, element_bits=16)
    one_by_one = tiled_copy("UniversalCopy<half_t>", threads, values, element_bits=16)
    assert copy.src == one_by_one.src
    assert copy.dst == one_by_one.dst
    part, _offset = tiled_mma("UniversalFMA<float>", Layout((8, 4, 1))).partition(
        Layout((16, 8)), 3, "c"
    )
    assert part.shape == (1, 2, 2)


def test_what_is_refused() -> None:
    mma = tiled_mma("SM70_8x8x4_F32F16F16F32_TN")
    with pytest.raises(CoordinateError, match="thread 5 takes no part in SM70_8x8x4_F32F16F16F32_TN"):
        mma.partition(Layout((8, 4)), 5, "a")
    assert mma.partition(Layout((8, 4)), 16, "a")[1] == 4
    with pytest.raises(KindError, match="an operand is 'a' or 'b' or 'c', not 'd'"):
        mma.fragments(Layout((8, 8)), "d")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(DivisibilityError, match="a tile of 24 in M does not hold whole atoms"):
        tiled_mma("SM80_16x8x16_F32F16F16F32_TN", None, (24, 8, 16))
    with pytest.raises(LayoutError, match="three modes"):
        tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2)))
    with pytest.raises(LayoutError, match="no MMA atom is named SM80"):
        tiled_mma("SM80")
    copy = tiled_copy("UniversalCopy<uint128_t>", Layout((16, 8), (8, 1)), Layout((1, 8)))
    with pytest.raises(CoordinateError, match=r"thread 128 takes no part in Univ.*\s+The threads are 0"):
        copy.partition(Layout((16, 64)), 128, "src")
    for held in (3, 0):
        with pytest.raises(DivisibilityError, match=f"parts of {held} values do not fill the tile"):
            copy.retile(Layout(held))
    with pytest.raises(DivisibilityError, match="no whole number of UniversalCopy<uint128_t>"):
        tiled_copy("UniversalCopy<uint128_t>", Layout((16, 8)), Layout((1, 4)), element_bits=16)
    with pytest.raises(CoordinateError):
        TiledMma.holders(mma, (8, 0), "c")
