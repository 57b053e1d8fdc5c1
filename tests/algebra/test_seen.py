"""Layouts seen through a function: the rows of CuTe, and each operation against naive evaluation.

An operation that changes coordinates alone does to what is seen what it does to the inner layout. The
others have their own laws.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from operator import add
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cases import over
from oracle import cute_layout, in_bytes, printed, rows, value

import tla
from tla import (
    ComposedLayout,
    DivisibilityError,
    Int,
    Layout,
    LayoutError,
    Swizzle,
    TlaError,
    UnsupportedError,
    _,
    algebra,
    blocked_product,
    coalesce,
    composition,
    downcast,
    flatten,
    get,
    group,
    is_composed,
    left_inverse,
    logical_divide,
    logical_product,
    offset_lists,
    offsets,
    parse,
    raked_product,
    recast_layout,
    right_inverse,
    size,
    slice_and_offset,
    tile_to_shape,
    upcast,
    zipped_divide,
)
from tla.algebra import to_linear
from tla.algebra.linear import run_of
from tla.gpu import smem_atoms


def random_outer(rng: Random) -> Any:
    """A swizzle mostly, at times a layout."""
    if rng.random() < 0.15:
        return Layout((rng.randint(1, 4), rng.randint(1, 6)), (rng.randint(0, 5), rng.randint(1, 9)))
    bits = rng.randint(0, 3)
    shift = rng.randint(bits, 4)
    return Swizzle(bits, rng.randint(0, 3), rng.choice([shift, -shift]))


def random_seen(rng: Random) -> Any:
    """A layout behind one function, at times behind two."""
    shape: Any = tuple(rng.choice([1, 2, 3, 4, 8, (2, 2), (4, 2)]) for _i in range(rng.randint(1, 3)))
    inner: Any = Layout(shape)
    if rng.random() < 0.6:  # some stride that is not compact
        flat = tla.layouts.leaves(shape)
        steps: Any = tuple(rng.choice([0, 1, 2, 3, 4, 8, 16]) for _n in flat)
        inner = Layout(shape, tla.unflatten(steps, shape))
    seen = ComposedLayout(random_outer(rng), rng.choice([0, 0, 1, 8, 13]), inner)
    return ComposedLayout(random_outer(rng), rng.choice([0, 4]), seen) if rng.random() < 0.2 else seen


NAMES = {name: getattr(tla, name) for name in tla.__all__}


def table(f: Any) -> list[int]:
    return [int(f(i)) for i in range(int(f.size))]


def tiler_of(rng: Random, layout: Any) -> Any:
    """A tile that divides: an int for each mode."""
    sizes = [int(mode.size) for mode in layout]
    return tuple(rng.choice([d for d in range(1, n + 1) if n % d == 0]) for n in sizes)


Draw = Callable[[Random, Any], tuple[Any, ...]]

OF_DOMAIN: dict[str, tuple[Callable[..., Any], Draw]] = {
    "coalesce": (coalesce, lambda _rng, _a: ()),
    "flatten": (flatten, lambda _rng, _a: ()),
    "group": (group, lambda _rng, a: (0, int(a.rank))),
    "select": (algebra.select, lambda rng, a: (rng.randrange(int(a.rank)),)),
    "get": (get, lambda rng, a: (rng.randrange(int(a.rank)),)),
    "zipped_divide": (zipped_divide, lambda rng, a: (tiler_of(rng, a),)),
    "tiled_divide": (algebra.tiled_divide, lambda rng, a: (tiler_of(rng, a),)),
    "flat_divide": (algebra.flat_divide, lambda rng, a: (tiler_of(rng, a),)),
    "logical_divide": (logical_divide, lambda rng, a: (tiler_of(rng, a),)),
    "composition": (composition, lambda rng, a: (tiler_of(rng, a),)),
    "domain_offset": (
        lambda x, c: algebra.domain_offset(c, x)[0],
        lambda _rng, a: ((0,) * int(a.rank),),
    ),
    "slice": (lambda x, c: x[c], lambda rng, a: ((_, *[rng.randrange(int(m.size)) for m in [*a][1:]]),)),
}
"""Each operation, and what draws its further arguments."""


@pytest.mark.parametrize("name", OF_DOMAIN)
def test_an_operation_of_coordinates_keeps_what_is_outside(name: str) -> None:
    rng, answered = Random(name), 0
    run, draw = OF_DOMAIN[name]
    for _i in range(120):
        a = random_seen(rng)
        inmost = a.inner.inner if is_composed(a.inner) else a.inner
        arguments = draw(rng, a)
        try:
            wanted = run(inmost, *arguments)
        except TlaError as refusal:  # the same, where it has no answer
            with pytest.raises(type(refusal)):
                run(a, *arguments)
            continue
        found = run(a, *arguments)
        answered += 1
        start = int(slice_and_offset(arguments[0], inmost)[1]) if name == "slice" else 0
        inside = [start + int(wanted(i)) for i in range(int(wanted.size))]
        assert table(found) == [int(_outside(a, x)) for x in inside]
        assert found.shape == wanted.shape
    assert answered > 80


def _outside(a: Any, x: int) -> Any:
    """Where an offset of the inmost layout goes."""
    return a.through(_outside(a.inner, x)) if is_composed(a.inner) else a.through(x)


def test_tables_texts_and_equality() -> None:
    rng = Random(2)
    for _i in range(200):
        a = random_seen(rng)
        for again in (parse(str(a)), tla.read(str(a)), tla.evaluate(str(a)), eval(repr(a), NAMES)):
            assert again == a
        assert offsets(a).flatten(order="F").tolist() == table(a)
        assert offset_lists(a) == offsets(a).tolist()
        assert hash(parse(str(a))) == hash(a)
        assert (a.rank, a.depth, a.size) == (len([*a]), tla.depth(a), tla.size(a))
        assert a.cosize == max(table(a)) - min(table(a)) + 1 == tla.cosize(a)
        assert [table(mode) for mode in a] == [table(get(a, i)) for i in range(int(a.rank))]


def test_casts() -> None:
    rng, answered = Random(3), 0
    for _i in range(300):
        a = random_seen(rng)
        n = rng.choice([1, 2, 4, 8])
        down = _attempt(downcast, a, n)
        if not isinstance(down, TlaError):
            assert [int(down(_grown(a, down, i))) for i in range(int(a.size))] == [
                n * x for x in table(a)
            ]
        try:
            up = upcast(a, n)
        except (LayoutError, UnsupportedError):
            continue
        answered += 1
        shrunk = _shrunk(a.shape, up.shape)
        for i in range(int(a.size)):
            c = tla.flatten_to_tuple(tla.idx2crd(i, a.shape))
            at = tla.unflatten(tuple(x // k for x, k in zip(c, shrunk, strict=True)), up.shape)
            assert int(up(at)) == int(a(i)) // n
    assert answered > 75


def _attempt(run: Any, *arguments: Any) -> Any:
    try:
        return run(*arguments)
    except TlaError as error:
        return error


def _grown(a: Any, down: Any, i: int) -> Any:
    """The coordinate of a downcast layout that is the first part of an element."""
    factors = _shrunk(down.shape, a.shape)
    c = tla.flatten_to_tuple(tla.idx2crd(i, a.shape))
    return tla.unflatten(tuple(x * k for x, k in zip(c, factors, strict=True)), down.shape)


def _shrunk(wide: Any, narrow: Any) -> list[int]:
    pairs = zip(tla.layouts.leaves(wide), tla.layouts.leaves(narrow), strict=True)
    return [int(n) // int(m) for n, m in pairs]


def test_inverses() -> None:
    rng, answered = Random(4), {"left": 0, "right": 0}
    for _i in range(200):
        a = random_seen(rng)
        places = table(a)
        right = _attempt(right_inverse, a)
        if not isinstance(right, TlaError):
            answered["right"] += 1
            assert [int(a(int(right(j)))) for j in range(int(right.size))] == list(
                range(int(right.size))
            )
        left = _attempt(left_inverse, a)
        if not isinstance(left, TlaError) and len(set(places)) == len(places):
            answered["left"] += 1
            assert [int(left(x)) for x in places] == list(range(len(places)))
    assert min(answered.values()) > 15


def test_the_run_of_a_swizzle() -> None:
    rng = Random(5)
    for _i in range(300):
        bits = rng.randint(0, 2)
        shift = rng.randint(bits, 3)
        swizzle, size = Swizzle(bits, rng.randint(0, 2), rng.choice([shift, -shift])), rng.randrange(150)
        run = run_of(swizzle, size)
        assert all(swizzle(x) < size for x in range(run))
        assert swizzle(run) >= size


def test_layouts_of_what_is_seen() -> None:
    rng, single = Random(6), 0
    for _i in range(300):
        a, b = random_outer(rng), random_seen(rng)
        if rng.random() < 0.3:  # of bits, which may run into each other where it grows
            flat = [rng.choice([1, 2, 4, 8]) for _n in range(3)]
            a = Layout(tuple(flat), tuple(rng.choice([1, 2, 8, 16, 64]) for _n in flat))
        found = composition(a, b)
        wanted = [int(a.extended(x) if isinstance(a, Layout) else a(x)) for x in table(b)]
        assert table(found) == wanted
        single += not is_composed(found.inner)
    assert single > 50
    swizzles = [Swizzle(b, m, s) for b in range(3) for m in range(2) for s in (-3, -2, 2, 3)]
    for a in swizzles:
        for b in swizzles:
            both: Any = composition(a, b)
            assert all(both(x) == a(b(x)) for x in range(int(both.size)))


def test_what_is_refused_says_why() -> None:
    with pytest.raises(DivisibilityError, match="does not give whole vectors") as error:
        upcast(parse("Sw<1,0,-2> o 0 o 8:1"), 2)
    assert "The swizzle reads bit 0, inside a vector, and writes bit 2." in str(error.value)
    with pytest.raises(DivisibilityError, match="does not give whole vectors") as error:
        upcast(parse("Sw<1,1,2> o 3 o 8:1"), 2)
    assert "Its offset 3 is no multiple of 2." in str(error.value)
    with pytest.raises(LayoutError, match="offset 0 is not reached"):
        right_inverse(parse("Sw<1,0,2> o 4 o 8:1"))
    assert algebra.filter_zeros(parse("Sw<1,0,2> o 0 o 8:0")).shape == 1
    assert to_linear(parse("Sw<1,0,2> o 0 o 8:1")).rank == 3


# --- tensors ----------------------------------------------------------------------------------


def test_views_of_a_tensor_have_the_elements_of_the_layout() -> None:
    """Slices, tiles and partitions, also of a view that starts elsewhere."""
    rng, answered = Random(21), 0
    places = [*range(20_000)]
    for _i in range(30):
        a = random_seen(rng)
        whole = tla.make_tensor(places, a)
        sizes = [int(mode.size) for mode in a]
        start = tuple(rng.randrange(n) for n in sizes)
        view = tla.get_tile(whole, start, tuple(map(_to_end, sizes, start)), aligned=False)
        at = tuple(map(rng.randrange, map(_to_end, sizes, start)))
        inside = tuple(map(add, at, start))
        assert view(at) == a(inside) == view.element(at) == whole.element(inside)
        kept = rng.randrange(len(sizes))
        part = view[tuple(_ if i == kept else n for i, n in enumerate(at))]
        assert part((at[kept],)) == a(inside)
        tiler = tiler_of(rng, a)
        place = tuple(rng.randrange(n // t) for n, t in zip(sizes, tiler, strict=True))
        tile, named = (
            tla.local_tile(whole, tiler, place),
            tla.tile_view(whole, place, tiler, aligned=False),
        )
        for c in tla.coords(tiler):
            there = tuple(n * t + i for n, t, i in zip(place, tiler, c, strict=True))
            assert tile(c) == named(c) == a(there)
            if named.is_aligned:
                answered += 1
                element = tla.local_tile(named, (1,) * len(sizes), c)
                assert element((0,) * len(sizes)) == a(there)
            else:
                with pytest.raises(DivisibilityError, match="does not lie on the blocks"):
                    tla.local_tile(named, (1,) * len(sizes), c)
    assert answered > 80


def _to_end(size: int, start: int) -> int:
    return size - start


def test_a_swizzled_buffer_is_written_by_one_partition_and_read_by_another() -> None:
    size, swizzled = (64, 32), parse("Sw<2,3,3> o 0 o (64,32):(32,1)")
    given, buffer = [*range(64 * 32)], [0] * int(swizzled.cosize)
    source = tla.make_tensor(given, tla.row_major(*size))
    shared = tla.make_tensor(buffer, swizzled)
    threads = Layout((32, 4), (4, 1))
    copy = tla.gpu.tiled_copy("UniversalCopy<uint128_t>", threads, Layout((1, 4)), element_bits=32)
    for thread in range(128):
        mine, theirs = (copy.partition(x, thread, "src") for x in (source, shared))
        for i in range(int(tla.size(mine.layout))):
            buffer[theirs(i)] = mine.data[mine(i)]
    assert buffer != given
    mma = tla.gpu.tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 1, 1)))
    for thread in range(0, 64, 7):
        mine, theirs = (mma.partition(x, thread, "a") for x in (source, shared))
        read = [buffer[theirs(i)] for i in range(int(tla.size(theirs.layout)))]
        assert read == [given[mine(i)] for i in range(len(read))]


# --- the rows of CuTe -------------------------------------------------------------------------

_TYPES = {
    "uint1b_t": 1, "int4_t": 4, "float_e2m1_t": 4, "uint8_t": 8, "int8_t": 8, "half_t": 16, "float": 32,
    "double": 64, "uint128_t": 128,
}  # fmt: skip


def _statically(x: Any) -> Any:
    """The ints of a row as static ones."""
    if isinstance(x, dict):
        return {name: _statically(part) for name, part in x.items()}
    return [*map(_statically, x)] if isinstance(x, list) else Int(x) if type(x) is int else x


def _tiler(x: Any) -> Any:
    """By mode an int, or a layout ``[extent, stride]``."""
    return tuple(Layout(*value(part)) if isinstance(part, list) else part for part in x)


def _moved(_a: Any, i: dict[str, Any]) -> Any:
    """CuTe's ``transfer_swizzle``: what a swizzle does to the coordinates of one layout, of another."""
    old, new = (Layout(*value(i[name])) for name in ("old", "new_"))
    there = composition(new, right_inverse(old))
    return composition(there, ComposedLayout(Swizzle(*i["swizzle"]["swizzle"]), Int(0), old))


