# SPDX-License-Identifier: Apache-2.0
"""The orders of the blocks of a product, as values with the names of CATLASS's C++ classes.

>>> swizzle("Gemm::Block::GemmIdentityBlockSwizzle<3,1>") == GemmIdentityBlockSwizzle(3, 1)
True
>>> swizzle("column").schedule((4096, 4096, 64), (128, 256, 64), cores=20)
<ColumnBlockSwizzle: (4096,4096,64) by GemmShape<128,256,64>, 640 tasks on 20 cores>

Source: CATLASS gemm/block/block_swizzle.hpp, block_scheduler_aswt.hpp, block_scheduler_iterateK.hpp,
block_swizzle_grouped_aswt.hpp.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...errors import KindError, LayoutError, ParseError, UnsupportedError
from ...ground import (
    constexpr,
    described,
    did_you_mean,
    most_digits,
    near_words,
    shortened,
    shown,
    too_long_in,
)
from ..shapes import GemmCoord, flag, gemm_shape
from .by_k import single_core_splitk, splitk, tail_splitk
from .by_tile import column, identity, iterate_k, l1_full_load
from .groups import in_bands, in_windows
from .stream import streamk
from .tasks import CORES, direction_of, positive
from .window import aswt, group_rows, grouped_aswt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..shapes import ShapeLike
    from .groups import Axis, InGroups
    from .schedule import Schedule


class BlockSwizzle(NamedTuple):
    """A C++ class and its template arguments; `schedule` makes the schedule of a problem.

    >>> order = GemmIdentityBlockSwizzle(3, 1)
    >>> order.name, order.arguments
    ('GemmIdentityBlockSwizzle', (3, 1))
    >>> print(order, order.schedule((4096, 4096, 64), (128, 256, 64), cores=20)[25].coord)
    GemmIdentityBlockSwizzle<3,1> (8,1,0)
    """

    name: str
    arguments: tuple[int | str, ...] = ()

    def schedule(
        self,
        problem: ShapeLike,
        tile: ShapeLike,
        *,
        cores: int = CORES,
        splitk: int | None = None,
        rows: Sequence[int] = (),
    ) -> Schedule:
        """Return the schedule of a problem.

        Args:
            splitk: The number of slices of K of `SplitkGemmIdentityBlockSwizzle`; by default that of
                CATLASS's kernel.
            rows: The rows of each group, which has its own B, for a swizzle that is `grouped`.

        Raises:
            LayoutError: the swizzle does not take `splitk` or `rows`, or the problem has no such
                schedule.
        """
        kind = self._kind
        if rows and kind.several is not None:
            _, n, k = gemm_shape(problem, "problem")
            return in_groups([(m, n, k) for m in group_rows(problem, rows)], tile, self, cores=cores)
        arguments: dict[str, Any] = {}
        for word, value, is_taken in (
            ("splitk", splitk, kind.splits),
            ("rows", rows or None, kind.grouped),
        ):
            if value is None:
                continue
            if not is_taken:
                raise LayoutError(f"{self.name} takes no {word}", **{word: value})
            arguments[word] = value
        if kind.splits and splitk is None:
            arguments["splitk"] = _factor(problem, tile, cores)
        if not kind.takes_shapes:
            arguments.update(zip((p.name for p in kind.parameters), self.arguments, strict=True))
        return kind.make(problem, tile, cores=cores, **arguments)

    @property
    def _kind(self) -> _Kind:
        """What is known of the class; one that was made by hand may have another name."""
        if self.name not in _KINDS:
            raise UnsupportedError(f"{shown(self.name)} is no swizzle", _near(str(self.name)))
        return _KINDS[self.name]

    @property
    def splits(self) -> bool:
        """Whether it takes the number of slices of K."""
        return self._kind.splits

    @property
    def grouped(self) -> bool:
        """Whether it takes the rows of groups."""
        return self._kind.grouped or self._kind.several is not None

    @property
    def code(self) -> int | None:
        """The only instruction set, CATLASS_ARCH, that has kernels with it; None if several have."""
        return self._kind.code

    def __str__(self) -> str:
        if not self.arguments:
            return self.name
        words = (str(a).lower() if isinstance(a, bool) else str(a) for a in self.arguments)
        return f"{self.name}<{','.join(words)}>"


def _factor(problem: ShapeLike, tile: ShapeLike, cores: int) -> int:
    from ..decisions import splitk_factor

    tiles = gemm_shape(tile).tiles_of(GemmCoord(*gemm_shape(problem, "problem"))).k
    return min(splitk_factor(problem, tile, positive("cores", cores)), tiles)


class _Parameter(NamedTuple):
    name: str
    default: int | str


class _Kind(NamedTuple):
    """A class of CATLASS, with the function here that has its law. The function's name is its word."""

    make: Callable[..., Schedule]
    parameters: tuple[_Parameter, ...]
    splits: bool = False
    grouped: bool = False
    """Whether `make` takes the rows of groups."""
    several: Callable[..., InGroups] | None = None
    """The function of `in_groups` that gives several products this order."""
    dynamic: bool = False
    """Whether there is a Dynamic class, which takes the same arguments at run time."""
    code: int | None = None
    """The only instruction set that has kernels with it; None if several have."""

    @property
    def takes_shapes(self) -> bool:
        """Whether its arguments are names of the shapes of tiles, which `schedule` gets by itself."""
        return any(isinstance(p.default, str) for p in self.parameters)


