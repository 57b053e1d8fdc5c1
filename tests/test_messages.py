# SPDX-License-Identifier: Apache-2.0
"""An error says which call, which argument, and what to write: families of them, a few calls of each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import tla
from tla import Layout, TlaError, _, parse
from tla.ground.annotations import MAKERS

if TYPE_CHECKING:
    from collections.abc import Callable

ZN: Any = Layout(((4, 2), (4, 3)), ((4, 16), (1, 32)))
M = tla.sym("M")
# seen as functions of anything, so that checkers let them be called in the wrong way
f: Any = tla
layout: Any = ZN

ROWS: list[tuple[Callable[[], Any], str, str]] = [
    # an int or a layout was wanted: which argument of which call, and how to write it
    (lambda: f.composition((4, 4), ZN), "'a' in composition(a=(4, 4), b=", "make_layout((4, 4)) is"),
    (lambda: f.max_common_vector(ZN, 8), "'b' in max_common_vector(a=", "make_layout(8) is the layout"),
    (lambda: f.coalesce("8:1"), "'layout' in coalesce(layout='8:1')", "tla.read reads a text"),
    (lambda: f.composition(ZN, "4:2"), "'b' in composition(a=", "tla.parse reads a text"),
    (lambda: f.make_layout("4,8"), "'shape' in make_layout('4,8')", "tla.parse reads a text"),
    (lambda: f.make_layout((4, 8.0)), "stands in 'shape' in make_layout((4, 8.0))", "Write 8."),
    (lambda: f.make_layout([4, 8]), "'shape' in make_layout([4, 8])", "Write a tuple"),
    (lambda: f.Layout(4, "2"), "'stride' in Layout(4, '2')", "Write 2."),
    (lambda: f.complement(24, Layout(4, 2)), "'cotarget' in complement(layout=24, cotarget=", ""),
    (lambda: f.make_layout(tla.Swizzle(3, 3, 3)), "A swizzle has no shape: composition(swizzle", ""),
    (lambda: f.left_inverse(tla.Swizzle(3, 3, 3)), "expected a layout, got Swizzle", "has no shape"),
    (lambda: f.same_function(parse("Sw<1,0,2> o 0 o 8:1"), 8), "'b' in same_function(a=", "got int 8"),
    (lambda: f.zipped_divide(ZN, parse("Sw<1,0,2> o 0 o 8:1")), "The layout inside is 8:1", ""),
    (
        lambda: tla.composition(tla.Swizzle(1, 0, 2), tla.make_identity_layout((4, 8))),
        "the swizzle Sw<1,0,2> permutes offsets, and (4,8):(_1@0,_1@1) gives coordinates",
        "",
    ),
    (lambda: tla.gpu.bank_conflicts(ZN, Layout(128), element_bits=32), "thread 96 reaches index 96", ""),
    (
        lambda: tla.gpu.to_linear(tla.make_identity_layout((4, 8))),
        "a coordinate, and here",
        "composition(la",
    ),
    (lambda: f.gpu.from_linear(8), "not int 8", "tla.gpu.to_linear(layout) gives one"),
    (lambda: tla.upcast(tla.make_identity_layout((4, 8)), 2), "have no order", "needs offsets"),
    (lambda: f.make_layout_tile((4, 4), ZN), "'tile' in make_layout_tile(layout=(4, 4), tile=", ""),
    (lambda: layout(True), "'coord' in layout(True)", "Write 1."),
    (
        lambda: layout[1:2, _],
        "'coord' in layout[(slice(1, 2, None), _)]",
        "get_tile_layout cuts a range",
    ),
    (lambda: f.row_major("2", 3), "'extents' in row_major('2', 3)", "Write 2."),
    (lambda: Layout(M).bind(M="x"), "'M' in Layout.bind(M='x')", ""),
    (lambda: f.get_tile(ZN, 0, 2), "'tensor' in get_tile(tensor=Layout(", ""),
    (lambda: f.evaluate("take(4:1, 0, 4:1)"), "'end' in take(x=Layout(4, 1), begin=0, end=", ""),
    # what else an argument is: the call
    (lambda: tla.select(ZN, 0, 7), "there is no mode 7", "Asked by select(Layout("),
    (lambda: tla.evaluate("select(4:1, 7)"), "Asked by select(Layout(4, 1), 7)", "modes count from 0"),
    (lambda: tla.ceil_div(7, 0), "Asked by ceil_div(a=7, b=0)", ""),
    (lambda: tla.downcast(ZN, 0), "cannot number 0", "Asked by downcast(layout="),
    (lambda: tla.tiled_divide(ZN, (0, 3)), "has no coordinate", "tiler=(0, 3))."),
    (lambda: tla.offsets(Layout((M, 8))), "layout.bind(M=...)", "offsets(layout=Layout((M, 8)"),
    # an open question: what asks it
    (
        lambda: Layout((2, 3))(M),
        "as the coordinate M of the shape (2,3) needs",
        "with assume(M // 2 < 3)",
    ),
    (lambda: tla.idx2crd(M, (2, 3)), "as the coordinate M of the shape (2,3) needs", ""),
    (
        lambda: f.xla_bridge.physical_offset(tla.read("f32[?,5]{1,0}"), (1, 1)),
        "The index (1,1) of f32[?,5]{1,0} needs it",
        "d0 is the size of dim 0: a number settles it",
    ),
    (lambda: range(f.sym("M")), "the value of M is not known", "layout.bind(M=...)"),
    # a missing or unknown argument: the function, the near name, how it is called
    (lambda: f.sym("M", div=16), "sym() got an unexpected", "Did you mean divisible_by?"),
    (
        lambda: f.parse("4", symbol={}),
        "Did you mean symbols?",
        "It is called as parse(text, [symbols]).",
    ),
    (lambda: f.make_layout(4, strides=1), "argument 'strides'", "Did you mean stride? It is called as"),
    (lambda: f.Swizzle(2, 3), "Swizzle() missing 1 required", "called as Swizzle(bits, base, shift)."),
    (lambda: f.ComposedLayout(ZN, 0), "ComposedLayout() missing", "'inner'"),
    (lambda: f.explain.explain("composition", ZN), "composition() missing", "composition(a, b, ["),
    (lambda: f.explain.explain(ZN, (1, 5)), "there are no steps", "layout.explain(1, 5) shows"),
    # an argument of another type: how to get one that fits
    (lambda: f.show.svg(ZN), "svg() takes AnyFigure", "tla.layout_figure(layout)"),
    (lambda: f.sys.modules["tla.show"].write("x.svg", ZN), "write() takes AnyFigure as 'figure'", ""),
    (lambda: f.memory.live("x"), "live() takes Module", "tla.hlo.read_module(text)"),
    (lambda: f.ascend.fits((1, 2, 3)), "fits() takes Tile", "tla.ascend.gemm(arch, problem).tile"),
    (
        lambda: f.ground.dtypes.element_type(type("float32", (), {})),
        "the name of an element",
        "Write 'f32'.",
    ),
    # the range of what would do
    (lambda: layout(96), "coordinate 96 lies outside", "It has the coordinates 0 to 95."),
    (lambda: layout(8, 0), "Mode 0 is 8, of shape (4,2). It has the coordinates 0 to 7.", ""),
    (lambda: tla.make_tensor([0] * 96, ZN).element(8, 0), "coordinate (8,0) lies outside", "0 to 7."),
    (
        lambda: tla.logical_divide(parse("(10,4):(4,1)"), (3, 4), exact=True),
        "the tile 3:1 does not divide 10:4",
        "It is mode 0 of (10,4):(4,1).",
    ),
    (lambda: tla.take(ZN, 2, 1), "modes 2 to 1 are not a range", "0 <= begin <= end <= 2"),
    (lambda: tla.offsets(ZN, limit=-1), "a limit is an int from 0 on, not -1", ""),
    (lambda: tla.show.render(tla.layout_figure(ZN), width=0), "a line has a width of 1 or more", ""),
    (lambda: f.zN(4, 4, block=16), "two positive extents, not 16", "Write block=(16, 16)"),
    (lambda: parse("(" * 150 + "2" + ")" * 150), "Its parentheses go 150 deep.", "nesting=150"),
    # a text: the operator that is none
    (lambda: parse("(2,3):(1,2) + 1"), "'+' takes ints, not a tuple or a layout", "column 13"),
    (lambda: tla.evaluate("size(8:1) / 3"), "3 does not divide 8", "'//' rounds down"),
    (lambda: tla.evaluate("(8:1) / 3"), "'/' takes ints, not a tuple or a layout", "column 7"),
    (lambda: tla.evaluate("(4,8):(8,1)[1,2]"), "a coordinate stands in ( )", "column 12"),
    (lambda: tla.evaluate("offsets(8:1)"), "'offsets': tla.offsets is for Python", "tla eval --help"),
]


@pytest.mark.parametrize(("call", "first", "second"), ROWS)
def test_a_message_leaves_no_question(call: Callable[[], Any], first: str, second: str) -> None:
    with pytest.raises(TlaError) as caught:
        call()
    text = re.sub(r"\s+", " ", str(caught.value))
    assert first in text
    assert second in text


def test_what_an_error_names_is_there() -> None:
    for sentence in MAKERS.values():
        for path in re.findall(r"tla\.[\w.]+", sentence):
            assert callable(eval(path, {"tla": tla})), path


def test_two_hints_stand_in_order() -> None:
    error = TlaError("what is wrong").with_hint(lambda: "first").with_hint(lambda: "then")
    assert str(error) == "what is wrong\n  first\n  then"
    assert error.args == ("what is wrong", "first\n  then")
