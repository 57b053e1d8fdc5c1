"""What orders the blocks of a product, as values with the names of CATLASS's C++ classes.

>>> swizzle("Gemm::Block::GemmIdentityBlockSwizzle<3,1>") == GemmIdentityBlockSwizzle(3, 1)
True
>>> swizzle("column").schedule((4096, 4096, 64), (128, 256, 64), cores=20)
<ColumnBlockSwizzle: (4096,4096,64) by GemmShape<128,256,64>, 640 tasks on 20 cores>

Source: CATLASS gemm/block/block_swizzle.hpp, block_scheduler_aswt.hpp, block_scheduler_iterateK.hpp,
block_swizzle_grouped_aswt.hpp.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

from ...errors import LayoutError, ParseError, UnsupportedError
from ...text import shortened
from ..shapes import GemmCoord, gemm_shape
from .schedule import CORES, Schedule, count, direction_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..shapes import ShapeLike

__all__ = [
    "WORDS",
    "BlockSchedulerAswt",
    "BlockSchedulerIterateK",
    "ColumnBlockSwizzle",
    "GemmGroupedAswtTailSplitSwizzle",
    "GemmIdentityBlockSwizzle",
    "GemmIdentityBlockSwizzleL1FullLoad",
    "SingleCoreSplitkGemmIdentityBlockSwizzle",
    "SplitkGemmIdentityBlockSwizzle",
    "StreamkGemmIdentityBlockSwizzle",
    "Swizzle",
    "TailSplitkGemmIdentityBlockSwizzle",
    "default_swizzle",
    "swizzle",
]


class Swizzle(NamedTuple):
    """A C++ class and its template arguments; `schedule` makes the schedule of a problem."""

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
            splitk: Into how many slices `SplitkGemmIdentityBlockSwizzle` cuts K; as many as CATLASS's
                kernel takes where nothing is said.
            rows: The rows of each group of `GemmGroupedAswtTailSplitSwizzle`.

        Raises:
            LayoutError: one of the two is given to another swizzle; or the problem has no such schedule.
        """
        kind = _KINDS[self.name]
        given: dict[str, object] = {}
        for word, value, taken in (
            ("splitk", splitk, kind.splits),
            ("rows", rows or None, kind.grouped),
        ):
            if value is not None and not taken:
                raise LayoutError(f"{self.name} takes no {word}", **{word: value})
            if taken and value is not None:
                given[word] = value
        if kind.splits and splitk is None:
            given["splitk"] = _factor(problem, tile, cores)
        if kind.parameters and kind.parameters[0].name != _TILE:
            given.update(zip((p.name for p in kind.parameters), self.arguments, strict=True))
        make = getattr(import_module(f".{kind.module}", __package__), kind.function)
        found = make(problem, tile, cores=cores, **given)
        assert isinstance(found, Schedule)
        return found

    @property
    def splits(self) -> bool:
        """Whether it takes a factor into which K is cut."""
        return _KINDS[self.name].splits

    @property
    def grouped(self) -> bool:
        """Whether it takes the rows of groups."""
        return _KINDS[self.name].grouped

    def __str__(self) -> str:
        if not self.arguments:
            return self.name
        shown = (str(a).lower() if isinstance(a, bool) else str(a) for a in self.arguments)
        return f"{self.name}<{','.join(shown)}>"


def _factor(problem: ShapeLike, tile: ShapeLike, cores: int) -> int:
    from ..decisions import splitk_factor

    tiles = gemm_shape(tile).tiles_of(GemmCoord(*gemm_shape(problem, "problem"))).k
    return min(splitk_factor(problem, tile, count("cores", cores)), tiles)


class _Parameter(NamedTuple):
    name: str
    default: int | str


class _Kind(NamedTuple):
    """A class of CATLASS: its short word, and the function here that has its law."""

    word: str
    module: str
    function: str
    parameters: tuple[_Parameter, ...]
    splits: bool = False
    grouped: bool = False
    dynamic: bool = False
    """Whether there is a Dynamic class, which takes the same at run time."""


_TILE: Final = "L1TileShape"
_BANDS: Final = (_Parameter("offset", 1), _Parameter("direction", 0))
_SHAPES: Final = (_Parameter(_TILE, _TILE), _Parameter("L0TileShape", "L0TileShape"))

