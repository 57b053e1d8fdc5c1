"""Every place where ``tla`` means to answer otherwise than another system, and why.

The tests demand that exactly these differ: a difference that goes away must leave this table too.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

import fuzz

import tla

OURS = {name: getattr(tla, name) for name in (*vars(tla.layouts)["__all__"], *tla.__all__)}
"""What is public, the algebra too, which the package loads when a name is asked for."""


class Difference(NamedTuple):
    """One case: the operation, what tells the case from others, our answer, and the reason."""

    op: str
    case: str
    ours: str
    reason: str


EXTENDS = "CATLASS lets the last mode grow without a word; here extend=True asks for it"
ZEROS = "CATLASS leaves the dynamic ints of a default-constructed type 0, the origin among them"
BARE = "CATLASS wraps the origin of a scalar shape in a tuple; here it has the shape's own profile"
LONGER = "CATLASS writes the origin always, after '@'; here after ':' and only where it differs"
CPP = "the size of a C++ object; what it tells, whether the layout is static, is compared instead"
ROWS_LOST = "CATLASS takes the columns for the length and drops the rows; here a vector has one row"
DYNAMIC_FRACTAL = (
    "CATLASS makes every number of a tag object dynamic, so that iszN, isVector are false of its layout"
)
STRIDES_ANEW = (
    "CATLASS computes the strides of a padding tag's tile from the tile, as if it lay alone: past the "
    "first block they miss the matrix that it is cut from; here a tile keeps them"
)
IN_FRACTAL = "CATLASS's GetOffset of zZ and nN gives every element of a fractal the offset of the first"
HALF_FRACTAL = (
    "CATLASS's object counts fractals of 16 rows and steps over 32: in 128 by 64 two fractals share "
    "memory, in 100 by 100 the last offset 13875 exceeds the capacity 12544; its tla::MakeLayout has 32"
)
BOOL = "CATLASS compares where it means to round up: the length is a bool, 0 or 1"
AXES = "CATLASS's shape (N,W,H,C0,D*C1) and its strides of (C0,HW,C1,D,N) tell of different axes"
WRAPS = "CATLASS multiplies uint32 by C<int> in uint32, which wraps; Python ints are exact"
BASED = (
    "CATLASS crops at the coordinate counted from the view, against the origin of the whole; here a view"
    " from (1,5) on has 7 rows and 11 columns, and a tile at (3,9) the last 7 columns"
)
EMPTY_SLICE = (
    "CATLASS does not cut slices at the end of K where there are more of them than tiles: of 100, the"
    " first has 256 elements and the last, past 0 in uint32, 4294967140; here 100 and 0"
)

CATLASS = [
    Difference("swizzle_splitk", "(100,100,100) by (128,256,256) in 2", "[100, 0]", EMPTY_SLICE),
    Difference("crd2offset", "(8,0) in ((_4,_2),(_4,_3))", "CoordinateError", EXTENDS),
    Difference("crd2offset", "(0,40) in ((_4,_2),(_4,_3))", "CoordinateError", EXTENDS),
    Difference("crd2offset", "96 in ((_4,_2),(_4,_3))", "CoordinateError", EXTENDS),
    Difference("crd2offset", "(4294967280,0) in ((_16,268435456),(_16,1))", "68719476480", WRAPS),
    Difference(
        "make_layout_raw",
        "default-constructed type, default OriginShape: zeros",
        "(_2,_3):(_3,_1)",
        ZEROS,
    ),
    Difference("make_layout_raw", "rank-0-ish scalar shape 5:3", "5:3", BARE),
    Difference(
        "print", "default-constructed type, default OriginShape: zeros", "(_2,_3):(_3,_1)", ZEROS
    ),
    Difference("print", "w32xh48 derived origin", "((16,2),(16,3)):((16,256),(1,512))", LONGER),
    Difference("print", "vector 128", "(128):(_1)", LONGER),
    Difference("print", "vector Int<128>", "(_128):(_1)", LONGER),
    Difference(
        "print",
        "static shape: origin becomes dynamic uint32",
        "((_16,_2),(_16,_3)):((_16,_256),(_1,_512))",
        LONGER,
    ),
    Difference("print", "w2xh4", "(_2,4):(_12,_1)", LONGER),
    Difference(
        "type_rule",
        "sizeof(Layout<Shape<Int<2>,Int<3>>,Stride<Int<3>,Int<1>>,Shape<Int<2>,Int<3>>>)",
        "True",
        CPP,
    ),
    Difference("type_rule", "sizeof(MakeLayout<half,zN>(100u,100u))", "False", CPP),
    Difference(
        "tensor",
        "doc: GetTile(sub@(1,5),(2,4),(4,8)) -> coord (3,9); NOTE origin cropped with coord (2,4) of"
        " parent layout, not (3,9)",
        "<Tensor 't' in GM at (3,9): (4,8):(16,_1):(4,7)>",
        BASED,
    ),
    Difference("tensor", "sub@(1,5)(_,_)", "<Tensor 't' in GM at (1,5): (7,11):(16,_1)>", BASED),
    Difference("make_layout", "VectorLayout of several rows", "CongruenceError", ROWS_LOST),
    Difference(
        "make_layout_from_tag",
        "zN<half>(100,100)",
        "((_16,7),(_16,7)):((_16,_256),(_1,1792)):(100,100)",
        DYNAMIC_FRACTAL,
    ),
    Difference(
        "make_layout_from_tag",
        "nZ<half>(100,100)",
        "((_16,7),(_16,7)):((_1,1792),(_16,_256)):(100,100)",
        DYNAMIC_FRACTAL,
    ),
    Difference(
        "make_layout_from_tag",
        "L0C<float>(100,100)",
        "((_16,7),(_16,7)):((_16,_256),(_1,1792)):(100,100)",
        DYNAMIC_FRACTAL,
    ),
    Difference("make_layout_from_tag", "VectorLayout(128)", "(128):(_1)", DYNAMIC_FRACTAL),
    Difference("padding_tag", "PaddingRowMajor 17x33", "((16,1536),(_1,512))", STRIDES_ANEW),
    Difference("padding_tag", "PaddingRowMajor 100x100", "((16,3584),(_1,512))", STRIDES_ANEW),
    Difference("padding_tag", "PaddingColumnMajor 100x100", "((_1,512),(32,2048))", STRIDES_ANEW),
    Difference("padding_tag", "PaddingColumnMajor 128x64", "((_1,512),(32,2048))", STRIDES_ANEW),
    Difference("legacy_tag", "zZ<half>(17,33)", "0 16 1 384 1280", IN_FRACTAL),
    Difference("legacy_tag", "zZ<half>(100,100)", "0 16 1 6178 12339", IN_FRACTAL),
    Difference("legacy_tag", "zZ<half>(128,64)", "0 16 1 4608 8191", IN_FRACTAL),
    Difference("legacy_tag", "nN<half>(17,33)", "0 1 16 520 1280", IN_FRACTAL),
    Difference("legacy_tag", "nN<half>(100,100)", "0 1 16 6178 12339", IN_FRACTAL),
    Difference("legacy_tag", "nN<half>(128,64)", "0 1 16 5120 8191", IN_FRACTAL),
    Difference(
        "legacy_tag",
        "Weight4BitnZ<half>(17,33)",
        "((_32,1),(_16,3)):((_1,1536),(_32,_512)):(17,33)",
        HALF_FRACTAL,
    ),
    Difference(
        "legacy_tag",
        "Weight4BitnZ<half>(100,100)",
        "((_32,4),(_16,7)):((_1,3584),(_32,_512)):(100,100)",
        HALF_FRACTAL,
    ),
    Difference(
        "legacy_tag",
        "Weight4BitnZ<half>(128,64)",
        "((_32,4),(_16,4)):((_1,2048),(_32,_512))",
        HALF_FRACTAL,
    ),
    Difference("legacy_tag", "VectorLayout::MakeLayoutInUb<half>(100)", "(112):(_1):(100)", BOOL),
    Difference("legacy_tag", "NDC1HWC0(2,3,4,5,6,16)", "(2,3,4,5,6,16):(5760,1920,480,96,16,_1)", AXES),
]


IN_PAIRS = (
    "Nd2Nz counts two elements of 4 bits as a byte; CATLASS's copy of RowMajor does so too, but that of"
    " a padding tag copies twice as much"
)
ALIGNED_K = (
    "LoadData3DV2 transposes float in whole 16s along K; the layout that CATLASS states has 8s, and only"
    " its Mmad knows better"
)
HALF_SQUARE = "a stride of 3 fractals is no number of squares of 2; CATLASS steps 1 square, 2 fractals"
ROUNDED = "CATLASS rounds the start up to the next fractal, or reads across fractals, without a word"
WITHIN_BLOCK = "CATLASS starts within a block of 32 bytes, and every column is shifted"
NEXT_COLUMNS = "whole blocks of 32 bytes are written, and overwrite the columns behind the tile"
NEXT_BLOCK = "rows of the next block are not one leading dimension further"
NOT_TO_L0A = "no instruction transposes 4 bits on the way to L0A; CATLASS calls the one for 16 bits"
HALF_BYTE = "every second row starts within a byte; CATLASS rounds its leading dimension up"
WRAPPED = "CATLASS has no second way from nZ there: 69872 wraps to 4336 in the 16 bits of srcStride"
SQUARES_OF_FOUR = "without scales CATLASS steps 2 fractals for squares of 4; with scales it has 4"

TIMES_THE_LINE = "CATLASS multiplies the place of a fractal by the number of the line, past the first"
ODD_FRACTALS = "CATLASS steps 3 squares, 6 fractals, where there are 5 to the next column"
NO_SUMS = (
    "the headers bring any element to the bias table; AscendC's DataCopy brings sums, and what it makes"
    " sums of: half and bfloat16_t"
)

COPIES = [
    Difference("copy", case, ours, reason)
    for case, ours, reason in (
        (
            "2201 gm-l1 PaddingRowMajor<int4b_t>(100,100) to zN(32,48) at (32,0)",
            "1 x (32, 24, 32, 32, 1, 1, 0, 0)",
            IN_PAIRS,
        ),
        (
            "2201 gm-l1 PaddingColumnMajor<int4b_t>(100,100) to nZ(32,16) at (0,0)",
            "1 x (16, 16, 16, 16, 1, 1, 0, 0)",
            IN_PAIRS,
        ),
        ("2201 l1-l0a nZ<float>(64,24) to zZ(64,24) at (0,0)", "LayoutError", ALIGNED_K),
        ("2201 l1-l0b zN<int8_t>(48,64) to nZ(48,64) at (0,0)", "LayoutError", HALF_SQUARE),
        ("2201 l1-l0a zN<half>(96,64) to zZ(32,32) at (5,3)", "DivisibilityError", ROUNDED),
        ("3510 l1-l0a zN<half>(96,64) to zN(32,32) at (5,3)", "DivisibilityError", ROUNDED),
        ("2201 gm-l1 zN<half>(96,64) to zN(32,32) at (0,3)", "DivisibilityError", WITHIN_BLOCK),
        ("2201 l0c-gm L0C<half>(96,64) to zN(32,24) at (0,0)", "DivisibilityError", NEXT_COLUMNS),
        ("3510 l0c-gm L0C<float>(96,64) to zN(32,20) at (0,0)", "DivisibilityError", NEXT_COLUMNS),
        (
            "2201 gm-l1 PaddingRowMajor<half>(96,64) to zN(32,32) at (16,0)",
            "LayoutError",
            NEXT_BLOCK,
        ),
        ("2201 l1-l0a nZ<int4b_t>(64,64) to zZ(64,64) at (0,0)", "UnsupportedError", NOT_TO_L0A),
        ("2201 gm-l1 RowMajor<int4b_t>(64,63) to zN(64,63) at (0,0)", "DivisibilityError", HALF_BYTE),
        (
            "2201 gm-l1 RowMajor<half>(40,70000) to zZ(40,64) at (0,0)",
            "LayoutError",
            TIMES_THE_LINE,
        ),
        ("2201 l1-l0a nN<float>(40,64) to zZ(40,64) at (0,0)", "LayoutError", ODD_FRACTALS),
        (
            "3510 gm-l1 ColumnMajor<half>(70000,40) to nN(64,40) at (0,0)",
            "LayoutError",
            TIMES_THE_LINE,
        ),
        (
            "3510 gm-l1 nZ<half>(64,70000) to nZ(64,128) at (0,256)",
            "4 x (1, 128, 0, 0)",
            WRAPPED,
        ),
        (
            "3510 l1-l0a nZ<float4_e2m1x2_t>(48,128) to zN(48,128) at (0,0)",
            "2 x (0, 0, 4, 1, 8, 3, True)",
            SQUARES_OF_FOUR,
        ),
        (
            "3510 gm-l1 MxScaleRowMajorA<float8_e8m0_t>(96,64) to MxScalezZ(32,20) at (0,1)",
            "DivisibilityError",
            WITHIN_BLOCK,
        ),
        *(
            (f"3510 l1-bt VectorLayout<{of}>(1,{whole}) to VectorLayout(1,{tile}) at (0,{at})",
             "UnsupportedError", NO_SUMS)
            for of, whole, tile, at in (
                ("float4_e1m2x2_t", 16, 73, 0), ("float4_e1m2x2_t", 22, 96, 0),
                ("float4_e1m2x2_t", 52, 200, 0), ("float4_e2m1x2_t", 7, 96, 0),
                ("float4_e2m1x2_t", 48, 32, 0), ("float4_e2m1x2_t", 54, 200, 0),
                ("float8_e4m3_t", 122, 200, 96), ("float8_e4m3_t", 12, 200, 0),
                ("float8_e4m3_t", 256, 127, 0), ("float8_e5m2_t", 142, 10, 0),
                ("float8_e5m2_t", 256, 48, 128), ("float8_e5m2_t", 256, 48, 0),
                ("int8_t", 256, 75, 0), ("int8_t", 256, 21, 128), ("int8_t", 5, 74, 0),
            )
        ),
    )
]  # fmt: skip
"""Copies of tiles, by their recorded row; ours is the number of calls and the first one's parameters."""