RUN: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "append": lambda a, i: algebra.append(a, cute_layout(i["X"]), upto=i["N"]),
    "call": lambda a, _i: a,
    "call_crd": lambda a, i: a(value(i["crd"])),
    "swizzle_call": lambda a, _i: a,
    "coalesce": lambda a, _i: coalesce(a),
    "coalesce_profile": lambda a, i: coalesce(a, value(i["profile"])),
    "composition_int": lambda a, i: composition(a, i["n"]),
    "composition_layout": lambda a, i: composition(a, cute_layout(i["B"])),
    "composition_layout_composed": lambda a, i: composition(a, cute_layout(i["B"])),
    "composition_layout_swizzle": lambda a, i: composition(a, cute_layout(i["B"])),
    "composition_swizzle_swizzle": lambda a, i: composition(a, cute_layout(i["B"])),
    "composition_tuple": lambda a, i: composition(a, value(i["tiler"])),
    "composition_tuple_layouts": lambda a, i: composition(a, _tiler(i["tiler"])),
    "complement": lambda a, _i: tla.complement(a),
    "complement_cotarget": lambda a, i: tla.complement(a, i["cotarget"]),
    "cosize": lambda a, _i: a.cosize,
    "depth": lambda a, _i: a.depth,
    "rank": lambda a, _i: a.rank,
    "shape": lambda a, _i: a.shape,
    "size": lambda a, _i: a.size,
    "domain_offset": lambda a, i: algebra.domain_offset(value(i["coord"]), a)[0],
    "downcast": lambda a, i: downcast(a, i["N"]),
    "downcast_swizzle": lambda a, i: downcast(a, i["N"]),
    "upcast": lambda a, i: upcast(a, i["N"]),
    "upcast_swizzle": lambda a, i: upcast(a, i["N"]),
    "recast_layout": lambda a, i: recast_layout(a, Int(_TYPES[i["old"]]), Int(_TYPES[i["new"]])),
    "filter": lambda a, _i: algebra.filter(a),
    "flatten": lambda a, _i: flatten(a),
    "get": lambda a, i: get(a, i["mode"]),
    "get_nonswizzle_portion": lambda a, _i: a.inner,
    "group": lambda a, i: group(a, i["begin"], i["end"]),
    "take": lambda a, i: algebra.take(a, i["begin"], i["end"]),
    "select": lambda a, i: algebra.select(a, *i["modes"]),
    "filter_profile": lambda a, i: algebra.filter(a, value(i["profile"])),
    "left_inverse": lambda a, _i: left_inverse(a),
    "right_inverse": lambda a, _i: right_inverse(a),
    "nullspace": lambda a, _i: algebra.nullspace(a),
    "logical_divide": lambda a, i: logical_divide(a, _tiler(i["tiler"])),
    "logical_divide_int": lambda a, i: logical_divide(a, i["tiler"]),
    "logical_divide_layout": lambda a, i: logical_divide(a, cute_layout(i["tiler"])),
    "zipped_divide": lambda a, i: zipped_divide(a, _tiler(i["tiler"])),
    "tiled_divide": lambda a, i: algebra.tiled_divide(a, _tiler(i["tiler"])),
    "flat_divide": lambda a, i: algebra.flat_divide(a, _tiler(i["tiler"])),
    "logical_product": lambda a, i: logical_product(a, cute_layout(i["B"])),
    "logical_product_layout_composed": lambda a, i: logical_product(a, cute_layout(i["B"])),
    "zipped_product": lambda a, i: algebra.zipped_product(a, cute_layout(i["B"])),
    "tiled_product": lambda a, i: algebra.tiled_product(a, cute_layout(i["B"])),
    "flat_product": lambda a, i: algebra.flat_product(a, cute_layout(i["B"])),
    "blocked_product": lambda a, i: blocked_product(a, cute_layout(i["B"])),
    "raked_product": lambda a, i: raked_product(a, cute_layout(i["B"])),
    "make_swizzle": lambda _a, i: Swizzle.from_masks(i["Y"], i["Z"]),
    "make_layout_swizzle": lambda a, _i: composition(a, a.size),
    "transfer_swizzle": _moved,
    "tile_to_shape": lambda a, i: tile_to_shape(a, value(i["shape"])),
    "tile_to_shape_order": lambda a, i: tile_to_shape(a, value(i["shape"]), value(i["order"])),
}
"""What CuTe's operations are here."""