_KINDS: Final = {
    "GemmIdentityBlockSwizzle": _Kind("identity", "by_tile", "identity", _BANDS, dynamic=True),
    "SplitkGemmIdentityBlockSwizzle": _Kind(
        "splitk", "by_k", "splitk", _BANDS, splits=True, dynamic=True
    ),
    "TailSplitkGemmIdentityBlockSwizzle": _Kind("tail_splitk", "by_k", "tail_splitk", _BANDS),
    "StreamkGemmIdentityBlockSwizzle": _Kind("streamk", "stream", "streamk", _BANDS, dynamic=True),
    "SingleCoreSplitkGemmIdentityBlockSwizzle": _Kind(
        "single_core_splitk", "by_k", "single_core_splitk", _BANDS, dynamic=True
    ),
    "GemmIdentityBlockSwizzleL1FullLoad": _Kind("l1_full_load", "by_tile", "l1_full_load", _BANDS),
    "ColumnBlockSwizzle": _Kind("column", "by_tile", "column", ()),
    "BlockSchedulerIterateK": _Kind(
        "iterate_k", "by_tile", "iterate_k", (_Parameter(_TILE, "ProblemShape"), *_SHAPES)
    ),
    "BlockSchedulerAswt": _Kind("aswt", "window", "aswt", _SHAPES),
    "GemmGroupedAswtTailSplitSwizzle": _Kind(
        "grouped_aswt", "window", "grouped_aswt",
        (_Parameter("window", 4), _Parameter("trans_a", False), _Parameter("trans_b", True)),
        grouped=True,
    ),
}  # fmt: skip

WORDS: Final = {kind.word: name for name, kind in _KINDS.items()}
"""The short words that `swizzle` takes, and the classes that they mean."""


class _Banded(NamedTuple):
    """A class with an offset and a direction."""

    name: str

    def __call__(self, offset: int = 1, direction: int = 0) -> Swizzle:
        return Swizzle(self.name, (count("offset", offset), direction_of(direction)))


class _Plain(NamedTuple):
    """A class whose arguments are the shapes of tiles, by name, or that has none."""

    name: str

    def __call__(self) -> Swizzle:
        return Swizzle(self.name, tuple(p.default for p in _KINDS[self.name].parameters))


class _Windowed(NamedTuple):
    """A class with a window, and whether A and B are column major."""

    name: str

    def __call__(self, window: int = 4, trans_a: bool = False, trans_b: bool = True) -> Swizzle:
        return Swizzle(self.name, (count("window", window), bool(trans_a), bool(trans_b)))


GemmIdentityBlockSwizzle: Final = _Banded("GemmIdentityBlockSwizzle")
"""The swizzle of `identity`: ``GemmIdentityBlockSwizzle(3, 0)``."""
SplitkGemmIdentityBlockSwizzle: Final = _Banded("SplitkGemmIdentityBlockSwizzle")
"""The swizzle of `splitk`; the factor is given where a problem is scheduled."""
TailSplitkGemmIdentityBlockSwizzle: Final = _Banded("TailSplitkGemmIdentityBlockSwizzle")
"""The swizzle of `tail_splitk`."""
StreamkGemmIdentityBlockSwizzle: Final = _Banded("StreamkGemmIdentityBlockSwizzle")
"""The swizzle of `streamk`."""
SingleCoreSplitkGemmIdentityBlockSwizzle: Final = _Banded("SingleCoreSplitkGemmIdentityBlockSwizzle")
"""The swizzle of `single_core_splitk`."""
GemmIdentityBlockSwizzleL1FullLoad: Final = _Banded("GemmIdentityBlockSwizzleL1FullLoad")
"""The swizzle of `l1_full_load`."""
ColumnBlockSwizzle: Final = _Plain("ColumnBlockSwizzle")
"""The swizzle of `column`."""
BlockSchedulerIterateK: Final = _Plain("BlockSchedulerIterateK")
"""The scheduler of `iterate_k`; its shapes are those of the tiles, by their names."""
BlockSchedulerAswt: Final = _Plain("BlockSchedulerAswt")
"""The scheduler of `aswt`; its shapes are those of the tiles, by their names."""
GemmGroupedAswtTailSplitSwizzle: Final = _Windowed("GemmGroupedAswtTailSplitSwizzle")
"""The swizzle of `grouped_aswt`: ``GemmGroupedAswtTailSplitSwizzle(window, trans_a, trans_b)``."""


