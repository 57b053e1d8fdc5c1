"""``tla diff``: two layouts side by side, exit codes as of diff(1)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .running import Run

TILED, PLAIN = "f32[3,5]{1,0:T(2,2)}", "f32[3,5]{1,0}"


def test_two_shapes(run: Run) -> None:
    done = run("diff", TILED, PLAIN)
    assert (done.code, done.err) == (1, "")
    assert done.out == (
        "A        f32[3,5]{1,0:T(2,2)}\n"
        "         ((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5)\n"
        "         24 elements, 96 bytes, 36 bytes of padding\n"
        "B        f32[3,5]{1,0}\n"
        "         (_3,_5):(_5,_1)\n"
        "         15 elements, 60 bytes, no padding\n"
        "dim 0    (_2,_2):(_2,_12)  |  _3:_5\n"
        "dim 1    (_2,_3):(_1,_4)   |  _5:_1\n"
        "differ   index (0,2) lies at 4 and at 2\n"
        "differ   the size is 24 and 15, in elements\n"
        "copy     moves in runs of 2 elements (8 B), in aligned vectors of 1 element (4 B)\n"
        "\n"
        "offset of each element in A, or in A>B\n"
        "(0,*)      0      1    4>2    5>3    8>4\n"
        "(1,*)    2>5    3>6    6>7    7>8   10>9\n"
        "(2,*)  12>10  13>11  16>12  17>13  20>14\n"
    )


def test_a_shape_and_its_layout_are_the_same(run: Run) -> None:
    done = run("diff", TILED, "((2,2),(2,3)):((2,12),(1,4)):(3,5)")
    assert (done.code, done.err) == (0, "")
    assert "dim 0    (_2,_2):(_2,_12)  =  (2,2):(2,12)\n" in done.out
    assert "same     every element lies at one offset\n" in done.out
    assert done.out.endswith("copy     is a bitcast: it moves nothing\n")


def test_a_reshape_that_moves_nothing(run: Run) -> None:
    done = run("diff", "f32[16,128]{1,0:T(8,128)}", "f32[2,8,128]{2,1,0:T(8,128)}")
    assert done.code == 1
    assert "differ   the dims are [16,128] and [2,8,128]\n" in done.out
    assert done.out.endswith("copy     is a bitcast under a reshape: it moves nothing\n")
    swapped = run("diff", "f32[3,5]", "f32[5,3]", "--json")
    facts = json.loads(swapped.out)
    assert (swapped.code, facts["bitcast"], facts["reshape"]) == (1, True, True)


@pytest.mark.parametrize(
    ("a", "b"),
    [("bf16[4,8]{1,0:T(2,4)(2,1)}", "f32[4,8]"), ("s4[8]{0:E(4)}", "s4[8]"), ("f32[8]", "f64[?]")],
)
def test_elements_of_two_sizes_are_not_copied(run: Run, a: str, b: str) -> None:
    done = run("diff", a, b)
    assert done.code == 1
    assert "runs" not in done.out
    facts = json.loads(run("diff", a, b, "--json").out)
    assert (facts["run"], facts["vector"], facts["bits"]) == (None, None, None)
    assert facts["bitcast"] is not True


@pytest.mark.parametrize(
    ("a", "b", "told"),
    [
        (
            "zN<half>(20,48)",
            "zN<float>(20,48)",
            ["the element type is f16 and f32", "16 and 32, in bits"],
        ),
        ("RowMajor<half>(20,48)", "RowMajor<float>(20,48)", ["16 and 32, in bits"]),
        ("RowMajor<half>(20,48)", "f32[20,48]", ["the element type is f16 and f32"]),
        ("s4[20,48]", "RowMajor<float4_e1m2x2_t>(20,48)", ["type is s4 and float4_e1m2x2_t", "8 and 4"]),
    ],
)
def test_a_tag_says_the_elements(run: Run, a: str, b: str, told: list[str]) -> None:
    done = run("diff", a, b)
    assert (done.code, done.err) == (1, "")
    assert [part for part in told if part not in done.out] == []
    assert done.out.count("differ   the element") == 2
    assert "copy     is no bitcast; A and B have elements of different sizes\n" in done.out
    assert json.loads(run("diff", a, b, "--json").out)["bitcast"] is False


def test_elements_of_one_type_or_width(run: Run) -> None:
    done = run("diff", "RowMajor<half>(20,48)", "f16[20,48]")
    assert (done.code, "same     every element" in done.out) == (0, True)
    done = run("diff", "zN<half>(20,48)", "zN<bfloat16_t>(20,48)")
    assert (done.code, "is a bitcast: it moves nothing" in done.out) == (1, True)
    assert (
        "moves in runs of 256 elements (512 B)" in run("diff", "zN<half>(20,48)", "zZ<half>(20,48)").out
    )


def test_the_facts_of_a_name_hold_in_both(run: Run) -> None:
    a, b = "RowMajor<half>(M{div=16},K{div=16})", "ColumnMajor<half>(M,K)"
    for one, other, offsets in [(a, b, "1 and at 16"), (b, a, "16 and at 1")]:
        done = run("diff", one, other)
        assert (done.code, done.err) == (1, "")
        assert f"differ   index (0,1) lies at {offsets}, if M is 16 and K is 16\n" in done.out
        facts = json.loads(run("diff", one, other, "--json").out)
        assert facts["differences"][0]["unknown_sizes"] == {"M": 16, "K": 16}


def test_a_bounded_dim_is_compared_at_its_bound(run: Run) -> None:
    done = run("diff", "f32[<=5,3]{1,0:T(2,2)}", "f32[<=5,3]")
    assert "         24 elements, 96 bytes, 60 bytes of data at most\n" in done.out
    assert "dim 0    (_2,_3):(_2,_8)  |  _5:_3\n" in done.out


@pytest.mark.parametrize(
    ("a", "b", "end"),
    [
        ("f32[64]", "f32[64]{0:S(1)}", "copy     moves the array as it is to another place\n"),
        ("f32[2,3]", "f32[4]", "copy     is no bitcast; "),
        ("f32[?,4]", "f32[?,4]{0,1}", "copy     is no bitcast; its runs depend on unknown sizes\n"),
        ("s4[3]{0:E(4)}", "s4[3]{0:T(2)(1,2)L(8)E(4)}", "copy     moves in runs of 3 elements (12 bit"),
        (
            "s4[8,8]{1,0:E(4)}",
            "s4[8,8]{0,1:E(4)}",
            "copy     moves in runs of 1 element (4 bits), in aligned vectors of 1 element (4 bits)\n",
        ),
        ("(2,3):(1,2)", "(2,3):(3,1)", "copy     moves in runs of 1 element, in aligned vectors"),
        ("(2,3):(1,1)", "(2,3):(3,1)", "copy     is no bitcast; (2,3):(1,1) has no run in memory"),
    ],
)
def test_what_a_copy_does(run: Run, a: str, b: str, end: str) -> None:
    done = run("diff", a, b)
    assert (done.code, done.err) == (1, "")
    assert end in done.out


def test_a_shape_without_a_nested_layout(run: Run) -> None:
    done = run("diff", "f32[3,5]{1,0:T(3,4)(2,3)}", PLAIN)
    assert done.code == 1
    assert "         no nested layout (broken-digit)\n" in done.out
    assert "differ   index (0,4) lies at 24 and at 4\n" in done.out
    assert "dim 0" not in done.out


def test_large_arrays_are_not_drawn(run: Run) -> None:
    for a, b in [("f32[17,17]", "f32[17,17]{0,1}"), ("f32[2,20]", "f32[2,20]{0,1}"), ("f32[]", "f32[]")]:
        assert "offset of each" not in run("diff", a, b).out


def test_json(run: Run) -> None:
    done = run("diff", TILED, PLAIN, "--json")
    assert done.code == 1
    facts = json.loads(done.out)
    assert facts["a"] == {
        "text": TILED,
        "tla": "((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5)",
        "reason": None,
        "elements": 24,
        "bytes": 96,
        "data": 60,
        "dynamic": False,
    }
    assert facts["differences"] == [
        {"kind": "offset", "index": [0, 2], "a": 4, "b": 2, "unknown_sizes": {}},
        {"kind": "size", "index": None, "a": 24, "b": 15, "unknown_sizes": {}},
    ]
    assert (facts["bitcast"], facts["run"], facts["vector"], facts["bits"]) == (False, 2, 1, 32)


def test_the_unknowns_of_a_layout_name_those_of_a_shape(run: Run) -> None:
    done = run("diff", "f32[?,4]", "(M,4):(4,1)")
    assert (done.code, done.err) == (0, "")
    assert "dim 0    M:_4   =  M:4\n" in done.out


def test_a_span_that_is_open_is_no_fault(run: Run) -> None:
    """K may be 0: then there is no element, and no offset."""
    done = run("diff", "(K{min=0},2):(31,2)", "(K{min=0},2):(31,2)")
    assert done.code == 0
    assert "its elements depend on its unknowns\n" in done.out


def test_json_of_what_is_the_same(run: Run) -> None:
    done = run("diff", "f32[?,4]", "f32[?,4]{1,0:T(1)}", "--json")
    assert done.code == 0
    facts = json.loads(done.out)
    assert facts["differences"] == []
    assert facts["bitcast"] is True
    assert facts["a"]["elements"] == "4*d0{min=0}"


def test_standard_input(run: Run) -> None:
    done = run("diff", "-", PLAIN, stdin=PLAIN.encode())
    assert done.code == 0
    done = run("diff", "-", "-", stdin=PLAIN.encode())
    assert done.code == 2
    assert "can stand for one argument only" in done.err


@pytest.mark.parametrize(
    ("a", "b", "told"),
    [
        ("f32[2", "f32[2]", "A: expected ']' or ','"),
        ("f32[2]", "f32[2]{0:T(}", "B: "),
        ("(f32[2], f32[3])", "f32[2]", "a tuple"),
        ("f32[2]", "token[]", "no data"),
        ("f32[?]{0:T(5000)(3)}", "f32[?]{0:T(5000)(3)(1,1)}", "for every unknown size"),
    ],
)
def test_bad_input_is_2(run: Run, a: str, b: str, told: str) -> None:
    done = run("diff", a, b)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("tla: error: ")
    assert told in done.err


def test_an_unknown_dim_is_not_the_number_beside_it(run: Run) -> None:
    out = run("diff", "f32[?,3]{1,0}", "(4,3):(3,1)").out
    assert "dim 0    d0{min=0}:_3  |  4:3\n" in out
