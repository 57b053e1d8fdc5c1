"""XLA shapes as values: built, asked, compared, printed."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from cases import over
from hypothesis import given

from tla import CoordinateError, Int, LayoutError, LeafError, TlaError, UnsupportedError, sym
from tla.xla_bridge import (
    COMBINE,
    MODES,
    XlaBuffer,
    XlaShape,
    XlaTuple,
    array_shape,
    parse_shape,
    physical_bytes,
)

from .rows import TILED, array
from .strategies import xla_shapes

if TYPE_CHECKING:
    from tla.xla_bridge import AnyShape, Mode


def test_what_is_left_out() -> None:
    shape = XlaShape("f32", (2, 3))
    assert shape.minor_to_major == (1, 0)
    assert shape.tiles == ()
    assert shape.tail_padding_alignment_in_elements == 1
    assert (shape.element_size_in_bits, shape.memory_space, shape.text) == (0, 0, None)
    assert (shape.index_primitive_type, shape.pointer_primitive_type) == (None, None)
    assert (shape.split_configs, shape.dynamic_shape_metadata_prefix_bytes) == ((), 0)


def test_a_shape_built_in_code() -> None:
    shape = XlaShape("f32", (2, 3), minor_to_major=(0, 1), tiles=[(8, 128)])
    assert str(shape) == "f32[2,3]{0,1:T(8,128)}"
    assert (shape.element_type.name, shape.element_type.bits, shape.element_type.bytes) == ("f32", 32, 4)
    assert (shape.rank, shape.true_rank, shape.elements) == (2, 2, 6)
    assert shape.major_to_minor == (1, 0)


@over("row", TILED, ids=lambda row: str(row["text"]))
def test_fields_of_the_text(row: dict[str, Any]) -> None:
    shape = array(row["text"])
    assert list(shape.dimensions) == row["dims"]
    assert list(shape.minor_to_major) == row["minor_to_major"]
    assert [list(tile) for tile in shape.tiles] == row["tiles"]
    assert shape.element_type.name == row["dtype"]
    assert shape.tail_padding_alignment_in_elements == row["L"]
    assert shape.element_size_in_bits == row["E"]


def test_ints_of_every_kind_become_plain_ints() -> None:
    eight: Any = np.int64(8)
    shape = XlaShape("f32", np.array([2, 3]), (Int(1), Int(0)), [[eight, Int(128)]])
    assert shape == XlaShape("f32", (2, 3), (1, 0), [(8, 128)])
    assert {type(n) for n in (*shape.dimensions, *shape.minor_to_major, *shape.tiles[0])} == {int}


def test_splits_and_prefix() -> None:
    one: Any = np.int64(1)
    shape = XlaShape(
        "f32", (3, 5), (0, 1), split_configs=[(one, [Int(2)])], dynamic_shape_metadata_prefix_bytes=one
    )
    assert (shape.split_configs, shape.dynamic_shape_metadata_prefix_bytes) == (((1, (2,)),), 1)
    assert {type(n) for n in (shape.split_configs[0][0], *shape.split_configs[0][1])} == {int}
    assert str(shape) == "f32[3,5]{0,1:SC(1:2)M(1)}"
    assert repr(shape) == (
        "XlaShape('f32', (3, 5), minor_to_major=(0, 1), split_configs=((1, (2,)),), "
        "dynamic_shape_metadata_prefix_bytes=1)"
    )


def test_what_is_built_in_code_is_a_layout() -> None:
    for shape in DISTINCT:
        shape.validate()


def test_upper_case_types_are_taken() -> None:
    assert XlaShape("BF16", ()) == XlaShape("bf16", ())


def test_minus_one_is_combine() -> None:
    shape = XlaShape("f32", (2, 3), tiles=[(-1, 3)])
    assert shape.tiles == ((COMBINE, 3),)
    assert shape == XlaShape("f32", (2, 3), tiles=[("*", 3)])


def test_dynamic_dims() -> None:
    shape = XlaShape("f32", ("<=5", 3, "?"))
    assert shape.dimensions[:2] == (5, 3)
    assert str(shape.dimensions[2]) == "d2{min=0}"
    assert shape.dynamic_dimensions == (True, False, True)
    assert (shape.is_static, shape.is_unbounded_dynamic, shape.true_rank) == (False, True, 3)
    assert (str(shape.elements), shape.dimension(0)) == ("15*d2{min=0}", 5)
    bounded = XlaShape("f32", ("<=5", "<=1"))
    assert (bounded.is_static, bounded.is_unbounded_dynamic, bounded.true_rank) == (False, False, 1)
    assert (bounded.elements, XlaShape("f32", (5,)).is_static) == (5, True)
    assert str(shape) == "f32[<=5,3,?]{2,1,0}"
    assert repr(bounded) == "XlaShape('f32', ('<=5', '<=1'), minor_to_major=(1, 0))"
    assert XlaShape("f32", ("<= 05",)) == XlaShape("f32", ("<=5",))


# --- queries ---


def test_negative_dims_count_from_the_last() -> None:
    """shapes.md: of [A x B x C], dim -1 is C and dim -2 is B."""
    shape = XlaShape("f32", (2, 3, 5))
    assert [shape.dimension(i) for i in (0, 1, 2)] == [2, 3, 5]
    assert [shape.dimension(i) for i in (-1, -2, -3)] == [5, 3, 2]


@pytest.mark.parametrize("dim", [3, -4])
def test_dims_that_are_none(dim: int) -> None:
    with pytest.raises(CoordinateError, match=f"no dim {dim} in f32.2,3,5..* of rank 3") as caught:
        XlaShape("f32", (2, 3, 5)).dimension(dim)
    assert caught.value.dim == dim


@pytest.mark.parametrize(
    ("dims", "true_rank"), [((), 0), ((1, 1), 0), ((1, 3, 1), 1), ((2, 3), 2), ((0, 3), 1)]
)
def test_true_rank_counts_the_dims_above_one(dims: tuple[int, ...], true_rank: int) -> None:
    """shapes.md: the true number of dimensions is that of the dims greater than 1."""
    assert XlaShape("f32", dims).true_rank == true_rank


@pytest.mark.parametrize(("dims", "elements"), [((), 1), ((2, 3), 6), ((4, 0, 9), 0)])
def test_elements(dims: tuple[int, ...], elements: int) -> None:
    assert XlaShape("f32", dims).elements == elements


# --- the value ---


@pytest.mark.parametrize("name", [*XlaShape.__slots__, "is_static", "other"])
def test_a_shape_is_immutable(name: str) -> None:
    shape = XlaShape("f32", (2, 3))
    with pytest.raises(AttributeError, match=f"immutable: cannot set '{name}'"):
        setattr(shape, name, 1)
    assert str(shape) == "f32[2,3]{1,0}"


@pytest.mark.parametrize("name", [*XlaTuple.__slots__, "other"])
def test_a_tuple_is_immutable(name: str) -> None:
    both = XlaTuple([XlaShape("f32", (2, 3))])
    with pytest.raises(AttributeError, match=f"immutable: cannot set '{name}'"):
        setattr(both, name, 1)
    assert str(both) == "(f32[2,3]{1,0})"


@pytest.mark.parametrize("name", [*XlaBuffer.__slots__, "other"])
def test_a_buffer_is_immutable(name: str) -> None:
    buffer = XlaBuffer(XlaShape("f32", (2, 3)))
    with pytest.raises(AttributeError, match=f"an XlaBuffer is immutable: cannot set '{name}'"):
        setattr(buffer, name, 1)
    assert str(buffer) == "b(f32[2,3]{1,0})"


@pytest.mark.parametrize(
    "value",
    [XlaShape("f32", (2, 3)), XlaTuple([]), XlaBuffer(XlaShape("f32", ()))],
    ids=["shape", "tuple", "buffer"],
)
def test_nothing_is_deleted_from_a_value(value: AnyShape) -> None:
    for name in type(value).__slots__:
        with pytest.raises(AttributeError, match="immutable"):
            delattr(value, name)


DISTINCT: list[AnyShape] = [
    XlaShape("f32", (2, 3)),
    XlaShape("s32", (2, 3)),
    XlaShape("f32", (3, 2)),
    XlaShape("f32", (2, 3), (0, 1)),
    XlaShape("f32", (2, 3), tiles=[(2, 3)]),  # XLA keeps a tile that changes nothing
    XlaShape("f32", (2, 3), tail_padding_alignment_in_elements=2),
    XlaShape("f32", (2, 3), element_size_in_bits=16),
    XlaShape("f32", (2, 3), memory_space=1),
    XlaShape("f32", (2, 3), split_configs=[(0, (1,))]),
    XlaShape("f32", (2, 3), split_configs=[(1, (1,))]),
    XlaShape("f32", (2, 3), split_configs=[(0, ())]),
    XlaShape("f32", (2, 3), dynamic_shape_metadata_prefix_bytes=8),  # XLA's own == leaves it out
    XlaShape("f32", ("<=2", 3)),
    XlaShape("f32", ("?", 3)),
    XlaShape("f32", ("?", "?")),
    XlaTuple([XlaShape("f32", (2, 3))]),
    XlaTuple([XlaTuple([XlaShape("f32", (2, 3))])]),
    XlaTuple([]),
    XlaBuffer(XlaShape("f32", (2, 3))),
    XlaTuple([XlaBuffer(XlaShape("f32", (2, 3)))]),
]


def test_every_field_counts_in_equality() -> None:
    assert len(set(DISTINCT)) == len(DISTINCT)
    assert all((a == b) == (a is b) for a in DISTINCT for b in DISTINCT)
    assert XlaShape("f32", ()) != "f32[]"
    assert XlaTuple([]) != ()


def test_equality_leaves_the_text_out() -> None:
    a, b = parse_shape("F32[2,3]"), parse_shape("f32[2,3]{1,0}")
    assert (a, hash(a)) == (b, hash(b))
    assert a.text != b.text
    assert parse_shape("(F32[2])") == parse_shape("( f32[2]{0} )")


@pytest.mark.parametrize("shape", DISTINCT, ids=str)
def test_texts_come_back(shape: AnyShape) -> None:
    modes: list[Mode] = [*MODES]
    assert all(parse_shape(str(shape), mode) == shape for mode in modes)


@pytest.mark.parametrize("shape", DISTINCT, ids=str)
def test_copies_are_equal(shape: AnyShape) -> None:
    assert eval(repr(shape)) == shape
    assert pickle.loads(pickle.dumps(shape)) == shape
    assert copy.copy(shape) == copy.deepcopy(shape) == shape


def test_pickle_keeps_the_text() -> None:
    shape = parse_shape("F32[2,3]")
    assert pickle.loads(pickle.dumps(shape)).text == "F32[2,3]"
    both = pickle.loads(pickle.dumps(parse_shape("(b( f32[2,3] ),u8[])")))
    assert (both.text, both.elements[0].text) == ("(b( f32[2,3] ),u8[])", "b( f32[2,3] )")
    assert both.elements[0].array.text == "f32[2,3]"


@given(xla_shapes())
def test_texts_evaluate_and_parse_back(shape: XlaShape) -> None:
    assert eval(repr(shape)) == shape
    assert parse_shape(str(shape), "strict") == shape
    assert pickle.loads(pickle.dumps(shape)) == shape


def test_repr_is_short_where_it_can_be() -> None:
    assert repr(XlaShape("f32", ())) == "XlaShape('f32', ())"
    assert repr(array("f32[3]{0:T(2)S(1)}")) == (
        "XlaShape('f32', (3,), minor_to_major=(0,), tiles=((2,),), memory_space=1)"
    )


# --- printing, as ShapeUtil::HumanStringWithLayout ---


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (XlaShape("f32", ()), "f32[]"),
        (XlaShape("f32", (), tiles=[(128,)]), "f32[]{:T(128)}"),
        (XlaShape("u32", (), memory_space=2), "u32[]{:S(2)}"),
        (XlaShape("f32", (0,)), "f32[0]{0}"),
        (XlaShape("token", ()), "token[]"),
        (
            XlaShape("s4", (3, 5), (0, 1), [(8, 128), (8, 1)], 64, 4, 1),
            "s4[3,5]{0,1:T(8,128)(8,1)L(64)E(4)S(1)}",
        ),
    ],
)
def test_printed(shape: XlaShape, text: str) -> None:
    assert str(shape) == text


def test_tuples_number_every_fifth_element() -> None:
    flat = XlaTuple([XlaShape("u8", ())] * 11)
    assert str(flat) == (
        "(u8[], u8[], u8[], u8[], u8[], /*index=5*/u8[], u8[], u8[], u8[], u8[], /*index=10*/u8[])"
    )
    nested = XlaTuple([XlaShape("u8", ())] * 5 + [flat])
    assert str(nested) == f"(u8[], u8[], u8[], u8[], u8[], /*index=5*/{flat})"
    assert parse_shape(str(nested), "strict") == nested


def test_arrays_of_a_tuple() -> None:
    both = parse_shape("(f32[2], (u8[3], ()), b(s8[4]), token[])")
    assert isinstance(both, XlaTuple)
    assert [str(array) for array in both.arrays()] == ["f32[2]{0}", "u8[3]{0}", "s8[4]{0}", "token[]"]
    buffer, one = both.elements[2:]
    assert (list(buffer.arrays()), list(one.arrays())) == ([XlaShape("s8", (4,))], [one])


def test_a_buffer_has_the_memory_of_its_array() -> None:
    shape = XlaShape("f32", (3, 5), tiles=[(2, 2)])
    assert array_shape(XlaBuffer(shape)) is shape
    assert physical_bytes(XlaBuffer(shape)) == physical_bytes(shape)


# --- deep tuples ---


def nested(levels: int) -> XlaTuple:
    """A tuple in a tuple in a tuple: so many of them."""
    value = XlaTuple([XlaShape("f32", (2,))])
    for _i in range(levels - 1):
        value = XlaTuple([value, XlaShape("u8", ())])
    return value


def test_a_tuple_of_a_hundred_levels_works_like_any_other() -> None:
    deep = nested(100)
    assert deep == nested(100) == parse_shape(str(deep), "strict")
    assert hash(deep) == hash(nested(100))
    assert deep != nested(99)
    assert pickle.loads(pickle.dumps(deep)) == deep
    assert copy.deepcopy(deep) == copy.copy(deep) == deep
    assert repr(deep).startswith("XlaTuple((XlaTuple((")
    assert len(deep.arrays()) == 100
    deep.validate()


def test_deeper_tuples_are_refused_where_they_are_made() -> None:
    with pytest.raises(LayoutError, match="tuples nested deeper than 100 levels") as caught:
        nested(10_000)
    assert caught.value.depth == 101


# --- what is refused ---


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (
            {"element_type": "f33"},
            UnsupportedError,
            "'f33' is not an XLA element type\n  Did you mean f32?",
        ),
        ({"dimensions": (3, -1)}, LayoutError, "dimension -1 is negative"),
        ({"dimensions": (True,)}, LeafError, "dimensions needs an int, not bool True"),
        ({"dimensions": (3.0,)}, LeafError, "dimensions needs an int, not float 3.0"),
        ({"dimensions": 3}, LeafError, "dimensions needs a sequence of ints, not int 3"),
        ({"dimensions": "35"}, LeafError, "dimensions needs a sequence of ints, not str '35'"),
        ({"dimensions": (3, "5")}, LeafError, "dim 1 is an int, '<=' and a bound, or '?'; got '5'"),
        (
            {"dimensions": ("<=-5", 3)},
            LeafError,
            "dim 0 is an int, '<=' and a bound, or '?'; got '<=-5'",
        ),
        (
            {"dimensions": (3, sym("M", max=5))},
            LeafError,
            "dim 1 cannot be M{max=5}: an XLA shape has no names for its dims\n  Write '?', or '<=5'",
        ),
        ({"dimensions": (f"<={2**62}", 2)}, LayoutError, "the number of elements does not fit in 64"),
        ({"dimensions": ("?", 2**62, 2)}, LayoutError, "the number of elements does not fit in 64"),
        ({"dimensions": ("?", 2**62)}, LayoutError, "the size in bytes does not fit in 64"),
        ({"dimensions": (2**62, 2)}, LayoutError, "the number of elements does not fit in 64 bits"),
        ({"dimensions": (2**61, 4)}, LayoutError, "the number of elements does not fit in 64 bits"),
        ({"minor_to_major": (0, 0)}, LayoutError, "minor_to_major {0,0} is not an order of 2 dims"),
        ({"minor_to_major": (0,)}, LayoutError, "minor_to_major {0} is not an order of 2 dims"),
        ({"minor_to_major": (-1, 0)}, LayoutError, "minor_to_major {-1,0} is not an order of 2 dims"),
        ({"tiles": (8, 128)}, LeafError, "a tile is a tuple, not 8\n  Write tiles=[(8, 128)]."),
        ({"tiles": [()]}, LayoutError, "a tile needs at least one entry"),
        ({"tiles": [(2, 0)]}, LayoutError, "tile entry 0 is not positive"),
        ({"tiles": [(2, -2)]}, LayoutError, "tile entry -2 is not positive"),
        ({"tiles": [(2, -1)]}, LayoutError, "tile (2,*) ends in '*'"),
        ({"tiles": [(2, "x")]}, LeafError, "a tile entry needs an int, not str 'x'"),
        ({"tail_padding_alignment_in_elements": 0}, LayoutError, "tail padding L(0) is not positive"),
        ({"element_size_in_bits": -1}, LayoutError, "element size E(-1) is negative"),
        (
            {"dynamic_shape_metadata_prefix_bytes": -1},
            LayoutError,
            "metadata prefix M(-1) is negative",
        ),
        ({"dynamic_shape_metadata_prefix_bytes": 1.5}, LeafError, "metadata prefix needs an int"),
        (
            {"split_configs": [(2, (1,))]},
            LayoutError,
            "split (2:1) is of physical dim 2, which",
        ),
        ({"split_configs": [(-1, (1,))]}, LayoutError, "split (-1:1) is of physical dim -1, which"),
        ({"split_configs": [(0, (3,))]}, LayoutError, "split (0:3) has an index out of place, 3"),
        (
            {"split_configs": [(0, (1,)), (0, (2,))]},
            LayoutError,
            "split (0:2) is the second of physical",
        ),
        (
            {"split_configs": [(1, (2, 2))]},
            LayoutError,
            "split (1:2,2) has an index out of place, 2\n  The indices rise, from 1 to 4: ",
        ),
        (
            {"minor_to_major": (0, 1), "split_configs": [(0, (5,))]},
            LayoutError,
            "split (0:5) has an index out of place, 5\n  The indices rise, from 1 to 4",
        ),
        (
            {"dimensions": ("?", 3), "split_configs": [(0, (1,))]},
            LayoutError,
            "split (0:1) cuts a dim of unknown size",
        ),
        (
            {"split_configs": [1]},
            LeafError,
            "a split is a pair of a physical dim and its indices, not 1\n  Write",
        ),
        ({"split_configs": [(0, 1)]}, LeafError, "split indices needs a sequence of ints, not int 1"),
        ({"split_configs": [(0, (1,), 2)]}, LeafError, "a split is a pair of a physical dim"),
        ({"split_configs": [(0, ("1",))]}, LeafError, "split indices needs an int, not str '1'"),
        ({"dimensions": (0, 2**63)}, LayoutError, "the number of elements does not fit in 64 bits"),
        (
            {"index_primitive_type": "u32"},
            LayoutError,
            "index type #(u32) is of a sparse array\n  XLA",
        ),
        ({"pointer_primitive_type": "u8"}, LayoutError, "pointer type *(u8) is of a sparse array"),
        (
            {"element_type": "token", "dimensions": (), "dynamic_shape_metadata_prefix_bytes": 1},
            LayoutError,
            "token carries no data",
        ),
        ({"element_type": "token"}, LayoutError, "token carries no data: it has no dims and no layout"),
        (
            {"element_type": "opaque", "dimensions": (), "memory_space": 1},
            LayoutError,
            "opaque carries no",
        ),
    ],
)
def test_refused(arguments: dict[str, Any], error: type[TlaError], text: str) -> None:
    with pytest.raises(error) as caught:
        XlaShape(**dict[str, Any]({"element_type": "f32", "dimensions": (3, 5), **arguments}))
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize(
    "arguments",
    [
        {"memory_space": 128},
        {"memory_space": -129},
        {"tiles": [(2**63,)]},
        {"tail_padding_alignment_in_elements": 2**63},
        {"element_size_in_bits": 2**63},
        {"dynamic_shape_metadata_prefix_bytes": 2**63},
    ],
)
def test_no_shape_prints_what_cannot_be_read(arguments: dict[str, Any]) -> None:
    """XLA keeps a memory space in 8 bits and all other numbers in 64."""
    with pytest.raises(LayoutError, match="bits"):
        XlaShape("f32", (3,), **arguments)


def test_an_empty_array_has_a_size_whatever_its_other_dims() -> None:
    """XLA multiplies from left to right and takes the bytes last: this fits, the other does not."""
    assert XlaShape("f32", (2**61, 0)).elements == 0
    with pytest.raises(LayoutError, match="64 bits"):
        XlaShape("f32", (2**32, 2**32, 0))


def test_a_tuple_holds_shapes_only() -> None:
    not_shapes: list[Any] = [1]
    with pytest.raises(LeafError, match="a tuple of shapes cannot hold int 1"):
        XlaTuple(not_shapes)


def test_a_buffer_holds_an_array_only() -> None:
    not_an_array: Any = XlaTuple([])
    with pytest.raises(LeafError, match="a buffer holds an array shape, not XlaTuple"):
        XlaBuffer(not_an_array)
    with pytest.raises(LayoutError, match=r"a buffer holds an array, and token\[\] carries no data"):
        XlaBuffer(XlaShape("token", ()))


def test_dims_have_the_letters_of_the_documents() -> None:
    for letters in ("yx", "zyx", "pzyx"):
        shape = XlaShape("f32", range(2, 2 + len(letters)))
        assert shape.letters == letters
        assert [shape.dimension(letter) for letter in letters] == [*shape.dimensions]
    assert XlaShape("f32", (2,)).letters == ""
    for letter in ("z", "yx", ""):
        with pytest.raises(CoordinateError, match="has the letter"):
            XlaShape("f32", (2, 3)).dimension(letter)
