"""``--assume``, and names that mean one unknown in all operands of a command."""

import pytest

from .running import Run


def test_an_assumption_settles_a_division(run: Run) -> None:
    words = ("divide", "(M{div=16},8):(8,1)", "(48,8)", "--form", "zipped", "--exact")
    assert run(*words, "--assume", "M % 48 == 0").out == "((48,8),(M{div=16}//48,1)):((8,1),(384,0))\n"
    code, out, err = run(*words)
    assert (code, out) == (1, "")
    assert err == (
        "tla: error: cannot decide whether M % 48 == 0\n"
        "  Its unknowns leave that open: give them a range or a divisor that settles it,"
        " or add --assume 'M % 48 == 0'.\n"
    )


def test_steps_and_expressions_take_it(run: Run) -> None:
    text = "zipped_divide((M,8):(8,1), (48,8), exact=true)"
    out = run("eval", text, "--assume", "M % 48 == 0", "--steps").out
    assert out.endswith("  = ((48,8),(M//48,1)):((8,1),(384,0))\n((48,8),(M//48,1)):((8,1),(384,0))\n")
    assert run("eval", text, "--assume", "M % 48 == 0", "--assume", "M <= 96").code == 0


def test_a_name_is_one_unknown_in_all_operands(run: Run) -> None:
    assert run("compose", "(M{div=16},N):(N,1)", "(16,M/16):(1,16)").out == "(16,M/16):(N,16*N)\n"
    assert run("complement", "(16,M/16):(1,16)", "M*N").out == "N:M{div=16}\n"


@pytest.mark.parametrize(
    ("condition", "error"),
    [
        ("M %", "--assume: expected a divisor, found the end of text\n  line 1, column 4"),
        ("M", "--assume: expected a comparison such as '==' or '<=', found the end of text"),
        ("M < 0", "M < 0 contradicts M >= 1"),
    ],
)
def test_bad_conditions(run: Run, condition: str, error: str) -> None:
    code, _out, err = run("eval", "size((M,4):(4,1))", "--assume", condition)
    assert code == 1
    assert err.startswith(f"tla: error: {error}")
