"""``tla compose, complement, coalesce, inverse, divide, product, eval``: the algebra of layouts."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tla import algebra
from tla.evaluation import OPERATIONS, evaluate

from .running import COMMAND, ENVIRONMENT, process
from .test_show import on_a_terminal

if TYPE_CHECKING:
    from .running import Done, Run

# The commands that make a layout of layouts, each with arguments that it takes.
LINES = {
    "compose": "compose '(6,2):(8,2)' '(4,3):(3,1)'",
    "complement": "complement '(2,2):(1,6)' 24",
    "coalesce": "coalesce '(2,(1,6)):(1,(7,2))'",
    "inverse": "inverse '(4,8):(8,1)'",
    "divide": "divide '(4,2,3):(2,1,8)' 4:2",
    "product": "product '(2,2):(4,1)' 6:1",
}
EVAL = "eval 'coalesce((2,(1,6)):(1,(7,2)))'"


def tla(run: Run, line: str, stdin: bytes = b"") -> Done:
    """A command as one types it after ``tla``."""
    return run(*shlex.split(line), stdin=stdin)


# --- results ---


@pytest.mark.parametrize(
    ("line", "result"),
    [
        # the worked examples of CuTe's 02_layout_algebra.md
        ("compose '(6,2):(8,2)' '(4,3):(3,1)'", "((2,2),3):((24,2),8)"),
        ("compose 20:2 '(5,4):(4,1)'", "(5,4):(8,2)"),
        ("compose '(10,2):(16,4)' '(5,4):(1,5)'", "(5,(2,2)):(16,(80,4))"),
        ("coalesce '(2,(1,6)):(1,(6,2))'", "12:1"),
        ("coalesce '(2,(1,6)):(1,(6,2))' --profile '(1,1)'", "(2,6):(1,2)"),
        ("complement 4:1 24", "6:4"),
        ("complement 6:4 24", "4:1"),
        ("complement '(4,6):(1,4)' 24", "1:0"),
        ("complement 4:2 24", "(2,3):(1,8)"),
        ("complement '(2,4):(1,6)' 24", "3:2"),
        ("complement '(2,2):(1,6)' 24", "(3,2):(2,12)"),
        ("divide '(4,2,3):(2,1,8)' 4:2", "((2,2),(2,3)):((4,1),(2,8))"),
        (
            "divide '(9,(4,8)):(59,(13,1))' '(3:3,(2,4):(1,8))'",
            "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))",
        ),
        ("product '(2,2):(4,1)' 6:1", "((2,2),(2,3)):((4,1),(2,8))"),
        ("product '(2,2):(4,1)' '(4,2):(2,1)'", "((2,2),(4,2)):((4,1),(8,2))"),
        ("product '(2,5):(5,1)' '(3,4):(1,3)' --form blocked", "((2,3),(5,4)):((5,10),(1,30))"),
        ("product '(2,5):(5,1)' '(3,4):(1,3)' --form raked", "((3,2),(4,5)):((10,5),(30,1))"),
        # the forms of a division and of a product
        ("divide '(8,6):(1,8)' '(4,3)'", "((4,2),(3,2)):((1,4),(8,24))"),
        ("divide '(8,6):(1,8)' '(4,3)' --form logical", "((4,2),(3,2)):((1,4),(8,24))"),
        ("divide '(8,6):(1,8)' '(4,3)' --form zipped", "((4,3),(2,2)):((1,8),(4,24))"),
        ("divide '(8,6):(1,8)' '(4,3)' --form tiled", "((4,3),2,2):((1,8),4,24)"),
        ("divide '(8,6):(1,8)' '(4,3)' --form flat", "(4,3,2,2):(1,8,4,24)"),
        ("product '(2,2):(1,2)' '(3,4):(1,3)' --form zipped", "((2,2),(3,4)):((1,2),(4,12))"),
        ("product '(2,2):(1,2)' '(3,4):(1,3)' --form tiled", "((2,2),3,4):((1,2),4,12)"),
        ("product '(2,2):(1,2)' '(3,4):(1,3)' --form flat", "(2,2,3,4):(1,2,4,12)"),
        # the rest of the options
        ("inverse '(4,8):(8,1)'", "(8,4):(4,1)"),
        ("inverse '(4,8):(1,5)' --right", "4:1"),
        ("inverse '(4,8):(1,5)' --left", "(5,8):(1,4)"),
        ("compose 8:1 12", "12:1"),
        ("compose 8:1 8 --no-extend", "8:1"),
        ("divide 10:1 4", "(4,3):(1,4)"),
        ("divide 12:1 4 --exact", "(4,3):(1,4)"),
        ("complement '(2,2):(1,6)'", "3:2"),
        ("complement 4:2 '(4,6)'", "(2,3):(1,8)"),
        # static ints, modes left alone, no modes
        ("compose '(_6,_2):(_8,_2)' '(_4,_3):(_3,_1)'", "((_2,_2),_3):((_24,_2),_8)"),
        ("compose '(8,6):(1,8)' '(_,2:1)'", "(8,2):(1,8)"),
        ("compose '(8,6):(1,8)' _", "(8,6):(1,8)"),
        ("divide '(8,6):(1,8)' '(_,3)'", "(8,(3,2)):(1,(8,24))"),
        ("coalesce '():()'", "_1:_0"),
        ("compose 4:-2 2:3", "2:-6"),
        ("compose '4:_-2' 2:1", "2:-2"),
    ],
)
def test_results(run: Run, line: str, result: str) -> None:
    assert tla(run, line) == (0, f"{result}\n", "")


@pytest.mark.parametrize("form", ["logical", "zipped", "tiled", "flat"])
@pytest.mark.parametrize("command", ["divide", "product"])
def test_each_form_is_the_operation_of_that_name(run: Run, command: str, form: str) -> None:
    arguments = ["(8,6):(1,8)", "(4:1,3)"]
    expected = getattr(algebra, f"{form}_{command}")(*map(evaluate, arguments))
    assert run(command, *arguments, "--form", form).out == f"{expected}\n"


# --- steps ---


@pytest.mark.parametrize(
    ("line", "steps"),
    [
        (
            "compose '(6,2):(8,2)' '(4,3):(3,1)'",
            """\