INNER = "the DSL lets an inner mode grow to 6, of size 5: offset 40 where the layout has 1 at index 5"
ONTO_BLOCK = (
    "the DSL gives copy (3,1) the offset 27, which is in the block; there the complement has 216"
)

SEARCHED = "strides that do not divide; the inverse is found by a search, and each index comes back"
LAYOUT_ALGEBRA = [
    Difference("zipped_divide", "(5,(5,(8))):(40,(8,(1))) by (1,2)", "DivisibilityError", INNER),
    Difference("zipped_product", "(3,(8)):(3,(27)) by (6,2):(1,6)", "DivisibilityError", ONTO_BLOCK),
    Difference("left_inverse", "((5,8),4):((0,59),24)", "(11,14,4):(95,-75,70)", SEARCHED),
    Difference("left_inverse", "(8,4):(5,59)", "(4,4,2,2,4):(4,-3,7,-5,9)", SEARCHED),
    Difference("left_inverse", "(3,2):(10,4)", "(3,7,2):(4,-1,6)", SEARCHED),
    Difference("left_inverse", "(2,(2,2)):(7,(9,59))", "(2,2,4,5):(14,-7,-6,3)", SEARCHED),
]


class PeerDifference(NamedTuple):
    """An expression that reads alike in both libraries, and what each makes of it."""

    system: str
    expression: str
    theirs: str
    ours: str
    reason: str

    def outcome(self, names: dict[str, Any]) -> str:
        """The repr of the expression's value with such names, or the name of its error."""
        try:
            return repr(eval(self.expression, dict(names)))
        except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
            return type(error).__name__


