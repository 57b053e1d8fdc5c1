"""What others get wrong: our answer to each, and the proof that it is right and theirs is not.

The cases stand in ``differences.WRONG``; that the others still answer so is tested in ``tests/peers``.
"""

from typing import Any

import pytest
from differences import OURS, WRONG, PeerError
from fuzz import OPS as TRUTHS, Expect, Truth, tiler_layout

import tla
from tla import Int, parse

IN_FUZZ = [case for case in WRONG if case.expression.partition("(")[0] in TRUTHS]


def truth_of(case: PeerError) -> Truth:
    """What brute force says of a case."""
    name = case.expression.partition("(")[0]
    a, *rest = eval(case.expression, {**OURS, name: lambda *args: args})
    by_mode = name == "coalesce" and rest
    return TRUTHS["coalesce by mode" if by_mode else name].truth(tiler_layout(a), *rest)


def is_layout(column: str) -> bool:
    """Whether a column holds a layout, and not the name of an error, or none."""
    return ":" in column


def is_right(truth: Truth, column: str) -> bool:
    if not is_layout(column):  # a crash is never right
        return column.lower().endswith("error") and truth.expect is not Expect.YES
    return truth.expect is not Expect.NO and truth.fault(parse(column)) == ""


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.expression)
def test_our_answer(case: PeerError) -> None:
    assert case.outcome(OURS) == case.ours


@pytest.mark.parametrize("case", IN_FUZZ, ids=lambda case: case.expression)
def test_who_is_right(case: PeerError) -> None:
    truth = truth_of(case)
    assert is_right(truth, case.ours)
    for theirs in (case.pycute, case.tensor_layouts, case.cute):
        assert not theirs or not is_right(truth, theirs), theirs


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.expression)
def test_static_ints_are_checked_as_dynamic_ones_are(case: PeerError) -> None:
    """CuTe checks static ints alone; here the answer, or the refusal, is the same for both."""
    static = {**OURS, "Layout": lambda *parts: tla.Layout(*map(as_static, parts))}
    assert case.outcome(static).replace("_", "") == case.ours


def as_static(x: Any) -> Any:
    return tla.transform_leaf(Int, x)


def test_every_operation_of_the_table_but_one_has_a_truth() -> None:
    assert [case.expression for case in WRONG if case not in IN_FUZZ] == ["nullspace(Layout(5, 0))"]