REFUSED = {
    "complement": 3, "complement_cotarget": 3, "composition_layout": 7, "recast_layout": 1,
    "right_inverse": 6, "upcast_swizzle": 1,
}  # fmt: skip
"""How many rows of CuTe are wrong and refused here; docs/differences.md has one of each kind."""
ANOTHER_FUNCTION = {
    "composition_layout_composed": 1, "composition_layout_swizzle": 1, "cosize": 3, "left_inverse": 1,
    "logical_product_layout_composed": 3, "nullspace": 1, "make_layout_swizzle": 4,
    "right_inverse": 1,
}  # fmt: skip
"""How many give another function, and are wrong."""
OTHER_TEXT = {
    "composition_layout_composed": 1, "flat_divide": 3, "tiled_divide": 3, "flat_product": 1,
    "tiled_product": 2, "left_inverse": 5, "right_inverse": 2, "select": 9,
}  # fmt: skip
"""How many are the same function in other words: ranks of 1, swizzles inside, modes of a selection."""
OPEN = {"blocked_product": 1, "logical_product": 1, "raked_product": 2, "logical_divide_layout": 1,
        "composition_layout": 1, "upcast": 4, "recast_layout": 1, "right_inverse": 2, "tiled_product": 1,
        "make_swizzle": 1}  # fmt: skip
