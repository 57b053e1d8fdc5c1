"""The arguments of a shape as plain values, or an error that names the one at fault."""

from __future__ import annotations

from operator import index
from re import compile as compile_pattern
from typing import TYPE_CHECKING, SupportsIndex, cast

from ..errors import LeafError
from ..ground import described
from ..numbers import SymbolicInt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def integer(what: str, x: object) -> int:
    """Return an int of any kind as a plain int, or raise `LeafError`."""
    if type(x) is int:  # the usual case
        return x
    if isinstance(x, bool) or not isinstance(x, SupportsIndex):
        raise LeafError(f"{what} needs an int, not {described(x)}", value=x)
    return index(x)


def sequence(what: str, xs: Iterable[object]) -> tuple[object, ...]:
    """Return the items of a sequence; a number or a text is no sequence."""
    if isinstance(xs, (int, str)):
        raise LeafError(f"{what} needs a sequence of ints, not {described(xs)}", value=xs)
    return tuple(xs)


def splits(pairs: Iterable[object]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return split configs, pairs of a physical dim and its indices, as plain ints.

    >>> splits([(0, [8, 16])])
    ((0, (8, 16)),)
    """
    out: list[tuple[int, tuple[int, ...]]] = []
    for pair in sequence("split_configs", pairs):
        if not isinstance(pair, (tuple, list)) or len(cast("Sequence[object]", pair)) != 2:
            raise LeafError(
                f"a split is a pair of a physical dim and its indices, not {pair!r}",
                "Write split_configs=[(0, (8, 16))].",
            )
        number, indices = cast("tuple[object, Iterable[object]]", pair)
        out.append((integer("a split dim", number), ints("split indices", indices)))
    return tuple(out)


def commas(items: Iterable[object]) -> str:
    """Return the items in XLA's form of a list: no blank after a comma."""
    return ",".join(map(str, items))


def numbered(texts: Iterable[str]) -> str:
    """Return texts in XLA's form: with commas, and every fifth text with its number before it."""
    return ", ".join(f"/*index={i}*/{text}" if i and not i % 5 else text for i, text in enumerate(texts))


def range_down(rank: int) -> tuple[int, ...]:
    """Return the minor-to-major order of a row-major array: the last dim changes fastest."""
    return tuple(range(rank - 1, -1, -1))


def ints(what: str, xs: Iterable[object]) -> tuple[int, ...]:
    """Return the ints of a sequence as plain ints."""
    return tuple(integer(what, x) for x in sequence(what, xs))


_BOUND = compile_pattern("<= *([0-9]{1,19})")


def dim(i: int, d: object) -> int:
    """Return the size in memory of dim ``i``: an int, the bound of ``"<=5"``, a symbol for ``"?"``."""
    if isinstance(d, SymbolicInt):
        raise LeafError(
            f"dim {i} cannot be {d}: an XLA shape has no names for its dims",
            "Write '?', or '<=5' for a size of at most 5; to_layout(shape, dims=...) takes the names.",
            value=d,
        )
    if not isinstance(d, str):
        return integer("dimensions", d)
    if d == "?":
        return unknown_size(i)
    bound = _BOUND.fullmatch(d)
    if bound is None:
        raise LeafError(f"dim {i} is an int, '<=' and a bound, or '?'; got {d!r}", value=d)
    return int(bound[1])


def unknown_size(i: int) -> int:
    """Return the size of dim ``i`` if its text is ``?``: a symbolic int."""
    from ..numbers import sym

    return cast("int", sym(f"d{i}", min=0))  # a symbolic int stands where an int stands