SPAN = "cosize is L(size - 1) + 1 there, right only for strides that grow; here the span of offsets"
NOT_EMPTY = "an empty layout spans nothing; the closed formula gives the span back to -1"
STEPS = "a mode of the coordinate is divided by the stride of the whole, so that only ints are right"
WRAP = "an index outside wraps around or runs on there; here it raises unless extend=True"
FLOORED = "a coordinate of -1 counts from the end of the first modes there, an offset of no element"
UNCHECKED = "shape and stride, or the ints in them, are not checked there"
NO_MODES = "the shape () is not handled there; it has one coordinate"
LOOSE = "compatible groups modes there, so a coordinate of the one need not be one of the other"
DROPPED = "by mode the modes past the tiler stay there; here they go, as in CuTe C++"
BELOW = "the left side is read at indices below 0 there; it has no coordinate there"
FLAT = "an int divides mode 0 there; here the whole layout, as in CuTe"
INTS = "an int, and None for a mode left alone, are not taken there"
LAST = "the inverse of a broadcast alone: any layout that begins with 0 does"
GROW_ONE = "a last mode of size 1 does not grow there"
NO_VECTOR = "layouts with nothing in common have vectors of one element here"
ALONE = "coalescing no modes gives no modes there; here the layout of one element"
UNIT = "the stride of an extent of 1 is convention: 0 there, what a packed mode has here"
NO_SHAPES = "shape_div by a tuple is in CuTe C++, and here"