def default_swizzle(problem: ShapeLike) -> Swizzle:
    """Return what CATLASS advises for a problem: bands of 3, of rows if M >= N, of columns if not.

    >>> print(default_swizzle((1024, 4096, 512)))
    GemmIdentityBlockSwizzle<3,1>

    Source: CATLASS docs/en/2_Design/01_kernel_design/02_swizzle.md, "Swizzle Policy Selection".
    """
    m, n, _ = gemm_shape(problem, "problem")
    return GemmIdentityBlockSwizzle(3, 0 if m >= n else 1)


_TEXT: Final = re.compile(r"\s*(?:typename\s+)?(?:\w+\s*::\s*)*([\w-]+)\s*(?:<(.*)>)?\s*;?\s*", re.S)


def swizzle(text: str | Swizzle) -> Swizzle:
    """Return the swizzle of a text: a C++ type, or a short word with or without arguments.

    >>> swizzle("identity<3,1>") == swizzle("DynamicGemmIdentityBlockSwizzle<3,1>")
    True

    A Dynamic class orders blocks as the one without the word, by arguments given at run time.

    Raises:
        UnsupportedError: no such class is known.
        ParseError: its arguments are not those of the class.
        LayoutError: an argument is none that the class takes: an offset of 0, a direction of 2.
    """
    if isinstance(text, Swizzle):
        return text
    match = _TEXT.fullmatch(text)
    word = match[1] if match else text
    name = WORDS.get(word.lower().replace("-", "_"), word)
    if name not in _KINDS and name.startswith("Dynamic"):
        static = name.removeprefix("Dynamic")
        name = static if static in _KINDS and _KINDS[static].dynamic else name
    if match is None or name not in _KINDS:
        raise UnsupportedError(
            f"{shortened(text)!r} is no swizzle",
            f"Known: {', '.join(WORDS)}; or a C++ class, as in GemmIdentityBlockSwizzle<3,0>.",
            name=text,
        )
    return _with_arguments(text, name, match[2], match.start(2))


def _with_arguments(text: str, name: str, inside: str | None, start: int) -> Swizzle:
    """The swizzle of a class and the text of its arguments."""
    kind = _KINDS[name]
    parts = inside.split(",") if inside and inside.strip() else []
    if kind.parameters and isinstance(kind.parameters[0].default, str):
        return _with_shapes(text, name, parts, start)
    if len(parts) > len(kind.parameters):
        names = ", ".join(p.name for p in kind.parameters) or "none"
        raise ParseError(f"{name} takes {names} in < >, not {len(parts)}", text, start, len(text))
    arguments = [p.default for p in kind.parameters]
    for i, part in enumerate(parts):
        written = part.strip().lower()
        flag = isinstance(arguments[i], bool)
        if not (
            written in ("true", "false", "0", "1") if flag else re.fullmatch(r"[0-9]+[uU]?", written)
        ):
            what = "true or false" if flag else "a number"
            raise ParseError(
                f"{kind.parameters[i].name} of {name} is {what}", text, start, start + max(len(part), 1)
            )
        arguments[i] = written in ("true", "1") if flag else int(written.rstrip("u"))
        start += len(part) + 1
    return _checked(name, arguments)


def _checked(name: str, arguments: list[int | str]) -> Swizzle:
    for parameter, value in zip(_KINDS[name].parameters, arguments, strict=True):
        if parameter.name in ("offset", "window"):
            count(parameter.name, int(value))
        elif parameter.name == "direction":
            direction_of(int(value))
    return Swizzle(name, tuple(arguments))


def _with_shapes(text: str, name: str, parts: list[str], start: int) -> Swizzle:
    """The swizzle of a class whose arguments are shapes, by name: the tile says them, given apart."""
    found = [part.strip() for part in parts]
    if name == "BlockSchedulerAswt" and len(found) == 3 and found[2] == "true":
        raise UnsupportedError(
            "the grouped form of BlockSchedulerAswt has no schedule: it cuts the last turn as if it"
            " began at core 0, and loses tiles where it does not",
            "GemmGroupedAswtTailSplitSwizzle is right there.",
            name=text,
        )
    if name == "BlockSchedulerAswt" and len(found) == 3 and found[2] == "false":
        found.pop()
    most = len(_KINDS[name].parameters)
    if len(found) not in (0, most) or not all(re.fullmatch(r"[A-Za-z_]\w*", part) for part in found):
        names = ",".join(str(p.default) for p in _KINDS[name].parameters)
        raise ParseError(
            f"{name} takes the names of {most} shapes in < >", text, start, len(text),
            f"Write {name}, or {name}<{names}>; the tile says their extents.",
        )  # fmt: skip
    return Swizzle(name, tuple(found)) if found else _Plain(name)()
