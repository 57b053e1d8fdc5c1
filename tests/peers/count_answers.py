"""How often a library is wrong: random layouts, each answer compared with brute force.

Run: python tests/peers/count_answers.py [--count 1000] [--seed N]

Asked is only what all of them mean alike: layouts with layouts, and complements in a given range. For
each library one row for each operation, as a table of Markdown:

- wrong: it returned what breaks the law of the operation;
- no answer: it returned a layout where there is none to have, which counts as wrong too;
- refused: it raised an error although there is an answer.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import fuzz

import tla

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OPERATIONS = (
    "coalesce",
    "composition",
    "complement",
    "right_inverse",
    "left_inverse",
    "logical_divide",
    "logical_product",
)

RAISED = (ArithmeticError, AssertionError, LookupError, TypeError, ValueError)
"""What a library raises where it gives no answer; pycute mostly has bare assertions."""


class Library(NamedTuple):
    """A library, its operations by our names, and its layout of a shape and a stride."""

    name: str
    names: dict[str, Any]
    make_layout: Callable[[Any, Any], Any]

    def layout_of(self, operation: str, args: tuple[Any, ...]) -> tla.AnyLayout | None:
        """Its answer; None where it raises, or answers what is no layout."""
        try:
            answer = self.names[operation](*map(self._own, args))
            return tla.Layout(answer.shape, answer.stride)
        except RAISED:
            return None

    def _own(self, x: Any) -> Any:
        if tla.is_layout(x):
            return self.make_layout(_plain(x.shape), _plain(x.stride))
        return _plain(x)


class Count(NamedTuple):
    """How often it answered what is wrong, answered where no answer is, and refused where one is."""

    cases: int
    wrong: int
    no_answer: int
    refused: int


def _plain(x: Any) -> Any:
    return tuple(map(_plain, x)) if isinstance(x, tuple) else int(x)


def libraries() -> Iterator[Library]:
    """Those that are installed; `tla` is the first."""
    yield Library("tla", {name: getattr(tla, name) for name in OPERATIONS}, tla.Layout)
    if find_spec("pycute") and find_spec("pycute.layout"):
        pycute = import_module("pycute")
        yield Library("pycute", vars(pycute), pycute.Layout)
    if find_spec("tensor_layouts"):
        peer = import_module("tensor_layouts")
        yield Library("tensor-layouts", {**vars(peer), "composition": peer.compose}, peer.Layout)


def cases(name: str, count: int, seed: int = 0) -> Iterator[tuple[tuple[Any, ...], fuzz.Truth]]:
    """Cases of an operation of which brute force knows whether they have an answer."""
    operation, rng = fuzz.OPS[name], Random(f"{name} {seed}")
    while count:
        case = operation.draw(fuzz.Draw(rng))
        truth = operation.truth(*case.args, *case.known)
        if _means_one_thing(name, *case.args) and truth.expect is not fuzz.Expect.OPEN:
            count -= 1
            yield case.args, truth


def _means_one_thing(name: str, a: Any, *others: Any) -> bool:
    if name == "complement":
        return tla.is_layout(a) and len(others) == 1 and isinstance(others[0], int | tla.Int)
    return all(map(tla.is_layout, (a, *others)))


def counted(library: Library, name: str, count: int, seed: int = 0) -> Count:
    """What a library makes of so many cases."""
    wrong = no_answer = refused = 0
    for args, truth in cases(name, count, seed):
        answer = library.layout_of(fuzz.OPS[name].calls, args)
        if answer is None:
            refused += truth.expect is fuzz.Expect.YES
        elif truth.expect is fuzz.Expect.NO:
            no_answer += 1
        else:
            wrong += truth.fault(answer) != ""
    return Count(count, wrong, no_answer, refused)


def main() -> None:
    parser = argparse.ArgumentParser(description="How often a library is wrong, by brute force.")
    parser.add_argument("--count", type=int, default=1000, help="cases of each operation (default 1000)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found = list(libraries())
    print("|", " | ".join(["operation", *(library.name for library in found)]), "|")
    print("| --- " * (len(found) + 1) + "|")
    for name in OPERATIONS:
        row = [f"`{name}`"]
        for library in found:
            count = counted(library, name, options.count, options.seed)
            row.append(f"{count.wrong} / {count.no_answer} / {count.refused}")
        print("|", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    main()