composition((6,2):(8,2), (4,3):(3,1))
  mode of B  rest of it  mode of A                                   gives
  0          4:3         6:8        takes 2 of 4, to the end of 6:8  2:24
  0          2:1         ...:2      fits                             2:2
  1          3:1         6:8        fits                             3:8
  = ((2,2),3):((24,2),8)
""",
        ),
        (
            "compose '(2,3,4):(1,2,100)' '(2,2):(0,6)'",
            """\
composition((2,3,4):(1,2,100), (2,2):(0,6))
  A coalesces to (6,4):(1,100)
  mode of B  rest of it  mode of A                                             gives
  0          2:0         -          stays at 0                                 2:0
  1          2:6         6:1        6 is a multiple of 6: on to the next mode  -
  1          2:1         ...:100    fits                                       2:100
  = (2,2):(0,100)
""",
        ),
        (
            "complement '(2,2):(1,6)' 24",
            """\
complement((2,2):(1,6), 24)
  mode by stride  from  free below it
  2:1             1     none
  2:6             2     3:2
  the rest        12    2:12
  = (3,2):(2,12)
""",
        ),
        (
            "complement '(4,2):(1,5)'",
            """\
complement((4,2):(1,5))
  mode by stride  from  free below it
  4:1             1     none
  2:5             4     none, 5 // 4 = 1
  the rest        10    none
  = 1:0
""",
        ),
        (
            "coalesce '(2,(1,6)):(1,(7,2))'",
            """\
coalesce((2,(1,6)):(1,(7,2)))
  mode         so far
  2:1   keep   2:1
  1:7   skip   2:1
  6:2   merge  12:1
  = 12:1
""",
        ),
        (
            "inverse '(4,8):(1,5)'",
            """\
right_inverse((4,8):(1,5))
  mode by stride  index  gives
  4:1             1      4:1
  8:5             4      left out: it begins at 5, those before end at 4
  = 4:1
""",
        ),
        (
            "inverse '(4,8):(1,5)' --left",
            """\
left_inverse((4,8):(1,5))
  mode by stride  index  gives
  4:1             1      5:1
  8:5             4      8:4
  = (5,8):(1,4)
""",
        ),
        (
            "inverse '(2,2,2):(3,6,31)' --left",
            """\
left_inverse((2,2,2):(3,6,31))
  it coalesces to (4,2):(3,31)
  mode by stride  index  gives
  below them      -      3:0
  4:3             1      10:1
  2:31            4      2:4
  = (3,10,2):(0,1,4)
""",
        ),
        (
            "inverse '(4,4):(1,2)'",
            """\
right_inverse((4,4):(1,2))
  mode by stride  index  gives
  4:1             1      2:1, cut where the next begins
  4:2             4      4:4
  = (2,4):(1,4)
""",
        ),
        (
            "product '(2,2,2):(1,3,9)' 2",
            """\
logical_product((2,2,2):(1,3,9), 2:1)
  the block, and the copies in the offsets that it leaves free
  complement((2,2,2):(1,3,9), 16)
    its last mode stays, to go on from there
    mode by stride  from  free below it
    2:1             1     none
    2:3             2     none, 3 // 2 = 1
    2:9             6     none, 9 // 6 = 1
    the rest        18    1:18
    = 1:18
  composition(1:18, 2:1)
    mode of B  rest of it  mode of A        gives
    0          2:1         ...:18     fits  2:18
    = 2:18
  = ((2,2,2),2):((1,3,9),18)