PEERS = [
    PeerDifference("pycute", "cosize(Layout((4, 2), (-1, 4)))", "2", "8", SPAN),
    PeerDifference("pycute", "cosize(Layout((2, 2), (1, -9)))", "-7", "11", SPAN),
    PeerDifference("pycute", "cosize(Layout(0, 3))", "-2", "0", NOT_EMPTY),
    PeerDifference("pycute", "idx2crd((0, 1), (2, 3))", "(0, 0)", "(0, 1)", STEPS),
    PeerDifference("pycute", "idx2crd(32, (4, 8))", "(0, 0)", "CoordinateError", WRAP),
    PeerDifference("pycute", "crd2idx(32, (4, 8))", "32", "CoordinateError", WRAP),
    PeerDifference("pycute", "Layout((4, 8), (8, 1))(4, 0)", "32", "CoordinateError", WRAP),
    PeerDifference("pycute", "Layout((2, 4), (1, 2))(5, 9)", "23", "CoordinateError", WRAP),
    PeerDifference("pycute", "Layout((4, 8), (8, 1))(-1)", "23", "CoordinateError", FLOORED),
    PeerDifference("pycute", "Layout((2, 4.5), (1, 2)).shape", "(2, 4.5)", "LeafError", UNCHECKED),
    PeerDifference("pycute", "Layout((2, True), (1, 2)).shape", "(2, True)", "LeafError", UNCHECKED),
    PeerDifference("pycute", "Layout((2, -3), (1, 2)).shape", "(2, -3)", "LayoutError", UNCHECKED),
    PeerDifference("pycute", "Layout((2, 3), (1,)).stride", "(1,)", "CongruenceError", UNCHECKED),
    PeerDifference("pycute", "Layout((), ())(0)", "IndexError", "_0", NO_MODES),
    PeerDifference("pycute", "cosize(Layout((), ()))", "IndexError", "_1", NO_MODES),
    PeerDifference(
        "pycute",
        "composition(Layout((6, 8), (1, 6)), (2,))",
        "Layout((2, 8),(1, 6))",
        "Layout((2,), (1,))",
        DROPPED,
    ),
    PeerDifference(
        "pycute",
        "composition(Layout(8, 2), Layout(4, -1))",
        "Layout(4,-2)",
        "CoordinateError",
        BELOW,
    ),
    PeerDifference("tensor_layouts", "cosize(Layout(0, 3))", "-2", "0", NOT_EMPTY),
    PeerDifference("tensor_layouts", "compatible((2, 8, 4), (2, (8, 4)))", "True", "False", LOOSE),
    PeerDifference("tensor_layouts", "compatible((5, 8), ((5, 8),))", "True", "False", LOOSE),
    PeerDifference("tensor_layouts", "idx2crd(32, (4, 8))", "(0, 0)", "CoordinateError", WRAP),
    PeerDifference("tensor_layouts", "crd2idx(32, (4, 8))", "32", "CoordinateError", WRAP),
    PeerDifference("tensor_layouts", "Layout((4, 8), (8, 1))(4, 0)", "32", "CoordinateError", WRAP),
    PeerDifference("tensor_layouts", "Layout((2, 4), (1, 2))(5, 9)", "23", "CoordinateError", WRAP),
    PeerDifference("tensor_layouts", "Layout((4, 8), (8, 1))(-1)", "23", "CoordinateError", FLOORED),
    PeerDifference("tensor_layouts", "Layout((4, 8), (8, 1))(1.5, 0)", "12.0", "LeafError", UNCHECKED),
    PeerDifference("tensor_layouts", "Layout((1, 4)).stride", "(0, 1)", "(_1, 1)", UNIT),
    PeerDifference("tensor_layouts", "shape_div((8, 6), (2, 3))", "TypeError", "(4, 2)", NO_SHAPES),
    PeerDifference(
        "tensor_layouts",
        "composition(Layout((6, 8), (1, 6)), (2,))",
        "Layout((2, 8), (1, 6))",
        "Layout((2,), (1,))",
        DROPPED,
    ),
    PeerDifference(
        "tensor_layouts",
        "composition(Layout(8, 2), Layout(4, -1))",
        "Layout(4, -2)",
        "CoordinateError",
        BELOW,
    ),
    PeerDifference(
        "tensor_layouts",
        "composition(Layout((6, 8), (1, 6)), 4)",
        "TypeError",
        "Layout(4, 1)",
        INTS,
    ),
    PeerDifference(
        "tensor_layouts",
        "composition(Layout((6, 8), (1, 6)), (None, 4))",
        "TypeError",
        "Layout((6, 4), (1, 6))",
        INTS,
    ),
    PeerDifference(
        "tensor_layouts",
        "logical_divide(Layout((6, 4), (1, 6)), 2)",
        "Layout(((2, 3), 4), ((1, 2), 6))",
        "Layout((2, 12), (1, 2))",
        FLAT,
    ),
    PeerDifference(
        "tensor_layouts",
        "zipped_divide(Layout((6, 4), (1, 6)), 2)",
        "Layout((2, (3, 4)), (1, (2, 6)))",
        "Layout((2, 12), (1, 2))",
        FLAT,
    ),
    PeerDifference(
        "tensor_layouts",
        "zipped_divide(Layout((6, 4), (1, 6)), (2,))",
        "Layout((2, (3, 4)), (1, (2, 6)))",
        "Layout(((2,), (3, 4)), ((1,), (2, 6)))",
        "a tile of one mode loses its level there",
    ),
    PeerDifference(
        "tensor_layouts", "max_common_vector(Layout(1, 1), Layout(2, 1))", "1", "2", GROW_ONE
    ),
    PeerDifference(
        "tensor_layouts",
        "max_common_vector(Layout((3, 2), (0, 1)), Layout(4, 1))",
        "LayoutError",
        "1",
        NO_VECTOR,
    ),
    PeerDifference("tensor_layouts", "left_inverse(Layout(6, 0))", "Layout(6, 0)", "Layout(1, 0)", LAST),
    PeerDifference(
        "tensor_layouts", "coalesce(Layout((), ()))", "Layout((), ())", "Layout(_1, _0)", ALONE
    ),
]