_BANDS: Final = (_Parameter("offset", 1), _Parameter("direction", 0))
_SHAPES: Final = tuple(_Parameter(name, name) for name in ("L1TileShape", "L0TileShape"))

_KINDS: Final = {
    "GemmIdentityBlockSwizzle": _Kind(identity, _BANDS, several=in_bands, dynamic=True),
    "SplitkGemmIdentityBlockSwizzle": _Kind(splitk, _BANDS, splits=True, dynamic=True),
    "TailSplitkGemmIdentityBlockSwizzle": _Kind(tail_splitk, _BANDS),
    "StreamkGemmIdentityBlockSwizzle": _Kind(streamk, _BANDS, dynamic=True),
    "SingleCoreSplitkGemmIdentityBlockSwizzle": _Kind(
        single_core_splitk, _BANDS, dynamic=True, code=2201
    ),
    "GemmIdentityBlockSwizzleL1FullLoad": _Kind(l1_full_load, _BANDS),
    "ColumnBlockSwizzle": _Kind(column, ()),
    "BlockSchedulerIterateK": _Kind(
        iterate_k, (_Parameter("ProblemShape", "ProblemShape"), *_SHAPES), code=2201
    ),
    "BlockSchedulerAswt": _Kind(aswt, _SHAPES, several=in_windows, code=3510),
    "GemmGroupedAswtTailSplitSwizzle": _Kind(
        grouped_aswt,
        (_Parameter("window", 4), _Parameter("trans_a", False), _Parameter("trans_b", True)),
        grouped=True, code=3510,
    ),
}  # fmt: skip

WORDS: Final = {kind.make.__name__: name for name, kind in _KINDS.items()}  # ty: ignore[missing-attribute]
"""The short words that `swizzle` takes, with their classes."""


class _WithBands(NamedTuple):
    """A class with an offset and a direction.

    >>> print(GemmIdentityBlockSwizzle(3, 1))
    GemmIdentityBlockSwizzle<3,1>
    """

    name: str

    def __call__(self, offset: int = 1, direction: int = 0) -> BlockSwizzle:
        return _make_swizzle(self.name, (offset, direction))


class _Plain(NamedTuple):
    """A class without arguments, or whose arguments are names of the shapes of tiles.

    >>> print(ColumnBlockSwizzle())
    ColumnBlockSwizzle
    """

    name: str

    def __call__(self) -> BlockSwizzle:
        return BlockSwizzle(self.name, tuple(p.default for p in _KINDS[self.name].parameters))


class _WithWindow(NamedTuple):
    """A class with a window, and whether A and B are column major.

    >>> print(GemmGroupedAswtTailSplitSwizzle(window=2))
    GemmGroupedAswtTailSplitSwizzle<2,false,true>
    """

    name: str

    def __call__(self, window: int = 4, trans_a: bool = False, trans_b: bool = True) -> BlockSwizzle:
        return _make_swizzle(self.name, (window, trans_a, trans_b))


def _make_swizzle(name: str, arguments: Sequence[int]) -> BlockSwizzle:
    """The swizzle of a class with its numbers and flags, each checked by its parameter."""
    values: list[int] = []
    for parameter, value in zip(_KINDS[name].parameters, arguments, strict=True):
        if isinstance(parameter.default, bool):
            values.append(flag(f"{parameter.name} of {name}", value))
        elif parameter.name == "direction":
            values.append(direction_of(value))
        else:
            values.append(positive(parameter.name, value, name))
    return BlockSwizzle(name, tuple(values))


