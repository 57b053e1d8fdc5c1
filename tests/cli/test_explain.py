"""``tla explain``: steps of tilings and of the operations of the algebra."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

import pytest

from tla.explain import EXPLAINED

if TYPE_CHECKING:
    from .running import Run

SHAPE = "f32[3,5]{1,0:T(2,2)}"


# --- tilings ---


def test_the_worked_example_of_the_tiling_document(run: Run) -> None:
    code, out, err = run("explain", "tiling", SHAPE, "2,3")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "tiling f32[3,5]{1,0:T(2,2)} (2,3)",
        "  tile   step                 dims       (2,3) is at",
        "         transpose (0,1)      (3,5)      (2,3)",
        "  (2,2)  pad                  (4,6)      (2,3)",
        "         reshape              (2,2,3,2)  (1,0,1,1)",
        "         transpose (0,2,1,3)  (2,3,2,2)  (1,1,0,1)",
        "         reshape              (24)       (17)",
        "  = offset 17 of 24 elements",
    ]


def test_without_an_index_and_from_standard_input(run: Run) -> None:
    out = run("explain", "tiling", "-", stdin=SHAPE.encode()).out
    assert out == run("explain", "tiling", SHAPE).out
    assert out.endswith("  = 24 elements\n")


def test_a_warning_where_xla_counts_otherwise(run: Run) -> None:
    lines = run("explain", "tiling", "f32[3,5]{1,0:T(3,4)(2,3)}").out.splitlines()
    assert lines[1].startswith("  warning: XLA counts 96 bytes, the tiles take 192: ")


def test_json(run: Run) -> None:
    found: dict[str, Any] = json.loads(run("explain", "tiling", SHAPE, "2,3", "--json").out)
    assert found["result"] == "offset 17 of 24 elements"
    assert found["columns"] == ["tile", "step", "dims", "(2,3) is at"]
    assert found["rows"][1] == ["(2,2)", "pad", "(4,6)", "(2,3)"]
    assert found["parts"] == []


# --- operations ---


@pytest.mark.parametrize(
    ("explained", "command"),
    [
        ("composition '(6,2):(8,2)' '(4,3):(3,1)'", "compose '(6,2):(8,2)' '(4,3):(3,1)'"),
        ("compose '(6,2):(8,2)' '(4,3):(3,1)'", "compose '(6,2):(8,2)' '(4,3):(3,1)'"),
        ("complement '(2,2):(1,6)' 24", "complement '(2,2):(1,6)' 24"),
        ("coalesce '(2,(1,6)):(1,(7,2))'", "coalesce '(2,(1,6)):(1,(7,2))'"),
        ("logical_divide '(4,2,3):(2,1,8)' 4:2", "divide '(4,2,3):(2,1,8)' 4:2"),
    ],
)
def test_it_shows_what_the_option_steps_shows(run: Run, explained: str, command: str) -> None:
    out = run("explain", *shlex.split(explained)).out
    assert out == run(*shlex.split(command), "--steps").out
    assert out


ARGUMENTS = {"coalesce": 1, "left_inverse": 1, "right_inverse": 1}


@pytest.mark.parametrize("name", sorted(EXPLAINED))
def test_every_operation_with_steps(run: Run, name: str) -> None:
    second = "16" if name == "complement" else "2:1"
    texts = ["(4,2):(1,4)", second][: ARGUMENTS.get(name, 2)]
    found: dict[str, Any] = json.loads(run("explain", name, *texts, "--json").out)
    assert found["title"].startswith(f"{name}(")
    assert found["result"]
    assert found["rows"] or found["parts"]


def test_options_and_unknowns(run: Run) -> None:
    exact = run("explain", "zipped_divide", "(8,6):(1,8)", "(4,3)", "exact=true")
    assert "exact=true" in exact.out.splitlines()[0]
    refused = run("explain", "zipped_divide", "(8,6):(1,8)", "(3,3)", "exact=true")
    assert refused.code == 1
    assumed = ["explain", "logical_divide", "M:1", "48", "exact=true"]
    assert run(*assumed, "--assume", "M % 48 == 0").code == 0
    undecided = run(*assumed)
    assert undecided.code == 1
    assert "--assume" in undecided.err


# --- bad input ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tiling", "f32[3,5]", "3,0"), "Dim 0 has no index 3"),
        (("tiling", SHAPE, "-1,1"), "Dim 0 has no index -1"),
        (("tiling", "(2,3):(3,1)"), "(2,3):(3,1) is no XLA shape"),
        (("tiling", "(2,3)"), "(2,3) is no XLA shape"),
        (("tiling", "(f32[3], f32[2])"), "one by one"),
        (("tiling", "f32[3"), "column 6"),
        (("coalesce", "(2,3):(3"), "argument 1: "),
    ],
)
def test_bad_input(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run("explain", *arguments)
    assert (code, out) == (1, "")
    assert err.startswith("tla: error: ")
    assert message in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rotation", "4:1"), "no steps are known of 'rotation'; of tiling, "),
        (("tiling",), "ARGUMENT"),
        (("tiling", SHAPE, "1,2", "3"), "tiling takes a shape, and the index of one element"),
        (("zipped_divide", "4:1", "2", "exact=1"), "exact is true or false, not '1'"),
    ],
)
def test_a_wrong_command_line(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run("explain", *arguments)
    assert (code, out) == (2, "")
    assert message in err
