"""Is a copy a bitcast, what differs, and in what runs does it move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, strategies as st

from tla import LayoutError, NotALayoutError, UndecidedError, UnsupportedError, parse, read
from tla.xla_bridge import (
    XlaShape,
    common_run,
    common_vector,
    differences,
    equivalent,
    is_bitcast,
    parse_shape,
    physical_elements,
    physical_offset,
    to_layout,
)

from .layout_laws import naive_run, naive_vector, neighbour, reshaped
from .naive import memory_of
from .rows import array, indices, offsets
from .strategies import xla_shapes

if TYPE_CHECKING:
    from collections.abc import Sequence


def memory(shape: XlaShape) -> list[int]:
    return [int(x) for x in memory_of(shape)]


# --- the laws, against what lies at each place ---


@given(xla_shapes())
def test_equivalent_is_the_same_memory(shape: XlaShape) -> None:
    other = neighbour(shape)
    assert equivalent(shape, other) == (memory(shape) == memory(other))
    assert is_bitcast(shape, other) == equivalent(shape, other) == equivalent(other, shape)


@given(xla_shapes(), st.data())
def test_any_two_orders_and_tilings_of_one_array(shape: XlaShape, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(shape.rank)))
    other = XlaShape("f32", shape.dimensions, order, data.draw(xla_shapes()).tiles)
    if physical_elements(other) <= 20_000:
        assert equivalent(shape, other) == (memory(shape) == memory(other))


@given(xla_shapes())
def test_a_difference_is_one(shape: XlaShape) -> None:
    other = neighbour(shape)
    moved = [d for d in differences(shape, other) if d.kind == "offset"]
    assert len(moved) == (offsets(shape) != offsets(other))
    for each in moved:
        assert each.at is not None
        assert each.a == physical_offset(shape, each.at) != each.b == physical_offset(other, each.at)


@given(xla_shapes(combine=False))
def test_of_nested_layouts_it_is_the_first(shape: XlaShape) -> None:
    other = neighbour(shape)
    moved = [d for d in differences(shape, other) if d.kind == "offset"]
    try:
        to_layout(shape), to_layout(other)  # pyright: ignore[reportUnusedExpression]
    except UnsupportedError:
        return
    places = zip(indices(shape.dimensions), offsets(shape), offsets(other), strict=True)
    assert [d.at for d in moved] == [index for index, x, y in places if x != y][:1]


@given(xla_shapes())
def test_a_reshape_is_a_bitcast_where_memory_stays(shape: XlaShape) -> None:
    other = reshaped(shape)
    assert is_bitcast(shape, other) == (memory(shape) == memory(other))


@given(xla_shapes())
def test_runs_and_vectors(shape: XlaShape) -> None:
    other = neighbour(shape)
    ours, theirs = memory(shape), memory(other)
    run = common_run(shape, other)
    assert run == naive_run(ours, theirs)
    assert common_vector(shape, other) == naive_vector(ours, theirs, run)


@given(xla_shapes())
def test_a_shape_and_its_layout_are_equivalent(shape: XlaShape) -> None:
    try:
        layout = to_layout(shape)
    except UnsupportedError:
        return
    assert equivalent(shape, layout)
    assert equivalent(layout, shape, size=physical_elements(shape))
    assert equivalent(layout, layout.trimmed())
    assert not equivalent(layout, shape, size=physical_elements(shape) + 1)


# --- known pairs ---


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("f32[8,128]{1,0:T(8,128)}", "f32[8,128]{1,0}"),
        ("f32[64,8]{1,0:T(8,8)}", "f32[64,8]{1,0}"),
        ("f32[1,4]{0,1}", "f32[1,4]{1,0}"),
        ("f32[4,8]{1,0:T(2,4)(2,1)}", "f32[4,8]{1,0:T(2,1)}"),
        ("bf16[4096]{0:T(1024)(128)(2,1)}", "bf16[4096]{0:T(128)(2,1)}"),
        ("f32[6,4]{1,0:T(*,2)}", "f32[6,4]{1,0}"),
        ("pred[1,1]{1,0:T(4,128)(4,1)}", "pred[1,1]{1,0:T(512)}"),
        ("f32[3]{0:S(1)M(8)}", "f32[3]{0}"),
        # too large to look at, and without digits
        ("f32[1048576,1048577]{1,0:T(*,3)(2)}", "f32[1048576,1048577]{1,0:T(*,3)(1,2)}"),
    ],
)
def test_other_texts_of_one_layout(a: str, b: str) -> None:
    assert array(a) != array(b)
    assert equivalent(array(a), array(b))


@pytest.mark.parametrize(
    ("a", "b", "told"),
    [
        ("f32[2,3]", "f32[3,2]", ["the dims are [2,3] and [3,2]"]),
        ("f32[<=3]", "f32[3]", ["the dims are [<=3] and [3]"]),
        ("f32[3]", "s32[3]", ["the element type is f32 and s32"]),
        ("s4[8]", "s4[8]{0:E(4)}", ["the element size is 8 and 4, in bits"]),
        ("f32[3]", "f32[3]{0:T(8)}", ["the size is 3 and 8, in elements"]),
        ("f32[3]", "f32[3]{0:L(4)}", ["the size is 3 and 4, in elements"]),
        ("f32[2,3]", "f32[2,3]{0,1}", ["index (0,1) lies at 1 and at 2"]),
        ("f32[3]", "f32[3]{0:S(1)}", ["the memory space is 0 and 1"]),
        ("f32[3]", "f32[3]{0:M(8)}", ["the prefix is 0 and 8, in bytes"]),
        ("f32[4]", "f32[4]{0:SC(0:2)}", ["the split is none and SC(0:2)"]),
        (
            "f32[2,3]",
            "bf16[2,3]{0,1:T(4,2)S(1)}",
            [
                "the element type is f32 and bf16",
                "the element size is 32 and 16, in bits",
                "index (0,1) lies at 1 and at 2",
                "the size is 6 and 8, in elements",
                "the memory space is 0 and 1",
            ],
        ),
        (  # no digits: the proof of that is where they differ
            "f32[1048576,1048577]{1,0:T(*,3)(2)}",
            "f32[1048576,1048577]{1,0}",
            ["index (1,1) lies at 1398104 and at 1048578", "the size is"],
        ),
        ("f32[0,3]", "f32[0,3]{0,1:T(8)}", []),
    ],
)
def test_what_differs(a: str, b: str, told: Sequence[str]) -> None:
    found = [str(each) for each in differences(array(a), array(b))]
    assert len(found) == len(told)
    assert all(text.startswith(start) for text, start in zip(found, told, strict=True))


def test_where_it_lies_is_no_other_layout_but_no_bitcast_either() -> None:
    here, there = array("f32[64]"), array("f32[64]{0:S(1)}")
    assert equivalent(here, there)
    assert not is_bitcast(here, there)
    assert not is_bitcast(here, array("f32[64]{0:M(8)}"))
    assert [d.is_placement for d in differences(here, there)] == [True]


@pytest.mark.parametrize(
    ("a", "b", "is_one"),
    [
        ("f32[16,128]{1,0:T(8,128)}", "f32[2,8,128]{2,1,0:T(8,128)}", True),
        ("f32[16,128]{1,0:T(8,128)}", "f32[2048]{0}", True),
        ("f32[16,256]{1,0:T(8,128)}", "f32[4096]{0}", False),
        ("f32[16,256]{1,0:T(8,128)}", "f32[4,4,256]{2,1,0:T(8,128)}", False),
        ("bf16[1,32,256]{2,1,0:T(8,128)(2,1)}", "bf16[32,1,256]{2,0,1:T(8,128)(2,1)}", True),
        ("f32[10,128]{1,0:T(8,128)}", "f32[2,5,128]{2,1,0:T(8,128)}", False),
        ("f32[2,3]{1,0}", "f32[3,2]{0,1}", False),
        ("f32[6]{0:T(4)(3)}", "f32[2,3]{1,0:T(4,3)}", False),
        ("f32[1,1]{1,0}", "f32[]", True),
        ("f32[0,3]", "f32[3,0]", True),
        ("f32[2,3]", "s32[3,2]", True),  # bits are bits
        ("f32[2,3]", "bf16[3,2]", False),
        ("f32[2,3]", "f32[7]", False),
        ("f32[1048576,1048576]{1,0:T(8,128)}", "f32[131072,8,1048576]{2,1,0:T(8,128)}", True),
    ],
)
def test_bitcasts(a: str, b: str, is_one: bool) -> None:
    assert is_bitcast(array(a), array(b)) is is_one
    assert is_bitcast(array(b), array(a)) is is_one


@pytest.mark.parametrize(
    ("a", "b", "run", "vector"),
    [
        ("f32[1024,1024]{1,0:T(8,128)}", "f32[1024,1024]{1,0}", 128, 128),
        ("f32[1000,1000]{1,0:T(8,128)}", "f32[1000,1000]{1,0}", 128, 8),
        ("f32[1024,1024]{1,0:T(8,128)}", "f32[1024,1024]{0,1:T(8,128)}", 1, 1),
        ("bf16[64,256]{1,0:T(8,128)(2,1)}", "bf16[64,256]{1,0:T(16,128)(2,1)}", 1024, 1024),
        ("f32[4,8,128]{2,1,0:T(8,128)}", "f32[4,8,128]{2,0,1:T(4,128)}", 128, 128),
        ("f32[8,128]", "f32[8,128]{1,0:T(8,128)}", 1024, 1024),
        ("f32[12,5]{1,0:T(4,8)}", "f32[12,5]{1,0:T(6,8)}", 96, 96),
        ("f32[0]", "f32[0]{0:T(8)}", 0, 0),
        # vectors divide both memories: 20 and 32 elements
        ("f32[2,5]{1,0:T(4,1)}", "f32[2,5]{0,1:T(4,4)}", 20, 4),
        # blocks of 4 are torn, blocks of 2 are not
        ("f32[9]{0:T(3,6)}", "f32[9]{0:T(4)(8)}", 4, 2),
    ],
)
def test_known_runs(a: str, b: str, run: int, vector: int) -> None:
    assert (common_run(array(a), array(b)), common_vector(array(a), array(b))) == (run, vector)
    assert (common_run(array(b), array(a)), common_vector(array(b), array(a))) == (run, vector)


def test_runs_of_nested_layouts() -> None:
    assert common_run(parse("(4,8):(1,4)"), parse("(4,8):(1,8)")) == 4
    assert common_vector(parse("(4,8):(1,4)"), parse("(4,8):(1,6)")) == 2
    assert common_run(array("f32[4,8]{0,1}"), parse("(4,8):(1,4)")) == 32


# --- unknown sizes ---


def test_shapes_of_unknown_size() -> None:
    plain = array("f32[?,4]")
    assert equivalent(plain, array("f32[?,4]{1,0:T(1)}"))
    assert is_bitcast(plain, array("f32[?,4]{1,0:T(1)}"))
    assert not equivalent(plain, array("f32[?,4]{0,1}"))
    (found,) = differences(plain, array("f32[?,4]{0,1}"))
    assert str(found) == "index (0,1) lies at 1 and at 2, if dim 0 is 2"
    assert [d.kind for d in differences(plain, array("f32[4,?]"))] == ["dims"]
    assert [d.kind for d in differences(plain, array("f32[<=5,4]"))] == ["dims"]
    assert equivalent(array("f32[<=5,4]"), array("f32[<=5,4]{1,0:T(4)}"))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("f32[<=4,3]", "(_4,_3):(_3,_1):(d0{min=0,max=4},_3)"),
        ("f32[?,3]", "(M,3):(3,1)"),
        ("f32[?,<=4]", "(M,4):(4,1):(M,N{max=4})"),
        ("f32[?,<=4]", "(M,N{max=4}):(4,1)"),
        ("f32[<=4,4]", "(M{max=4},4):(4,1)"),
        ("f32[?,<=5]{1,0:T(2,2)}", "((2,(M+1)//2),(2,3)):((2,12),(1,4)):(M,N{max=5})"),
        ("(M{div=4},3):(3,1)", "(M{div=4},3):(3,1)"),
        ("f32[?,?]{1,0:T(2,2)}", "((2,(M+1)//2),(2,(N+1)//2)):((2,4*((N+1)//2)),(1,4)):(M,N)"),
    ],
)
def test_a_layout_with_unknowns_and_the_shape_of_it(a: str, b: str) -> None:
    one, other = read(a), read(b)
    assert differences(one, other) == differences(other, one) == ()
    assert is_bitcast(one, other)
    if isinstance(one, XlaShape):
        assert differences(one, to_layout(one)) == ()


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        ("(M,3):(3,1)", "(M,3):(1,M)", "index (0,1) lies at 1 and at 2, if M is 2"),
        ("(M,N):(N,1)", "(M,N):(M,1)", "index (1,0) lies at 3 and at 2, if M is 2 and N is 3"),
        (
            "(M{div=4},3):(3,1)",
            "(M{div=4},3):(1,M)",
            "index (0,1) lies at 1 and at 4, if M is 4",
        ),
        ("f32[<=4,3]", "(4,3):(3,1)", "the dims are [<=4,3] and [4,3]"),
        ("f32[<=4,4]", "(M{max=4},4):(1,4)", "index (0,1) lies at 1 and at 4"),
        ("f32[?]", "(M{max=7}):(1)", "the dims are [?] and [<=7]"),
    ],
)
def test_a_layout_with_unknowns_and_another(a: str, b: str, text: str) -> None:
    assert [str(each) for each in differences(read(a), read(b))] == [text]
    assert not equivalent(read(a), read(b))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("RowMajor<half>(M{div=16},K{div=16})", "RowMajor<half>(M,K)"),
        ("zN<half>(M{div=16},48)", "zN<half>(M,48)"),
        ("zN<half>(M{div=32},48)", "zN<half>(M{div=48},48)"),
        ("(4,M{min=3}):(M,1)", "(4,M{min=8}):(M,1)"),
    ],
)
def test_a_name_is_one_unknown_with_the_facts_of_both(a: str, b: str) -> None:
    assert differences(read(a), read(b)) == differences(read(b), read(a)) == ()
    assert is_bitcast(read(a), read(b))


def test_the_sizes_at_which_they_differ_are_those_tried() -> None:
    a, b = read("RowMajor<half>(M{div=16},K{div=16})"), read("ColumnMajor<half>(M,K)")
    for one, other in [(a, b), (b, a)]:
        (found,) = differences(one, other)
        assert sorted(found.unknown) == [("K", 16), ("M", 16)]
        sizes = dict(found.unknown)
        offsets = [layout.bind(**sizes)(found.at) for layout in (one, other)]
        assert offsets == [found.a, found.b]
        assert found.a != found.b


def test_facts_of_one_name_that_no_int_has() -> None:
    a, b = parse("(M,4):(4,K{max=6})"), parse("(M,4):(4,K{min=10})")
    with pytest.raises(LayoutError, match="no K fits both: no K lies between 10 and 6"):
        differences(a, b)


def test_what_is_open_names_the_sizes_that_were_tried() -> None:
    with pytest.raises(UndecidedError, match=r"They are for \(M, K\) = \(16, 16\), \(129, 129\), "):
        differences(read("zN<half>(M{min=16},48)"), read("zN<half>(K{min=16},48)"))


def test_unknown_sizes_that_leave_it_open() -> None:
    with pytest.raises(UndecidedError, match="one layout for every unknown size"):
        equivalent(array("f32[?]{0:T(5000)(3)}"), array("f32[?]{0:T(5000)(3)(1,1)}"))
    with pytest.raises(UndecidedError, match="it has unknown sizes"):
        common_run(array("f32[?,4]"), array("f32[?,4]"))
    with pytest.raises(UndecidedError, match="it has unknown sizes"):
        is_bitcast(array("f32[?,4]"), array("f32[4,?]"))


# --- bad input ---


def test_too_large_to_look_at() -> None:
    a, b = array("f32[1048576,9]{1,0:T(3)(6,*,2)(*,1)}"), array("f32[1048576,9]{1,0:T(3)(6,*,2)}")
    assert equivalent(a, array(str(a)))
    with pytest.raises(UndecidedError, match="at most 65536 are looked at"):
        equivalent(a, to_layout(b))


@pytest.mark.parametrize("function", [equivalent, differences, is_bitcast, common_run, common_vector])
def test_what_is_no_layout(function: Any) -> None:
    with pytest.raises(UnsupportedError):
        function(parse_shape("(f32[2], f32[3])"), array("f32[2]"))
    with pytest.raises(UnsupportedError):
        function(array("f32[2]"), parse_shape("token[]"))
    with pytest.raises(TypeError):
        function("f32[2]", array("f32[2]"))
    assert issubclass(NotALayoutError, TypeError)


def test_runs_of_other_dims_or_shared_places() -> None:
    with pytest.raises(LayoutError, match="their dims differ"):
        common_run(array("f32[2,3]"), array("f32[3,2]"))
    with pytest.raises(LayoutError, match="two elements share an offset"):
        common_vector(array("f32[2,3]"), parse("(2,3):(1,1)"))
    with pytest.raises(LayoutError, match="lies below 0"):
        common_run(parse("4:-1"), parse("4:1"))