GemmIdentityBlockSwizzle: Final = _WithBands("GemmIdentityBlockSwizzle")
"""The swizzle of `identity`: ``GemmIdentityBlockSwizzle(3, 0)``."""
SplitkGemmIdentityBlockSwizzle: Final = _WithBands("SplitkGemmIdentityBlockSwizzle")
"""The swizzle of `splitk`; `BlockSwizzle.schedule` takes the number of slices."""
TailSplitkGemmIdentityBlockSwizzle: Final = _WithBands("TailSplitkGemmIdentityBlockSwizzle")
"""The swizzle of `tail_splitk`."""
StreamkGemmIdentityBlockSwizzle: Final = _WithBands("StreamkGemmIdentityBlockSwizzle")
"""The swizzle of `streamk`."""
SingleCoreSplitkGemmIdentityBlockSwizzle: Final = _WithBands("SingleCoreSplitkGemmIdentityBlockSwizzle")
"""The swizzle of `single_core_splitk`."""
GemmIdentityBlockSwizzleL1FullLoad: Final = _WithBands("GemmIdentityBlockSwizzleL1FullLoad")
"""The swizzle of `l1_full_load`."""
ColumnBlockSwizzle: Final = _Plain("ColumnBlockSwizzle")
"""The swizzle of `column`."""
BlockSchedulerIterateK: Final = _Plain("BlockSchedulerIterateK")
"""The scheduler of `iterate_k`; its arguments are names of the shapes of tiles."""
BlockSchedulerAswt: Final = _Plain("BlockSchedulerAswt")
"""The scheduler of `aswt`; its arguments are names of the shapes of tiles."""
GemmGroupedAswtTailSplitSwizzle: Final = _WithWindow("GemmGroupedAswtTailSplitSwizzle")
"""The swizzle of `grouped_aswt`: ``GemmGroupedAswtTailSplitSwizzle(window, trans_a, trans_b)``."""


def in_groups(
    problems: Sequence[Sequence[int]],
    tile: ShapeLike,
    order: BlockSwizzle | None = None,
    *,
    axis: Axis = "m",
    cores: int = CORES,
    fills: bool = False,
) -> InGroups:
    """Return the schedule of several products, one after another, each in the order of a swizzle.

    >>> schedule = in_groups([(256, 256, 96), (256, 256, 160)], (128, 256, 64), axis="k", cores=3)
    >>> [(task.core, task.group, task.start.k, task.end.k) for task in schedule.tasks]
    [(0, 0, 0, 96), (1, 0, 0, 96), (2, 1, 96, 256), (0, 1, 96, 256)]

    Args:
        problems: M, N and K of each product. One with an extent of 0 has no tasks.
        order: `identity`, by default with bands of one row, or `aswt`.
        axis: Along which axis the products lie end to end: ``start`` of a task counts along it.
        fills: Whether a product without K has tasks too, which fill its C with zeros.

    Raises:
        LayoutError: no kernel takes groups in that order; all products are empty; `aswt` would lose
            tiles, because it cuts the tiles of a last group that does not begin at core 0.
    """
    extents = tuple(GemmCoord(*problem) for problem in problems)
    if not any(min(problem) > 0 for problem in extents):
        raise LayoutError("all groups are empty: there is nothing to compute", groups=len(extents))
    how = GemmIdentityBlockSwizzle(1, 0) if order is None else order
    make = _KINDS[how.name].several
    if make is None:
        raise LayoutError(
            f"no kernel takes groups in the order of {how.name}",
            "Take GemmIdentityBlockSwizzle, BlockSchedulerAswt or GemmGroupedAswtTailSplitSwizzle.",
            swizzle=how.name,
        )
    return make(extents, tile, axis, cores, fills, *how.arguments)


@constexpr
def default_swizzle(problem: ShapeLike) -> BlockSwizzle:
    """Return the swizzle that CATLASS advises for a problem: bands of 3 rows if M >= N, else 3 columns.

    >>> print(default_swizzle((1024, 4096, 512)))
    GemmIdentityBlockSwizzle<3,1>

    Source: CATLASS docs/en/2_Design/01_kernel_design/02_swizzle.md, "Swizzle Policy Selection".
    """
    m, n, _ = gemm_shape(problem, "problem")
    return GemmIdentityBlockSwizzle(3, 0 if m >= n else 1)