"""How many are refused there and here. All others that CuTe refuses are answered."""


def _peer(x: Any) -> Any:
    """The function of a result of CuTe: a layout, a swizzle, or a layout of what a swizzle gives."""
    if isinstance(x, dict) and "outer" in x:
        outer, swizzle = cute_layout(x["outer"]), Swizzle(*x["layout"]["swizzle"])
        return lambda i: outer.extended(x["offset"] + swizzle(i))
    return cute_layout(x)


def _is_function(x: object) -> bool:
    return isinstance(x, (Layout, ComposedLayout, Swizzle))


def _compared(row: Any, name: str) -> str:
    """How an answer differs from CuTe's, in a word."""
    inputs, wanted = _statically(row["inputs"]), row["result"]
    is_refused = isinstance(wanted, dict) and "error" in wanted
    try:
        found: Any = RUN[name](cute_layout(inputs["A"]) if "A" in inputs else None, inputs)
    except TlaError:
        return "open" if is_refused else "refused"
    if is_refused:
        return "answered"
    if name == "domain_offset":
        wanted = wanted["layout"]
    if not _is_function(found):  # a number, or a shape
        return "same" if found == value(wanted) else "function"
    if "dynamic" not in row:
        assert tla.is_static(found), str(found)
    if name == "select":
        assert [table(mode) for mode in found] == [table(cute_layout(x)) for x in wanted]
        return "text"
    peer = _peer(wanted)
    is_plain = _is_function(peer)
    if is_plain and printed(found) == printed(peer):
        return "same"
    if name == "left_inverse":  # where the layout leads; of other offsets it says nothing
        asked = table(cute_layout(row["inputs"]["A"]))
        there = getattr(peer, "extended", peer)
        return "text" if all(found.extended(i) == there(i) for i in asked) else "function"
    if is_plain and found.size != size(peer):
        return "function"
    return "text" if all(found(i) == peer(i) for i in range(int(found.size))) else "function"


