"""Every place where ``tla`` means to answer otherwise than another system, and why.

The tests demand that exactly these differ: a difference that goes away must leave this table too.
"""

from typing import Any, NamedTuple


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
WRAPS = "CATLASS multiplies uint32 by C<int> in uint32, which wraps; Python ints are exact"

CATLASS = [
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
    PeerDifference("pycute", "Layout((4, 8), (8, 1))(-1)", "23", "CoordinateError", FLOORED),
    PeerDifference("pycute", "Layout((2, 4.5), (1, 2)).shape", "(2, 4.5)", "LeafError", UNCHECKED),
    PeerDifference("pycute", "Layout((2, True), (1, 2)).shape", "(2, True)", "LeafError", UNCHECKED),
    PeerDifference("pycute", "Layout((2, -3), (1, 2)).shape", "(2, -3)", "LayoutError", UNCHECKED),
    PeerDifference("pycute", "Layout((2, 3), (1,)).stride", "(1,)", "CongruenceError", UNCHECKED),
    PeerDifference("pycute", "Layout((), ())(0)", "IndexError", "_0", NO_MODES),
    PeerDifference("pycute", "cosize(Layout((), ()))", "IndexError", "_1", NO_MODES),
    PeerDifference("tensor_layouts", "cosize(Layout(0, 3))", "-2", "0", NOT_EMPTY),
    PeerDifference("tensor_layouts", "compatible((2, 8, 4), (2, (8, 4)))", "True", "False", LOOSE),
    PeerDifference("tensor_layouts", "compatible((5, 8), ((5, 8),))", "True", "False", LOOSE),
    PeerDifference("tensor_layouts", "idx2crd(32, (4, 8))", "(0, 0)", "CoordinateError", WRAP),
    PeerDifference("tensor_layouts", "crd2idx(32, (4, 8))", "32", "CoordinateError", WRAP),
    PeerDifference("tensor_layouts", "Layout((4, 8), (8, 1))(4, 0)", "32", "CoordinateError", WRAP),
    PeerDifference("tensor_layouts", "Layout((4, 8), (8, 1))(-1)", "23", "CoordinateError", FLOORED),
    PeerDifference("tensor_layouts", "Layout((4, 8), (8, 1))(1.5, 0)", "12.0", "LeafError", UNCHECKED),
    PeerDifference("tensor_layouts", "Layout((1, 4)).stride", "(0, 1)", "(_1, 1)", UNIT),
    PeerDifference("tensor_layouts", "shape_div((8, 6), (2, 3))", "TypeError", "(4, 2)", NO_SHAPES),
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