_NAME: Final = re.compile(r"\s*(?:typename\s+)?(?:\w+\s*::\s*)*([\w-]+|(?=<))\s*")
_REST: Final = re.compile(r"(?:<(.*)>)?\s*;?\s*", re.S)
_NUMBER: Final = re.compile(r"[0-9]+[uU]?")


@constexpr
def swizzle(text: str | BlockSwizzle) -> BlockSwizzle:
    """Return the swizzle of a text: a C++ type, or a short word with or without arguments.

    >>> swizzle("identity<3,1>") == swizzle("DynamicGemmIdentityBlockSwizzle<3,1>")
    True

    Arguments alone, ``<3,1>``, are those of `identity`, as CATLASS's guides write them. A Dynamic class
    has the order of the class without that word, and gets its arguments at run time.

    Raises:
        UnsupportedError: no class has the name; the text suggests near names.
        ParseError: the arguments are not those of the class.
        LayoutError: an argument is out of its range, such as an offset of 0 or a direction of 2.
    """
    if isinstance(text, BlockSwizzle):
        return text
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise KindError(
            f"expected the text of a swizzle, as 'GemmIdentityBlockSwizzle<3,0>', got {described(text)}",
            value=text,
        )
    match = _NAME.match(text)
    word = (match[1] or "identity") if match else text
    name = WORDS.get(word.lower().replace("-", "_"), word)
    if name not in _KINDS and name.startswith("Dynamic"):
        static = name.removeprefix("Dynamic")
        name = static if static in _KINDS and _KINDS[static].dynamic else name
    if match is None or name not in _KINDS:
        raise UnsupportedError(f"{shortened(text)!r} is no swizzle", _near(word), name=text)
    rest = _REST.fullmatch(text, match.end())
    if rest is None:
        fault = "'<' is not closed" if text[match.end()] == "<" else "expected '<' or the end"
        raise ParseError(f"{fault} behind {word}", text, match.end(), len(text))
    return _with_arguments(text, name, rest[1], rest.start(1))


def _near(word: str) -> str:
    names = {name.lower(): name for name in (*WORDS, *_KINDS)}
    near = [names[key] for key in near_words(word.lower(), names)]
    return did_you_mean(near, [*WORDS, "or a C++ class, as in GemmIdentityBlockSwizzle<3,0>"])


def _with_arguments(text: str, name: str, inside: str | None, start: int) -> BlockSwizzle:
    """The swizzle of a class with the arguments in a text."""
    kind = _KINDS[name]
    parts = inside.split(",") if inside and inside.strip() else []
    if kind.takes_shapes:
        return _with_shapes(text, name, parts, start)
    if len(parts) > len(kind.parameters):
        names = ", ".join(p.name for p in kind.parameters) or "no arguments"
        raise ParseError(
            f"{name} takes {names} in < >; the text has {len(parts)}", text, start, len(text)
        )
    arguments = [p.default for p in kind.parameters if isinstance(p.default, int)]
    for i, part in enumerate(parts):
        word = part.strip().lower()
        flag = isinstance(arguments[i], bool)
        if not (word in ("true", "false", "0", "1") if flag else _NUMBER.fullmatch(word)):
            what = "true or false" if flag else "a number"
            raise ParseError(
                f"{kind.parameters[i].name} of {name} is {what}", text, start, start + max(len(part), 1)
            )
        if len(word) > most_digits():
            raise too_long_in(text, start, start + len(part), len(word))
        arguments[i] = word in ("true", "1") if flag else int(word.rstrip("u"))
        start += len(part) + 1
    return _make_swizzle(name, arguments)


def _with_shapes(text: str, name: str, parts: list[str], start: int) -> BlockSwizzle:
    """The swizzle of a class whose arguments are names of shapes; the tile has their extents."""
    shapes = [part.strip() for part in parts]
    grouped = ("true",) if name == "BlockSchedulerAswt" and shapes[2:] == ["true"] else ()
    if name == "BlockSchedulerAswt" and shapes[2:] in (["true"], ["false"]):
        shapes.pop()
    most = len(_KINDS[name].parameters)
    if len(shapes) not in (0, most) or not all(re.fullmatch(r"[A-Za-z_]\w*", part) for part in shapes):
        names = ",".join(str(p.default) for p in _KINDS[name].parameters)
        raise ParseError(
            f"{name} takes the names of {most} shapes in < >", text, start, len(text),
            f"Write {name}, or {name}<{names}>; the tile says their extents.",
        )  # fmt: skip
    return BlockSwizzle(name, (*shapes, *grouped)) if shapes else _Plain(name)()