@pytest.mark.parametrize("name", RUN)
def test_rows_of_cute(name: str) -> None:
    found = rows("cute_composed.jsonl", name)
    words = Counter(_compared(row, name) for row in found)
    assert (words["refused"], words["function"], words["text"], words["open"]) == tuple(
        [table.get(name, 0) for table in (REFUSED, ANOTHER_FUNCTION, OTHER_TEXT, OPEN)]
    )
    wrong = sum(row.get("function_ok") is False for row in found)
    assert words["refused"] + words["function"] >= wrong


SMEM = ("recast_layout", "right_inverse", "max_common_vector", "slice_and_offset")


@over("row", [row for op in SMEM for row in rows("cute_composed.jsonl", f"smem_{op}")])
def test_tiled_atoms_of_cute(row: Any) -> None:
    """Offsets are elements here; CuTe's numbers are those of a swizzle of bytes."""
    op, inputs, wanted = row["op"], row["inputs"], row["result"]
    atom: Any = smem_atoms[inputs["atom"]]
    tiled: Any = tile_to_shape(atom, tuple(inputs["shape"]))
    some = range(0, int(tiled.size), 37)
    if op == "smem_max_common_vector":
        rows_of = Layout(
            tla.product_each(tiled.shape), tla.compact_row_major(tla.product_each(tiled.shape))
        )
        width = _TYPES[inputs["atom"].partition("<")[2][:-1]]
        assert tla.max_common_vector(tiled, rows_of) == min(wanted, 128 // width)
    elif op == "smem_recast_layout":
        width = _TYPES[inputs["new"]]
        found: Any = recast_layout(tiled, _TYPES[inputs["old"]], width)
        assert [found(i) for i in some] == [in_bytes(wanted, width)(i) for i in some]
    elif op == "smem_right_inverse":  # which CuTe refuses
        assert [tiled(right_inverse(tiled)(i)) for i in some] == [*some]
    else:
        coord = _coord(inputs["coord"])
        index, start = slice_and_offset(coord, Layout(tiled.shape))
        assert table(tiled[coord]) == [tiled(start + i) for i in table(index)]


def _coord(x: Any) -> Any:
    return tuple(map(_coord, x)) if isinstance(x, list) else _ if x == "_" else x


@over("row", [*rows("cute_composed.jsonl", "slice"), *rows("cute_composed.jsonl", "slice_and_offset")])
def test_slices_of_cute(row: Any) -> None:
    """CuTe decays to a plain layout where it can, and may leave the offset outside."""
    a = cute_layout(row["inputs"]["A"])
    coord = _coord(row["inputs"]["coord"])
    found, (kept, start) = a[coord], slice_and_offset(coord, Layout(a.shape))  # the indices that stay
    assert table(found) == [int(a(start + i)) for i in table(kept)]
    wanted = row["result"]
    if "error" not in wanted and row.get("function_ok") is not False:
        offset = wanted.get("offset", None) if isinstance(wanted, dict) and "layout" in wanted else None
        peer = cute_layout(
            wanted["layout"] if offset is not None and "swizzle" not in wanted else wanted
        )
        moved = table(peer)
        ours = table(found)
        assert [x - moved[0] for x in moved] == [x - ours[0] for x in ours]


def test_products_of_a_layout_with_a_swizzled_one() -> None:
    rng, answered = Random(10), 0
    for row in rows("cute_composed.jsonl", "logical_product_layout_composed"):
        block, tiler = Layout(*value(row["inputs"]["A"])), cute_layout(row["inputs"]["B"])
        for moved in (0, rng.choice([1, 8, 16])):
            copies = ComposedLayout(tiler.outer, moved, tiler.inner)
            found = _attempt(logical_product, block, copies)
            if isinstance(found, TlaError):
                assert moved
                continue
            answered += 1
            rest = tla.algebra.free(block, block.size * copies.inner.cosize, grows=True)
            for j in range(0, int(copies.size), 7):  # each copy where the free offsets lie
                place = rest.extended(int(copies(j)))
                assert [found(i, j) for i in range(int(block.size))] == [
                    block(i) + place for i in range(int(block.size))
                ]
    assert answered >= 12


def test_vectors_that_swizzles_leave_whole() -> None:
    for op, run in (("max_common_vector", tla.max_common_vector), ("max_alignment", tla.max_alignment)):
        for row in rows("cute_composed.jsonl", op):
            given = [cute_layout(x) for x in row["inputs"].values()]
            found = int(run(*given))
            swizzled: list[Any] = [x for x in given if is_composed(x)]
            is_moved = any(x.offset % (1 << x.outer.base) for x in swizzled)  # which CuTe does not see
            if isinstance(row["result"], int) and not is_moved:
                assert found == row["result"], row["inputs"]
            if op == "max_alignment" or all(map(is_composed, given)):  # which move alike
                continue
            for x in given:
                inverse = right_inverse(given[0] if not is_composed(given[0]) else given[0].inner)
                assert _are_whole(x, inverse, found)
    for row in rows("cute_composed.jsonl", "max_common_layout"):
        given = [cute_layout(x) for x in row["inputs"].values()]
        assert tla.max_common_layout(*given) == cute_layout(row["result"])


def _are_whole(x: Any, inverse: Any, n: int) -> bool:
    """Whether the elements of the first vector lie next to each other."""
    places = [int(x(int(inverse(i)))) for i in range(min(n, int(inverse.size)))]
    return places == list(range(places[0], places[0] + len(places))) if places else True


def _is_onto(n: int, x: Any) -> bool:
    return tla.is_surjective_onto(x, n)


def test_facts_and_complements() -> None:
    rng, seen = Random(9), {True: 0, False: 0}
    for _i in range(150):
        a = random_seen(rng)
        places = table(a)
        distinct = {*places}
        for fact, wanted in (
            (tla.is_injective, len(distinct) == len(places)),
            (tla.is_contiguous, sorted(places) == list(range(min(places), max(places) + 1))),
            (tla.is_bijective, sorted(places) == list(range(len(places)))),
            (partial(_is_onto, len(distinct)), distinct == {*range(len(distinct))}),
        ):
            answer = _attempt(fact, a)
            if not isinstance(answer, TlaError):
                assert answer is wanted, (fact, str(a), places[:20])
                seen[wanted] += 1
        b = random_seen(rng)
        assert tla.same_function(a, b) is (places == table(b))
        assert tla.same_function(a, flatten(a))
        rest = _attempt(tla.complement, a, 4 * len(distinct))
        if not isinstance(rest, TlaError):
            sums = {x + int(y) for x in distinct for y in table(rest)}
            assert len(sums) == len(distinct) * int(rest.size)
    assert min(seen.values()) > 70
    strange: Any = 8
    for pair in ((strange, parse("Sw<1,0,2> o 0 o 8:1")), (parse("Sw<1,0,2> o 0 o 8:1"), strange)):
        with pytest.raises(tla.NotALayoutError):
            tla.same_function(*pair)


PAGE = Path(__file__).parents[2] / "docs" / "differences.md"


@pytest.mark.skipif(not PAGE.exists(), reason="the wheel has no documents")
def test_the_table_of_differences_is_what_is_answered() -> None:
    """The first field of a row is a call that `tla eval` reads; the third is what it gives."""
    cells = [line.strip("| \n").split(" | ") for line in PAGE.read_text("utf-8").splitlines()]
    cases = [
        x for x in cells if len(x) == 4 and re.fullmatch(r"`\w+\(.*\)`", x[0]) and "Sw<" in x[0] + x[2]
    ]
    for call, _there, here, _reason in cases:
        found = _attempt(tla.evaluate, call.strip("` "))
        text = type(found).__name__ if isinstance(found, TlaError) else str(found)
        assert text.replace("_", "") == here.strip("` ").replace("_", ""), call
    assert len(cases) > 18
