# SPDX-License-Identifier: Apache-2.0
"""Plans of a matrix by a vector: on the vector cores, or on the cube core with the vector as a row.

>>> plan = gemv("AtlasA2", (4096, 2048), "float")
>>> print(plan)
AtlasA2, 24 cores: z[4096] float = alpha A[4096,2048] RowMajor x[2048] + beta y[4096]
  tile      32 x 512 in UB
  policy    GemvAtlasA2
>>> plan.check().ok, len(plan.schedule()), [(f.buffer, f.needed) for f in plan.footprints]
(True, 128, [('UB', 188416)])

Source: CATLASS gemv/block/block_gemv_aiv.hpp, block_gemv_aic.hpp, gemv/tile; examples 17 and 18.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from ...errors import LayoutError, UnsupportedError
from ...ground import did_you_mean, html_of, near_words, shortened
from ...numbers import round_up
from ..arch import arch as arch_named
from ..elements import element as element_named
from ..schedules import rows
from ..shapes import GemmCoord, GemmShape, index_of, indices_of
from .defaults import default_cores
from .epilogues import epilogue
from .examples import emit_as
from .findings import Finding, Report, stage_rules
from .footprint import Footprint, Group, mmad_extents

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import SupportsIndex

    from ...ground import Steps
    from ..arch import Arch
    from ..elements import Element
    from ..schedules import Schedule
    from .programs import CppProgram

_Kind: TypeAlias = Literal["aiv", "aic"]
_Tag: TypeAlias = Literal["RowMajor", "ColumnMajor"]
_KINDS: Final = ("aiv", "aic")
_TAGS: Final = ("RowMajor", "ColumnMajor")
_LANES: Final = 64
"""The sums of a row on a vector core, which are added up at the end."""
_SLOTS: Final = (
    ("A", 0, 1 << 16),
    ("x", 1 << 17, 1 << 13),
    ("y", 9 << 14, 1 << 13),
    ("sums", 5 << 15, 1 << 14),
)
"""Each buffer in UB: where it starts, and the bytes of one of its two stages."""
_SCALARS: Final = 32
"""The elements of x that a vector core keeps as scalars, with A in ColumnMajor."""
_LENGTH: Final = 8192
"""The elements of a slot in UB behind the cube core, as example 18 has them."""


class GemvPlan(NamedTuple):
    """A plan of z = alpha A x + beta y. `gemv` makes one.

    >>> plan = gemv("AtlasA2", (100, 70), "float", "ColumnMajor", tile=(64, 32), split=2)
    >>> plan.check().ok, plan.schedule().proof().tasks
    (True, 4)
    """

    arch: Arch
    kind: _Kind
    problem: GemmCoord
    """Rows of A, 1, and columns of A."""
    element: Element
    tag: _Tag
    tile: tuple[int, int]
    """Rows and columns of a tile of A: in UB, or in L1."""
    l0: tuple[int, int]
    """The same of a tile in L0; on vector cores that of `tile`."""
    split: int
    """The number of slices of the columns."""
    cores: int

    @property
    def problems(self) -> tuple[GemmCoord, ...]:
        """What `schedule` covers."""
        return (self.problem,)

    @property
    def policy(self) -> str:
        """CATLASS's dispatch policy."""
        return "GemvAtlasA2" if self.kind == "aiv" else "MmadAtlasA2Preload<true,true>"

    def emit(self, into: str, catlass: str | Path | None = None) -> CppProgram:
        """Return an example of CATLASS with the plan's policy, tiles and layout of A.

        Its host chooses the number of slices itself.

        Args:
            into: The name of an example, as ``17_gemv_aiv``, or the path of a source.
            catlass: The folder of CATLASS; by default that of the environment's ``CATLASS``.

        Raises:
            ArgumentError: there is no such example, or no folder of CATLASS.
            UnsupportedError: the plan breaks a rule, or the example is of another architecture, element
                type or policy.
        """
        self.check().expect_legal()
        shapes = {"UBTileShape": self.tile}
        if self.kind == "aic":
            shapes = {"L1TileShape": self.tile, "L0TileShape": self.l0}
        values = {name: "GemvShape<{}, {}>".format(*shape) for name, shape in shapes.items()}
        values |= {"DispatchPolicy": f"Gemm::{self.policy}", "LayoutA": f"layout::{self.tag}"}
        parts = (f"Arch::{self.arch.tag}", self.element.name, self.policy.partition("<")[0])
        return emit_as((self.problem.m, self.problem.k), parts, values, into, catlass)

    @property
    def footprints(self) -> tuple[Footprint, ...]:
        """The stages in each buffer."""
        return self._in_ub() if self.kind == "aiv" else self._on_the_cube()

    def _in_ub(self) -> tuple[Footprint, ...]:
        size, unit = self.element.sizeof, self.arch.start_alignment("UB")
        m, n = (round_up(extent, unit // size) for extent in self.tile)
        sums = 4 * m * (_LANES if self.tag == "RowMajor" else 1)
        groups = tuple(
            Group(name, 2, start, slot, used, used)
            for (name, start, slot), used in zip(
                _SLOTS, (m * n * size, n * size, m * size, sums), strict=True
            )
        )
        return (Footprint.of(self.arch, "UB", groups, 12 << 14),)

    def _on_the_cube(self) -> tuple[Footprint, ...]:
        here, size, (m, n), (l0m, l0n) = self.arch, self.element.sizeof, self.tile, self.l0
        x, a = 16 * n * size, m * n * size
        wide = round_up(m, 16) * round_up(n, self.element.c0) * size
        l1 = (Group("x", 2, 0, x, x, x), Group("A", 2, 2 * x, a, wide, wide))
        small, large = 16 * l0n * size, round_up(l0m, 16) * l0n * size
        part, sums = 4 * l0m * l0n, 64 * round_up(m, 16)
        number = max(1, here.l0c // part)
        return (
            Footprint.of(here, "L1", l1, 2 * (x + a)),
            Footprint.of(here, "L0A", [Group("x", 2, 0, here.l0a // 2, small, small)]),
            Footprint.of(here, "L0B", [Group("A", 2, 0, here.l0b // 2, large, large)]),
            Footprint.of(here, "L0C", [Group("sums", number, 0, part, sums, sums)]),
            epilogue("gemv", _LENGTH, c="float", out=self.element).footprint(here),
        )

    def check(self) -> Report:
        """Return the report of every rule."""
        return Report(self, tuple(_rules(self)), self.footprints, None)

    def schedule(self) -> Schedule:
        """Return the schedule of the blocks of rows, on vector cores or on cube cores."""
        tall = self.tile[0]
        if self.kind == "aiv":
            tall = round_up(tall, 32 // self.element.sizeof)
        cores = self.cores * (2 if self.kind == "aiv" else 1)
        return rows(m=self.problem.m, n=self.problem.k, tile=tall, split=self.split, cores=cores)

    def figure(self) -> Steps:
        """Return the picture of the plan, as data: the stages in each buffer."""
        return self.check().figure()

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def __repr__(self) -> str:
        return (
            f"gemv({self.arch.name!r}, {(self.problem.m, self.problem.k)}, {self.element.name!r}, "
            f"{self.tag!r}, kind={self.kind!r}, tile={self.tile}, l0={self.l0}, split={self.split}, "
            f"cores={self.cores})"
        )

    def __str__(self) -> str:
        m, _, n = self.problem
        place = "UB" if self.kind == "aiv" else f"L1, {self.l0[0]} x {self.l0[1]} in L0"
        slices = f", columns in {self.split} slices" if self.split > 1 else ""
        product = f"alpha A[{m},{n}] {self.tag} x[{n}] + beta y[{m}]"
        return (
            f"{self.arch}, {self.cores} cores: z[{m}] {self.element} = {product}{slices}\n"
            f"  tile      {self.tile[0]} x {self.tile[1]} in {place}\n"
            f"  policy    {self.policy}"
        )


# --- rules ---


def _rules(plan: GemvPlan) -> Iterator[Finding]:
    text = f"the blocks of products with a vector are of 2201 (AtlasA2, AtlasA3), not of {plan.arch}"
    yield Finding.require(plan.arch.code == 2201, "architecture", text)
    is_known = plan.element.name in ("half", "float")
    text = f"a product with a vector is of half or float, not of {plan.element}"
    yield Finding.require(is_known, "element types", text, fix="Take float.")
    for found in plan.footprints:
        asserts = found.buffer in ("L1", "L0A", "L0B") and found.counted > found.capacity
        tile = "L1TileShape" if found.buffer == "L1" else "L0TileShape"
        over = (f"{tile} exceeding the {found.buffer} space!",) if asserts else ()
        yield from stage_rules(found, catlass=over)
    yield from (_on_vector_cores(plan) if plan.kind == "aiv" else _on_cube_cores(plan))


def _on_vector_cores(plan: GemvPlan) -> Iterator[Finding]:
    """TileVmad: its strides, its array of scalars, and slices only where they are added up."""
    wide = round_up(plan.tile[1], 32 // plan.element.sizeof)
    if plan.tag == "RowMajor":
        lanes = 256 // plan.element.sizeof
        text = (
            f"rows of a tile are {wide} elements apart, and MulAddDst steps by whole repeats of {lanes}"
        )
        fix = f"Take {round_up(wide, lanes)} columns."
        yield Finding.require(not wide % lanes, "tile columns", text, "UB", fix)
        yield Finding.judge(
            "slices", f"{plan.split} slices of the columns, and z is not added up", "", plan.split, 1,
            "slices", "Take split=1, or ColumnMajor.",
        )  # fmt: skip
        return
    text = f"a core keeps {wide} elements of x as scalars, in an array of {_SCALARS}"
    fix = f"Take {_SCALARS} columns."
    yield Finding.judge("tile columns", text, "", wide, _SCALARS, "elements", fix)


def _on_cube_cores(plan: GemvPlan) -> Iterator[Finding]:
    for axis, extent, most in mmad_extents(plan.arch, GemmShape(16, plan.l0[0], plan.l0[1])):
        yield Finding.judge(f"Mmad {axis}", f"{axis} is {extent}", "", extent, most, "elements")
    number = next(f for f in plan.footprints if f.buffer == "L0C").groups[0].number
    text = f"{number} tiles in L0C take as many ids of events"
    yield Finding.judge(
        "L0C events", text, "L0C", number, plan.arch.events, "events", "Take a larger tile."
    )
    half = -(-plan.tile[0] // 2)
    text = f"half a block, {half}, and a slot in UB has {_LENGTH}"
    yield Finding.judge("epilogue tile", text, "UB", half, _LENGTH, "elements", "Take fewer rows.")
    text = f"{plan.split} slices of the columns, and the cube core takes all"
    yield Finding.judge("slices", text, "", plan.split, 1, "slices", "Take split=1.")


# --- the arguments ---


def gemv(
    arch: str | Arch,
    problem: Sequence[SupportsIndex],
    element: str | Element = "float",
    tag: _Tag = "RowMajor",
    *,
    kind: _Kind = "aiv",
    tile: Sequence[SupportsIndex] | None = None,
    l0: Sequence[SupportsIndex] | None = None,
    split: SupportsIndex = 1,
    cores: SupportsIndex | None = None,
) -> GemvPlan:
    """Return the plan of a matrix by a vector, z = alpha A x + beta y.

    >>> plan = gemv("AtlasA2", (4096, 2048), "float", kind="aic")
    >>> plan.tile, plan.l0, plan.check().ok, len(plan.schedule())
    ((32, 512), (32, 256), True, 128)
    >>> tall = gemv("AtlasA2", (4096, 2048), "float", tile=(128, 128)).check()
    >>> [(found.rule, found.ranges) for found in tall.errors if found.ranges]
    [('UB overlap', ((180224, 196608),))]

    Args:
        problem: Rows and columns of A.
        tag: RowMajor or ColumnMajor, of A.
        kind: ``aiv``, on the vector cores; ``aic``, on the cube core.
        tile: Rows and columns of a tile of A in UB or L1. The default is that of CATLASS's examples.
        l0: The same in L0.
        split: The number of slices of the columns, which are added up in memory.

    Raises:
        UnsupportedError: no core, element type, kind or tag has the name.
        LayoutError: a number is below 1, or there are more slices than columns.
    """
    core = arch_named(arch)
    for given, known in ((kind, _KINDS), (tag, _TAGS)):
        if given not in known:
            wrong = shortened(str(given))
            near = did_you_mean(near_words(wrong, known), known)
            raise UnsupportedError(f"a product with a vector has no {wrong!r}", near)

    m, n = indices_of("the problem", problem, 2)
    own = (512, 32) if kind == "aiv" and tag == "ColumnMajor" else (32, 512)
    tall, wide = own if tile is None else indices_of("the tile", tile, 2)
    inner = (tall, max(16, wide // 2)) if kind == "aic" else (tall, wide)
    l0m, l0n = inner if l0 is None else indices_of("the tile in L0", l0, 2)
    slices = index_of("split", split)
    if not 1 <= slices <= n:
        raise LayoutError(f"{n} columns are cut into 1 to {n} slices, not {slices}", split=slices)
    of, count = element_named(element), default_cores(core, cores)
    return GemvPlan(core, kind, GemmCoord(m, 1, n), of, tag, (tall, wide), (l0m, l0n), slices, count)