class PeerError(NamedTuple):
    """An operation of the algebra that others get wrong, or refuse although there is an answer.

    Layouts stand in notation, refusals as the names of errors. A column is empty where the system is
    right, has no such operation, or was not asked. ``cute`` is CuTe's C++ or its Python DSL: recorded,
    not run here.
    """

    expression: str
    ours: str
    reason: str
    pycute: str = ""
    tensor_layouts: str = ""
    cute: str = ""

    def outcome(self, names: dict[str, Any]) -> str:
        """The layout of the expression with such names, in notation, or the name of its error."""
        try:
            layout = eval(self.expression, dict(names))
        except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
            return type(error).__name__
        return f"{tla.to_text(layout.shape)}:{tla.to_text(layout.stride)}"


CARRY = "coordinates of two modes add up past a mode of A, each alone does not"
STEP = "a step that does not divide a mode of A crosses its end each time at another coordinate"
SHAPE = "a run of B that does not fill whole modes of A is cut off, and the size shrinks"
LAST_ONE = "a last mode of size 1 grows by its stride, which coalescing there loses"
CUT = "a step into the middle of a mode is right where the run ends before the next"
MIXED = "a step that goes on in the next mode is right where the coordinates add up"
CANCEL = "carries that cancel give a layout, though no mode alone tells"
OVERLAP = "the modes overlap, so that no layout fills the rest; here none of size 0, none that collides"
INTERLEAVE = "the modes interleave: no offset is hit twice, but the gaps are no layout"
STILL = "a mode of stride 0 comes first in the order of strides and ends the search there"
CHAIN = "where strides do not divide, an inverse has other extents, or there is none"
TWICE = "a mode that ends beyond the next stride sends two indices to one offset"
SCALED = "the copies step over the whole span of the block there, and leave its gaps free"
DIVIDES = "a product with an int calls the division there"
PROFILE = "by mode, the profile is coalesced as if it were the layout there"
FORGETS = "of an int, the range asked for is not passed on there"
GROWS = "above the block the complement goes on; without that, copies fall on the block"
NO_RANK = "the block and the tiler must have one rank there; here the shorter gets modes of size 1"
SCALAR = "one mode alone is not taken there"