""",
        ),
        (
            "divide '(8,6):(1,8)' '(_,3)' --form zipped --exact",
            """\
zipped_divide((8,6):(1,8), (_,3), exact=true)
  the modes of the logical form, gathered
  logical_divide((8,6):(1,8), (_,3), exact=true)
    logical_divide(6:8, 3:1, exact=true)
      the tile 3:1, and the complement that runs over the tiles
      complement(3:1, 6)
        mode by stride  from  free below it
        3:1             1     none
        the rest        3     2:3
        = 2:3
      composition(6:8, (3,2):(1,3))
        mode of B  rest of it  mode of A        gives
        0          3:1         ...:8      fits  3:8
        1          2:3         ...:8      fits  2:24
        = (3,2):(8,24)
      = (3,2):(8,24)
    = (8,(3,2)):(1,(8,24))
  = ((1,3),(8,2)):((0,8),(1,24))
""",
        ),
    ],
)
def test_steps(run: Run, line: str, steps: str) -> None:
    assert tla(run, f"{line} --steps") == (0, steps, "")


def test_steps_of_a_search(run: Run) -> None:
    title, note, *table = tla(run, "compose '(2,2,2):(1,3,5)' '(2,2):(1,3)' --steps").out.splitlines()
    assert title == "composition((2,2,2):(1,3,5), (2,2):(1,3))"
    assert "A is linear" in note
    assert table == [
        "  mode of B  rest of it  mode of A          gives",
        "  0          2:1         -          linear  2:1",
        "  1          2:3         -          linear  2:4",
        "  = (2,2):(1,4)",
    ]


def test_the_titles_of_steps_hold_the_options_given(run: Run) -> None:
    lines = tla(run, "divide '(8,6):(1,8)' '(_,3)' --steps").out.splitlines()
    assert lines[:2] == ["logical_divide((8,6):(1,8), (_,3))", "  logical_divide(6:8, 3:1)"]


@pytest.mark.parametrize(
    "line",
    [
        *LINES.values(),
        "coalesce '((4,2),(4,3)):((1,4),(8,32))' --profile '(1,1)'",
        "inverse '(4,2):(6,59)' --left",
        "divide '(8,6):(1,8)' '(4,3)' --form flat",
        "product '(2,5):(5,1)' '(3,4):(1,3)' --form raked",
        "compose 'f32[8,6]{1,0:T(4,2)}' '(_,2)'",
        "compose 8:1 8 --no-extend",
        "compose 'Sw<2,0,3>' '(8,8):(8,1)'",
        "compose 'Sw<2,0,3> o 0 o (8,8):(8,1)' 4:2",
        "divide 12:1 4 --exact --form tiled",
    ],
)
def test_steps_end_in_the_result(run: Run, line: str) -> None:
    code, out, err = tla(run, f"{line} --steps")
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == f"  = {tla(run, line).out.strip()}"
    assert tla(run, line.replace(" ", " --steps ", 1)).out == out


def test_eval_shows_the_steps_of_each_operation_before_the_value(run: Run) -> None:
    first, then = "compose((6,2):(8,2), (4,3):(3,1))", "coalesce(((2,2),3):((24,2),8))"
    steps = [tla(run, f"{LINES['compose']} --steps").out]
    steps += [run("coalesce", "((2,2),3):((24,2),8)", "--steps").out]
    value = "(2,2,3):(24,2,8)\n"
    assert run("eval", f"coalesce({first})", "--steps") == (0, "".join([*steps, value]), "")
    assert run("eval", then, "--steps").out == steps[1] + value


@pytest.mark.parametrize("text", ["4:2", "size(4:2)", "tile_to_shape(2:1, 8)"])
def test_what_has_no_steps_is_evaluated(run: Run, text: str) -> None:
    assert run("eval", text, "--steps") == run("eval", text)


# --- what an argument may be ---


@pytest.mark.parametrize("line", LINES.values())
@pytest.mark.parametrize("end", [b"", b"\n", b" \r\n"])
def test_standard_input(run: Run, line: str, end: bytes) -> None:
    command, first, *rest = shlex.split(line)
    assert run(command, "-", *rest, stdin=first.encode() + end) == run(command, first, *rest)


def test_standard_input_as_any_argument(run: Run) -> None:
    assert tla(run, "compose '(6,2):(8,2)' -", b"(4,3):(3,1)\n").out == "((2,2),3):((24,2),8)\n"
    assert tla(run, "divide '(8,6):(1,8)' -", b"(4,3)\n").out == "((4,2),(3,2)):((1,4),(8,24))\n"
    assert tla(run, "complement 4:2 -", b"24\n").out == "(2,3):(1,8)\n"
    assert tla(run, "coalesce '(2,(1,6)):(1,(6,2))' --profile -", b"(1,1)\n").out == "(2,6):(1,2)\n"
    assert tla(run, "eval -", b"size(\n  (4,2):(2,1)\n)\n").out == "8\n"


@pytest.mark.parametrize(
    "line",
    [
        "compose - -",
        "compose - - --no-extend",
        "complement - -",
        "coalesce - --profile -",
        "divide - -",
        "product - - --form raked",
    ],
)
def test_standard_input_is_one_argument(run: Run, line: str) -> None:
    """It is not read, so that there is nothing to wait for."""
    command = line.split()[0]
    code, out, err = tla(run, line, b"4:1\n")
    assert (code, out) == (2, "")
    assert err.startswith(f"usage: tla {command} ")
    assert err.endswith(f"\ntla {command}: error: standard input, -, can stand for one argument only\n")


def test_a_swizzle_may_be_composed_with(run: Run) -> None:
    composed = "Sw<2,0,3> o _0 o (8,8):(8,1)"
    assert tla(run, "compose 'Sw<2,0,3>' '(8,8):(8,1)'") == (0, f"{composed}\n", "")
    assert tla(run, f"compose '{composed}' 4:2") == (0, "Sw<2,0,3> o _0 o 4:16\n", "")
    assert tla(run, f"compose '{composed}' '(2,4:2)'") == (0, "Sw<2,0,3> o _0 o (2,4):(8,2)\n", "")
    assert tla(run, "compose - 8", b"Swizzle(1,0,3)\n") == (0, "Sw<1,0,3> o _0 o 8:1\n", "")
    assert tla(run, "compose (32,2):(2,1) 'Sw<2,0,3>'") == (0, "Sw<2,1,3> o _0 o (32,2):(2,1)\n", "")
    assert tla(run, "inverse 'Sw<2,0,3> o 0 o 32:1'") == (0, "Sw<2,0,3> o _0 o 32:1\n", "")
    for line in ("divide 'Sw<2,0,3>' 8", "inverse 'Sw<2,0,3> o 0 o 32:1' --steps"):
        assert tla(run, line).code == 1


def test_xla_text_is_a_layout(run: Run) -> None:
    tiled = "f32[3,5]{1,0:T(2,2)}"
    layout = "((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5)"
    for line in ("coalesce '{}'", "inverse '{}'", "divide '{}' '(2,_)'", "complement '{}' 48"):
        assert tla(run, line.format(tiled)) == tla(run, line.format(layout))
    assert tla(run, "compose 'f32[8,6]' 'f32[4]{0}'").out == "(_4):(_6)\n"
    assert tla(run, "coalesce -", f"  {tiled}\n".encode()) == tla(run, f"coalesce '{tiled}'")
    assert tla(run, f"coalesce '  {tiled} '") == tla(run, f"coalesce '{tiled}'")


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("divide '(8,6):(6,1)' '(f32[2],f32[3])'", "divide '(8,6):(6,1)' '((2):(1),(3):(1))'"),
        ("coalesce 'coalesce(F32[3,5]<1,0:T(2;2)>)'", "coalesce 'f32[3,5]{1,0:T(2,2)}'"),
        ("complement 8:1 'size(f32[16])'", "complement 8:1 16"),
    ],
)
def test_xla_text_is_a_part_of_an_expression(run: Run, line: str, same: str) -> None:
    assert tla(run, line).code == 0
    assert tla(run, line).out.replace("_", "") == tla(run, same).out.replace("_", "")


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("compose 'complement(4:2, 24)' 2", "compose '(2,3):(1,8)' 2"),
        (
            "divide '(8,6):(1,8)' 'make_layout((4,3), stride=(3,1))'",
            "divide '(8,6):(1,8)' '(4,3):(3,1)'",
        ),
        ("inverse 'right_inverse((4,8):(8,1))'", "inverse '(8,4):(4,1)'"),
        ("coalesce ' ( 2 , 6 ) : ( 1 , 2 ) '", "coalesce 12:1"),
        ("coalesce 'zN(20,48)'", "coalesce '((_16,2),(_16,3)):((_16,_256),(_1,512))'"),
        ("complement 4:2 'size((4,6):(1,4))'", "complement 4:2 24"),
        ("divide '(8,6):(1,8)' '(coalesce((2,2):(1,2)), size(3:1))'", "divide '(8,6):(1,8)' '(4:1,3)'"),
        ("coalesce '(4,(2,3)):(1,(4,8))(_,(1,_))'", "coalesce '(4,3):(1,8)'"),
    ],
)
def test_an_argument_may_be_an_expression(run: Run, line: str, same: str) -> None:
    done = tla(run, line)
    assert done.code == 0
    assert done == tla(run, same)


def test_the_result_of_a_command_is_the_argument_of_another() -> None:
    """``tla inverse ... | tla compose A -`` is the identity."""
    inverse = process("inverse", "(4,8):(8,1)").out
    assert process("compose", "(4,8):(8,1)", "-", stdin=inverse.encode()).out == "(8,4):(1,8)\n"


# --- the command line is wrong ---


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("compose", "the following arguments are required: A, B"),
        ("compose 4:1", "the following arguments are required: B"),
        (
            "compose 4:1 2:1 2:1",
            "this command takes 2 arguments, A and B; it got 3: 4:1 and 2:1 and 2:1",
        ),
        ("complement", "the following arguments are required: A"),
        ("complement 4:2 24 24", "this command takes 2 arguments, A and N; it got 3: 4:2 and 24 and 24"),
        ("coalesce", "the following arguments are required: A"),
        ("coalesce 8:1 --profile", "argument --profile: expected one argument"),
        ("inverse", "the following arguments are required: A"),
        ("inverse 8:1 --left --right", "argument --right: not allowed with argument --left"),
        ("divide 8:1", "the following arguments are required: TILER"),
        ("divide 8:1 4 --form blocked", "argument --form: invalid choice: 'blocked'"),
        ("divide 8:1 4 --bogus", "there is no option --bogus"),
        ("product 8:1", "the following arguments are required: TILER"),
        ("product 8:1 4 --form", "argument --form: expected one argument"),
        ("product 8:1 4 --exact", "there is no option --exact"),
        (
            "product '(2,2):(1,2)' '(3,4)' --form raked",
            "--form raked takes a layout as TILER, not a tuple of tilers",
        ),
        ("eval", "the following arguments are required: EXPRESSION"),
        ("eval 4:1 2:1", "this command takes 1 argument, EXPRESSION; it got 2: 4:1 and 2:1"),
    ],
)
def test_wrong_usage(run: Run, line: str, why: str) -> None:
    code, out, err = tla(run, line)
    command = line.split()[0]
    assert (code, out) == (2, "")
    assert err.startswith(f"usage: tla {command} ")
    assert f"\ntla {command}: error: {why}" in err


# --- the input is wrong ---


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (
            "compose '(6,2):(1,7' 3:2",
            "A: expected ',' or ')' of the '(' in column 7, found the end of text\n"
            "  line 1, column 11\n"
            "    (6,2):(1,7\n"
            "              ^\n",
        ),
        (
            "compose 8:1 '(2,x(1))'",
            "B: there is no operation 'x'\n  line 1, column 4\n    (2,x(1))\n       ^\n",
        ),
        (
            "complement 4:2 '4:'",
            "N: expected a stride, found the end of text\n  line 1, column 3\n    4:\n      ^\n",
        ),
        (
            "coalesce '(4,2):(1)'",
            "A: shape (4,2) and stride (1) are not congruent\n"
            "  The shape (4,2) has 2 modes, the stride (1) has 1 mode.\n"
            "  line 1, column 1\n"
            "    (4,2):(1)\n"
            "    ^^^^^^^^^\n",
        ),
        (
            "inverse 'right_invers(8:1)'",
            "A: there is no operation 'right_invers'; did you mean right_inverse?\n"
            "  line 1, column 1\n"
            "    right_invers(8:1)\n"
            "    ^^^^^^^^^^^^\n",
        ),
        (
            "divide 8:1 'f32[3'",
            "TILER: expected ']' or ',' after a dim, found the end of text\n"
            "  line 1, column 6\n"
            "    f32[3\n"
            "         ^\n",
        ),
        (
            "product '(2,2):(4,1)' '(2'",
            "TILER: expected ',' or ')' of the '(' in column 1, found the end of text\n"
            "  line 1, column 3\n"
            "    (2\n"
            "      ^\n",
        ),
        (
            "product 8: 2",
            "BLOCK: expected a stride, found the end of text\n  line 1, column 3\n    8:\n      ^\n",
        ),
        (
            "coalesce 8:1 --profile '(1,x(1))'",
            "PROFILE: there is no operation 'x'\n  line 1, column 4\n    (1,x(1))\n       ^\n",
        ),
        (
            "compose 8: 9:",
            "A: expected a stride, found the end of text\n  line 1, column 3\n    8:\n      ^\n",
        ),
        (
            "eval 'size(8:1'",
            "expected ',' or ')' of the '(' in column 5, found the end of text\n"
            "  line 1, column 9\n"
            "    size(8:1\n"
            "            ^\n",
        ),
        (
            "eval '4:2 )'",
            "expected the end of text, found ')'\n  line 1, column 5\n    4:2 )\n        ^\n",
        ),
    ],
)
def test_a_parse_error_points_at_the_character(run: Run, line: str, error: str) -> None:
    assert tla(run, line) == (1, "", f"tla: error: {error}")


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (
            "compose '(6,2):(1,7)' '(3,2):(2,3)'",
            "the composition of (6,2):(1,7) with (3,2):(2,3) is not a layout\n",
        ),
        ("compose 8:1 9:-1", "the composition of 8:1 with 9:-1 is not defined\n"),
        ("compose 8:1 9 --no-extend", "the composition of 8:1 with 9:1 reaches past the left side, of"),
        ("compose '(8,6):(1,8)' '(4,3,2)'", "(4,3,2) has 3 parts, (8,6):(1,8) has 2 modes\n"),
        ("complement '(4,4):(1,2)'", "(4,4):(1,2) has no complement: its modes 4:1 and 4:2 overlap"),
        ("complement 4:-2 24", "4:-2 has no complement: the mode 4:-2 runs backwards\n"),
        ("coalesce 8:1 --profile '(1,1)'", "(1,1) has 2 parts, 8:1 has 1 mode\n"),
        ("inverse '(0,3):(1,1)'", "(0,3):(1,1) has no coordinate, and so no inverse\n"),
        ("inverse 4:-1 --left", "4:-1 has no left inverse: its mode 4:-1 reaches offsets below 0\n"),
        ("divide 10:1 4 --exact", "the tile 4:1 does not divide 10:1\n"),
        ("divide 8:1 0", "0:1 has no coordinate, and so no complement\n"),
        ("product '(2,2):(1,1)' 3", "(2,2):(1,1) has no complement: its modes 2:1 and 2:1 overlap"),
        # what is no layout
        (
            "compose '(6,2)' 3",
            "(6,2) is no layout: a layout is a shape, ':' and a stride\n  Compact, it",
        ),
        (
            "inverse 8",
            "8 is no layout: a layout is a shape, ':' and a stride\n  Compact, it would be 8:_1.",
        ),
        ("coalesce 'size(8:1)'", "8 is no layout: "),
        ("coalesce 'is_injective(8:1)'", "true is no layout: a layout is a shape, ':' and a stride\n"),
        ("coalesce -1", "-1 is no layout: "),
        ("divide 8:1 true", ""),
        ("coalesce 'f32[3,5]{1,0:T(3,4)(2,3)}'", "f32[3,5]{1,0:T(3,4)(2,3)} has no nested layout"),
        ("compose '' 3", "A: expected an expression, found the end of text\n"),
        ("compose - 3", "standard input is empty\n"),
        ("compose 3:1 -", "standard input is empty\n"),
        (f"coalesce '{'(' * 10**5}'", "A: "),
        (f"coalesce '{'9' * 5000}:1'", "A: an int of 5000 digits; at most "),
    ],
    ids=lambda text: text[:40],
)
def test_wrong_input(run: Run, line: str, error: str) -> None:
    code, out, err = tla(run, line)
    assert (code, out) == (1, "")
    assert err.startswith(f"tla: error: {error}")
    assert err.count("tla: error: ") == 1
    if not line.startswith("eval"):
        assert tla(run, f"{line} --steps") == (code, out, err)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("inverse _", "_"),
        ("divide '(_,3)' 2", "(_,3)"),
        ("compose '(4:1,2:1)' 2", "(4:1,2:1)"),
        ("coalesce 'Sw<2,0,3>'", "Sw<2,0,3>"),
        ("product '(true,2)' 2", "(true,2)"),
        ("complement '(4,-2)'", "(4,-2)"),
    ],
)
def test_what_is_neither_a_layout_nor_a_shape(run: Run, line: str, text: str) -> None:
    """No shape, so there is no compact layout to offer."""
    error = f"tla: error: {text} is no layout: a layout is a shape, ':' and a stride\n"
    assert tla(run, line) == tla(run, f"{line} --steps") == (1, "", error)


@pytest.mark.parametrize(
    "line",
    [
        "divide 8:1 'Sw<1,0,3>'",
        "complement 8:1 2:1",
        "complement 8:1 '(_,2)'",
        "coalesce 8:1 --profile 2:1",
        "coalesce 8:1 --profile _",
    ],
)
def test_values_of_the_wrong_kind(run: Run, line: str) -> None:
    code, out, err = tla(run, line)
    assert (code, out) == (1, "")
    assert err.startswith("tla: error: ")


@pytest.mark.parametrize(
    "line", ["complement 4:2 -5", "coalesce 8:1 --profile 2:1", "coalesce 8:1 --profile true"]
)
def test_second_arguments_are_checked_with_steps_too(run: Run, line: str) -> None:
    assert tla(run, f"{line} --steps") == tla(run, line)


def test_a_swizzle_with_steps(run: Run) -> None:
    composed = "Sw<2,0,3> o _0 o (8,8):(8,1)"
    title = "composition(Sw<2,0,3>, (8,8):(8,1))"
    steps = f"{title}\n  = {composed}\n"
    assert tla(run, "compose 'Sw<2,0,3>' '(8,8):(8,1)' --steps") == (0, steps, "")
    assert run("eval", title, "--steps") == (0, f"{steps}{composed}\n", "")


def test_a_swizzle_by_mode_with_steps(run: Run) -> None:
    line = "compose 'Sw<2,0,3> o 0 o (8,8):(8,1)' '(2,4:2)'"
    code, out, _err = tla(run, f"{line} --steps")
    assert (code, out.splitlines()[-1]) == (0, f"  = {tla(run, line).out.strip()}")


@pytest.mark.parametrize("command", ["compose", "divide", "product"])
def test_a_layout_left_alone_with_steps(run: Run, command: str) -> None:
    code, out, _err = run(command, "8:1", "_", "--steps")
    assert (code, out.splitlines()[-1]) == (0, "  = 8:1")


# --- texts that begin like an option ---


def test_negative_numbers(run: Run) -> None:
    error = "tla: error: the cotarget -5 is negative\n  It is how many offsets to fill.\n"
    assert tla(run, "complement 4:2 -5") == (1, "", error)
    assert tla(run, "complement 4:2 _-5").code == 1
    assert tla(run, "eval -5").out == "-5\n"
    assert tla(run, "eval _-5").out == "_-5\n"
    assert tla(run, "compose '_4:_-2' '_2:_1'").out == "_2:_-2\n"


def test_a_layout_that_begins_with_a_minus_is_never_right(run: Run) -> None:
    """An extent is not negative; the argument parser takes no number for an option."""
    lines = ("coalesce -4:2", "compose -4:2 2:1", "eval -4:2", "coalesce -- -4:2", "coalesce _-4:2")
    for line in lines:
        code, out, err = tla(run, line)
        assert (code, out) == (1, "")
        assert err.startswith(f"tla: error: {'' if line.startswith('eval') else 'A: '}shape ")
        assert "negative extent" in err


def test_everything_after_two_dashes_is_an_argument(run: Run) -> None:
    assert tla(run, "compose -- '(6,2):(8,2)' '(4,3):(3,1)'") == tla(run, LINES["compose"])


# --- eval ---


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("logical_divide((4,2,3):(2,1,8), 4:2)", "((2,2),(2,3)):((4,1),(2,8))"),
        ("is_injective((3,2):(2,3))", "true"),
        ("is_injective((3,2):(1,2))", "false"),
        ("size((4,2):(2,1))", "8"),
        ("shape((4,(2,_3)):(1,(4,8)))", "(4,(2,_3))"),
        ("(4,8):(8,1)(3,2)", "26"),
        ("(4,8):(8,1)(3,_)", "(8):(1)"),
        ("make_layout_tv((2,3):(3,1), (2,2):(2,1))", "((4,6),((3,2),(2,2)):((8,2),(4,1)))"),
        ("compose(Sw<2,0,3>, (8,8):(8,1))", "Sw<2,0,3> o _0 o (8,8):(8,1)"),
        ("logical_divide(12:1, 4, exact=true)", "(4,3):(1,4)"),
        ("(_,4)", "(_,4)"),
    ],
)
def test_eval(run: Run, text: str, value: str) -> None:
    assert run("eval", text) == (0, f"{value}\n", "")
    assert run("eval", value) == (0, f"{value}\n", "")  # the text of a value is an expression


def test_the_help_of_eval_names_every_operation(run: Run) -> None:
    words = run("eval", "--help").out.replace(",", " ").split()
    assert set(OPERATIONS) <= set(words)


def test_the_commands_do_what_eval_does(run: Run) -> None:
    names = {
        "compose": "compose",
        "complement": "complement",
        "coalesce": "coalesce",
        "inverse": "right_inverse",
        "divide": "logical_divide",
        "product": "logical_product",
    }
    for command, line in LINES.items():
        arguments = ", ".join(shlex.split(line)[1:])
        assert run("eval", f"{names[command]}({arguments})") == tla(run, line)


# --- help ---


@pytest.mark.parametrize("command", LINES)
def test_help_tells_what_an_argument_may_be(run: Run, command: str) -> None:
    code, out, err = run(command, "--help")
    assert (code, err) == (0, "")
    assert "--steps" in out
    assert f"\nexamples:\n  tla {command} '" in out
    assert "a text such as '(4,2):(2,1)', an XLA shape such as 'f32[3,5]{1,0:T(2,2)}'" in out
    assert "- for standard input" in out


# --- as processes ---


@pytest.mark.parametrize("arguments", [*LINES.values(), EVAL, f"{LINES['divide']} --steps"])
def test_a_reader_that_was_never_there(arguments: str) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(
        [*COMMAND, *shlex.split(arguments)],
        stdout=theirs,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        check=False,
    )
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_reader_that_leaves_is_no_error() -> None:
    """`tla coalesce ... --steps | head -1`, with more output than a pipe holds."""
    count = 300
    layout = f"({','.join(['2'] * count)}):({','.join(str(3**i) for i in range(count))})"
    with subprocess.Popen(
        [*COMMAND, "coalesce", layout, "--steps"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as command:
        assert command.stdout is not None
        assert command.stderr is not None
        assert command.stdout.readline().startswith(b"coalesce((2,2,")
        command.stdout.close()
        assert (command.stderr.read(), command.wait(60)) == (b"", 0)


@pytest.mark.parametrize("arguments", [["compose", "-", "2:1"], ["eval", "-"]])
def test_an_interrupt_leaves_no_traceback(arguments: list[str]) -> None:
    """Ctrl-C while standard input is read: what was written fills the pipe, so it is being read."""
    with subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as command:
        assert command.stdin is not None
        command.stdin.write(b" " * 2**20)
        command.stdin.flush()
        command.send_signal(signal.SIGINT)
        out, err = command.communicate(timeout=60)
    assert (command.returncode, out, err) == (130, b"", b"tla: interrupted\n")


def test_steps_on_a_terminal_have_bold_results() -> None:
    pytest.importorskip("rich")
    arguments = ["divide", "8:1", "4", "--steps"]  # a table that a terminal holds
    coloured = on_a_terminal(*arguments)
    plain = process(*arguments).out
    results = [line for line in plain.splitlines() if line.lstrip().startswith("= ")]
    assert len(results) == 3
    assert all(f"\x1b[1m{line.strip()}\x1b[0m" in coloured for line in results)
    assert coloured.replace("\x1b[1m", "").replace("\x1b[0m", "") == plain
    assert on_a_terminal(*arguments, NO_COLOR="1") == plain


def test_a_result_is_plain_text_on_a_terminal() -> None:
    assert on_a_terminal(*shlex.split(LINES["divide"])) == process(*shlex.split(LINES["divide"])).out


# --- what a command loads ---

THIRD_PARTY = ["numpy", "rich", "islpy", "ml_dtypes", "typing_extensions", "hypothesis"]


def loaded_by(*lines: str) -> set[str]:
    """The modules of a fresh interpreter after commands, with no other package there to import."""
    code = (
        f"import argparse, json, sys\nfor name in {THIRD_PARTY}:\n    sys.modules[name] = None\n"
        "from tla.cli import main\nbefore = set(sys.modules)\n"
        f"codes = [main(line) for line in {[shlex.split(line) for line in lines]}]\n"
        "print(json.dumps([codes, sorted(set(sys.modules) - before), sorted(sys.modules)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    codes, new, modules = json.loads(done.stdout.splitlines()[-1])
    assert codes == [0] * len(lines)
    tops = {name.split(".")[0] for name in new}
    assert tops <= {"tla", *sys.stdlib_module_names}
    assert "dataclasses" not in tops
    return {name for name in modules if name.split(".")[0] == "tla"}


def test_commands_run_with_the_standard_library_alone() -> None:
    loaded_by(*LINES.values(), EVAL)
    loaded_by(*[f"{line} --steps" for line in LINES.values()])


@pytest.mark.parametrize("command", LINES)
def test_a_command_loads_only_itself(command: str) -> None:
    loaded = loaded_by(LINES[command])
    assert f"tla.cli.{command}" in loaded
    others = {"convert", "hlo", "eval", *LINES} - {command}
    assert loaded.isdisjoint({f"tla.cli.{other}" for other in others})
    assert loaded.isdisjoint({"tla.explain", "tla.hlo"})  # steps are loaded when they are asked for


@pytest.mark.parametrize("line", ["convert 'f32[3,5]{1,0:T(2,2)}'", "show '(2,3):(3,1)'"])
def test_commands_without_algebra_do_not_load_it(line: str) -> None:
    loaded = loaded_by(line)
    assert "tla.layouts.layout" in loaded
    assert not {name for name in loaded if name.startswith("tla.algebra")}
    assert loaded.isdisjoint({"tla.explain", "tla.evaluation", "tla.cli.operation"})


def test_eval_loads_the_algebra_when_an_operation_asks_for_it() -> None:
    assert "tla.algebra.coalesce" in loaded_by(EVAL)
    loaded = loaded_by("eval 'size((4,2):(2,1))'")
    assert not {name for name in loaded if name.startswith("tla.algebra.")}
