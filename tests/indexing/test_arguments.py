"""What is no map, no relation, no interval is refused by name."""

from __future__ import annotations

from operator import add, and_, mul, or_, sub
from typing import TYPE_CHECKING, Any

import pytest

from tla import KindError, LeafError
from tla.indexing import (
    IndexingMap,
    Interval,
    Variable,
    compose,
    dim,
    fold,
    from_layout,
    inverse,
    layout_and_offset,
    parse_map,
    ranges_to_dims,
    remove_unused_symbols,
    remove_unused_vars,
    rescale_symbols,
    simplify,
    symbols_to_dims,
    to_layout,
    to_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = "(d0) -> (d0), domain: d0 in [0, 3]"
OF_MAPS: dict[str, Callable[[Any], object]] = {
    "compose": lambda x: compose(parse_map(TEXT), x),
    "compose first": lambda x: compose(x, parse_map(TEXT)),
    "fold": lambda x: fold(x, lambda _name: None),
    "inverse": inverse,
    "layout_and_offset": layout_and_offset,
    "ranges_to_dims": lambda x: ranges_to_dims(x, [0]),
    "remove_unused_symbols": remove_unused_symbols,
    "remove_unused_vars": remove_unused_vars,
    "rescale_symbols": rescale_symbols,
    "simplify": simplify,
    "symbols_to_dims": symbols_to_dims,
    "to_layout": to_layout,
    "to_text": to_text,
}


@pytest.mark.parametrize("name", OF_MAPS)
@pytest.mark.parametrize("value", [None, 3, dim(0), object(), [], IndexingMap])
def test_no_map(name: str, value: Any) -> None:
    with pytest.raises(KindError, match=r"^expected an indexing map, got \w+$"):
        OF_MAPS[name](value)


def test_the_text_of_a_map_is_none_yet() -> None:
    with pytest.raises(KindError) as caught:
        simplify(TEXT)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    assert str(caught.value) == "expected an indexing map, got str\n  parse_map reads the text of a map."


def test_no_relation() -> None:
    pytest.importorskip("islpy")
    from tla.indexing import relation

    values: list[Any] = [None, 3, "x", [None]]
    for value in values:
        with pytest.raises(KindError, match="expected an indexing map, got"):
            relation(value)
    one: Any = relation(parse_map(TEXT))
    for ask in (one.is_equal, one.is_subset, one.after, one.__or__, one.__and__, one.__sub__):
        with pytest.raises(KindError, match=r"expected a relation, got IndexingMap\n  relation\(map\)"):
            ask(parse_map(TEXT))


@pytest.mark.parametrize(
    "parts",
    [
        {"constraints": [3]},
        {"constraints": [(dim(0), 1, 2)]},
        {"dims": [Variable._make((3, Interval(0, 3)))]},
        {"runtime": [("of", 3, "of")]},
    ],
)
def test_parts_of_a_map(parts: dict[str, Any]) -> None:
    given: dict[str, Any] = {"results": [0], "dims": [4], **parts}
    with pytest.raises(KindError):
        IndexingMap(**given)


def test_sizes() -> None:
    with pytest.raises(LeafError):
        from_layout([3, "a"])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]


@pytest.mark.parametrize("of", [and_, or_, add, sub, mul])
@pytest.mark.parametrize("other", [None, {}, 2.5])
def test_intervals(of: Callable[[Any, Any], object], other: Any) -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        of(Interval(0, 3), other)


def test_nothing_is_set_or_deleted() -> None:
    for value, name in ((Interval(0, 3), "lower"), (parse_map(TEXT), "results")):
        with pytest.raises(AttributeError, match="is immutable: cannot set"):
            setattr(value, name, 1)
        with pytest.raises(AttributeError, match="is immutable: cannot delete"):
            delattr(value, name)