WRONG = [
    PeerError(
        "composition(Layout((6, 2), (1, 7)), Layout((3, 2), (2, 3)))",
        "DivisibilityError",
        CARRY,
        pycute="(3,2):(2,3)",
        tensor_layouts="(3,2):(2,3)",
        cute="(3,2):(2,3)",
    ),
    PeerError(
        "composition(Layout((8, 4), (4, 1)), Layout((2, 3, 2), (3, 1, 6)))",
        "DivisibilityError",
        CARRY,
        tensor_layouts="(2,3,2):(12,4,24)",
    ),
    PeerError(
        "composition(Layout((4, 6, 8), (2, 3, 5)), Layout(6, 3))",
        "DivisibilityError",
        STEP,
        cute="(2,3):(6,3)",
    ),
    PeerError(
        "composition(Layout((4, 2), (2, 1)), Layout((3, 4), (1, 3)))",
        "DivisibilityError",
        STEP,
    ),
    PeerError(
        "composition(Layout((5, (2, 1)), (2, (1, 0))), Layout((4, 1), (3, 1)))",
        "((2,2),1):((6,3),2)",
        STEP,
        pycute="AssertionError",
        tensor_layouts="LayoutError",
        cute="((2,2),1):((6,1),0)",
    ),
    PeerError(
        "composition(Layout((4, 2), (2, 1)), Layout(6, 1))",
        "DivisibilityError",
        SHAPE,
        pycute="4:2",
    ),
    PeerError(
        "composition(Layout((5, 2), (8, 2)), Layout(6, 1))",
        "DivisibilityError",
        SHAPE,
        pycute="5:8",
    ),
    PeerError(
        "composition(Layout(1, 1), Layout(5, 1))",
        "5:1",
        LAST_ONE,
        pycute="5:0",
        tensor_layouts="5:0",
    ),
    PeerError(
        "logical_divide(Layout(1, 1), Layout(3, 2))",
        "(3,2):(2,1)",
        LAST_ONE,
        pycute="(3,2):(0,0)",
        tensor_layouts="(3,2):(0,0)",
    ),
    PeerError(
        "composition(Layout((8, 2), (2, 1)), Layout(2, 3))",
        "2:6",
        CUT,
        pycute="AssertionError",
    ),
    PeerError(
        "composition(Layout((2, 2), (2, 1)), Layout(2, 3))",
        "2:3",
        MIXED,
        pycute="AssertionError",
        tensor_layouts="LayoutError",
        cute="an error",
    ),
    PeerError(
        "composition(Layout((2, 2, 2), (1, 3, 5)), Layout((2, 2), (1, 3)))",
        "(2,2):(1,4)",
        CANCEL,
        pycute="AssertionError",
        tensor_layouts="LayoutError",
    ),
    PeerError(
        "complement(Layout((4, 4), (5, 2)), 64)",
        "OverlapError",
        OVERLAP,
        pycute="(2,0,4):(1,8,20)",
        tensor_layouts="(2,4):(1,20)",
        cute="(2,0,4):(1,8,20)",
    ),
    PeerError(
        "complement(Layout((3, 2), (2, 3)), 12)",
        "OverlapError",
        INTERLEAVE,
        pycute="(2,0,2):(1,6,6)",
        tensor_layouts="(2,2):(1,6)",
    ),
    PeerError("complement(4, 16)", "4:4", FORGETS, pycute="1:0"),
    PeerError(
        "logical_divide(Layout((4, 2), (1, 4)), Layout((2, 2), (1, 1)))",
        "OverlapError",
        OVERLAP,
        pycute="((2,2),(0,4)):((1,1),(2,2))",
        tensor_layouts="((2,2),4):((1,1),2)",
    ),
    PeerError(
        "logical_product(Layout((4, 2), (6, 9)), Layout(6, 1))",
        "OverlapError",
        INTERLEAVE,
        tensor_layouts="((4,2),6):((6,9),1)",
        cute="a crash of the process",
    ),
    PeerError(
        "logical_product(Layout(2, 2), Layout(7, 1))",
        "DivisibilityError",
        SHAPE,
        pycute="(2,(2,3)):(2,(1,4))",
    ),
    PeerError(
        "logical_product(Layout((2, 2), (2, 6)), Layout(2, 2))",
        "((2,2),2):((2,6),12)",
        GROWS,
        pycute="((2,2),2):((2,6),2)",
        tensor_layouts="((2,2),2):((2,6),2)",
    ),
    PeerError("logical_product(Layout(4, 1), 3)", "(4,3):(1,4)", DIVIDES, pycute="(3,2):(1,3)"),
    PeerError(
        "blocked_product(Layout(8, 2), Layout(4, 1))",
        "((8,(2,2))):((2,(1,16)))",
        SCALED,
        tensor_layouts="((8,4)):((2,15))",
    ),
    PeerError(
        "raked_product(Layout(8, 2), Layout(4, 1))",
        "(((2,2),8)):(((1,16),2))",
        NO_RANK,
        tensor_layouts="LayoutError",
    ),
    PeerError("right_inverse(Layout((2, 4), (1, 0)))", "2:1", STILL, pycute="1:0"),
    PeerError("left_inverse(Layout((2, 4), (0, 1)))", "4:2", STILL, pycute="1:0"),
    PeerError(
        "left_inverse(Layout((4, 2), (8, 5)))",
        "(5,3,2):(-1,4,3)",
        CHAIN,
        pycute="(5,2):(8,4)",
        tensor_layouts="(5,4):(0,1)",
    ),
    PeerError(
        "left_inverse(Layout((4, 2), (6, 59)))",
        "(6,9,2):(0,1,4)",
        CHAIN,
        pycute="(6,4,2):(8,1,48)",
    ),
    PeerError(
        "left_inverse(Layout((2, 4), (2, 1)))",
        "6:2",
        TWICE,
        tensor_layouts="(2,2):(2,1)",
        cute="(2,2):(2,1)",
    ),
    PeerError(
        "coalesce(Layout(((2, 2), 4), ((1, 2), 4)), (1, 1))",
        "(4,4):(1,4)",
        PROFILE,
        tensor_layouts="(1,1):(0,0)",
    ),
    PeerError("nullspace(Layout(5, 0))", "5:1", SCALAR, cute="TypeError"),
]


