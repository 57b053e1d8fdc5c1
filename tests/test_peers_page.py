"""What the documents say of other libraries is what the tables of the tests say.

Our column is tested in ``tests/algebra/test_peer_errors.py``, theirs in ``tests/peers``.
"""

import re
from pathlib import Path
from typing import Any

import pytest
from differences import OURS, WRONG, PeerError

import tla

DOCS = Path(__file__).parents[1] / "docs"

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the wheel has no documents")


def rows(page: str, heading: str) -> list[list[str]]:
    """The fields of the first table below a heading, without the two lines of its head."""
    text = (DOCS / page).read_text("utf-8").partition(f"\n## {heading}\n")[2]
    table = re.findall(r"^\|.*\|$", text.partition("\n## ")[0], re.M)
    return [[field.strip() for field in line.strip("|").split("|")] for line in table[2:]]


def notation(case: PeerError) -> str:
    """The call of a case, its layouts in notation."""
    name = case.expression.partition("(")[0]
    args: tuple[Any, ...] = eval(case.expression, {**OURS, name: lambda *args: args})
    return f"{name}({', '.join(map(tla.to_text, args))})"


def outcome(text: str) -> str:
    """The value of an expression, every int dynamic, or the name of its error."""
    try:
        return str(tla.evaluate(text)).replace("_", "")
    except tla.TlaError as error:
        return type(error).__name__


def test_every_case_stands_on_the_page() -> None:
    reasons = list(dict.fromkeys(case.reason for case in WRONG))
    assert [[field.strip("`") for field in row] for row in rows("peers.md", "Every case")] == [
        [notation(c), c.ours, c.pycute, c.tensor_layouts, c.cute, str(reasons.index(c.reason) + 1)]
        for c in WRONG
    ]
    listed = (DOCS / "peers.md").read_text("utf-8").partition("\n## Every case\n")[2]
    assert re.findall(r"^(\d+)\. (.*)\.$", listed, re.M) == [
        (str(i), reason[0].upper() + reason[1:]) for i, reason in enumerate(reasons, 1)
    ]


def test_our_answers_among_the_differences() -> None:
    """Of each row of the algebra whose case is an expression: composed with `o`, or a call."""
    found = 0
    for case, _theirs, ours, _reason in rows("differences.md", "From CuTe, in the algebra"):
        if not re.fullmatch(r"`[^`]+`", case) or "static" in case:
            continue
        text = re.sub(r"(.+) o (.+)", r"composition(\1, \2)", case.strip("`"))
        (expected,) = re.findall(r"^`([^`]+)`", ours)
        assert outcome(text) == expected, case
        found += 1
    assert found > 15