def right_answers(
    name: str, names: dict[str, Any], make_layout: Callable[[Any, Any], Any], count: int
) -> Iterator[tuple[tuple[Any, ...], tla.AnyLayout]]:
    """The arguments of cases of the fuzz, with a peer's answer where brute force finds it right.

    Args:
        name: The operation, of `fuzz.OPS`.
        names: The peer's functions by our names.
        make_layout: The peer's layout of a shape and a stride.
    """

    def theirs(x: Any) -> Any:
        if tla.is_layout(x):
            return make_layout(theirs(x.shape), theirs(x.stride))
        if isinstance(x, tuple):
            return tuple(map(theirs, x))
        return None if x is None else int(x)

    operation, rng = fuzz.OPS[name], Random(count)
    for _case in range(count):
        case = operation.draw(fuzz.Draw(rng))
        truth = operation.truth(*case.args, *case.known)
        try:
            answer = names[operation.calls](*map(theirs, case.args))
        except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError):
            continue
        layout = tla.Layout(answer.shape, answer.stride)
        if truth.expect is fuzz.Expect.YES and truth.fault(layout) == "":
            yield case.args, layout


UNPADDED = (
    "CATLASS counts and places stages without padding, and on 3510 asserts no alignment: a stage of A"
    " or B is written into the next; the compiler's verdict is given besides"
)
BLOCKS = [
    Difference(
        "block_mmad_tla_legal", "3510 half (24,24,256)", "L0A overlap, L0B overlap, L1 overlap", UNPADDED
    ),
    Difference(
        "block_mmad_tla_legal",
        "3510 half (128,250,256)",
        "L0B alignment, L0B overlap, L1 overlap",
        UNPADDED,
    ),
]


LEVEL = "a slice that keeps one mode, itself a 1-tuple, loses a level of nesting in tensor_layouts"

UNTILED = "an empty array has no element for its tiles to place; here it keeps its untiled strides"

XLA = [
    Difference("to_layout", "s8[0,2]{1,0:T(1,6)(3,4,3)}", "(0,2):(2,1)", UNTILED),
    Difference("to_layout", "bf16[0,9,7]{2,0,1:T(8,2)(*,6,2,8)L(128)}", "(0,9,7):(7,0,1)", UNTILED),
    Difference("to_layout", "f64[0]{0:T(5,8)}", "(0):(1)", UNTILED),
    Difference("to_layout", "u8[0,1,4,8]{3,1,0,2:T(6,3)}", "(0,1,4,8):(8,0,0,1)", UNTILED),
    Difference("to_layout", "f32[0]{0:T(4)L(128)}", "(0):(1)", UNTILED),
]
