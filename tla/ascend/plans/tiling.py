# SPDX-License-Identifier: Apache-2.0
"""The record of a plan: its problem, elements, layouts, tiles, policy and swizzle, with their facts.

>>> from tla.ascend import gemm
>>> plan = gemm("AtlasA2", (64, 64, 64), "half", "RowMajor,ColumnMajor,RowMajor")
>>> plan.formula, plan.extents("B", plan.l0), plan.leading("B")
('C[64,64] half = A[64,64] half * B[64,64] half', (64, 256), 64)
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from ...errors import LayoutError, UnsupportedError
from ...ground import described, shown
from ...numbers import Int
from ..buffers import buffer_of, l1_tag
from ..cube import FP4
from ..elements import ELEMENTS, accumulator
from ..tags import make_layout
from .footprint import footprints
from .tile import Tile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...layouts import AnyLayout
    from ..arch import Arch
    from ..elements import Element
    from ..schedules import BlockSwizzle
    from ..shapes import GemmCoord, GemmShape
    from .dispatch import Policy
    from .epilogues import Epilogue
    from .footprint import Footprint
    from .groups import Groups
    from .scales import Scale
    from .tile import Operand

Level: TypeAlias = Literal["GM", "L1", "L0A", "L0B", "L0C", "BT", "FB"]

_LEVELS: Final[dict[str, tuple[str, ...]]] = {
    "A": ("GM", "L1", "L0A"),
    "B": ("GM", "L1", "L0B"),
    "C": ("GM", "L0C"),
    "bias": ("GM", "L1", "BT"),
    "scale": ("GM", "L1", "FB"),
}
OPERANDS: Final[tuple[Operand, ...]] = ("A", "B", "C")
LINES: Final = ("RowMajor", "ColumnMajor")
"""The tags of matrices that lie line by line, and have a leading dimension."""
BLOCKS: Final = ("PaddingRowMajor", "PaddingColumnMajor")
"""The tags of matrices that lie in blocks as large as a tile."""


class Tiling(NamedTuple):
    """The facts of a plan of C = A B, or A B + bias, for the rules, the kernels and the C++."""

    arch: Arch
    problem: GemmCoord
    a: Element
    b: Element
    c: Element
    tags: tuple[str, str, str]
    """The tags of A, B and C in global memory."""
    ld: tuple[int | None, int | None, int | None]
    """Their leading dimensions, in elements; None is the shortest."""
    l1: GemmShape
    l0: GemmShape
    policy: Policy
    swizzle: BlockSwizzle
    cores: int
    bias: Element | None = None
    groups: Groups | None = None
    """The products of a plan that has several; `problem` bounds them all."""
    scale: Scale | None = None
    epilogue: Epilogue | None = None
    """What the vector cores do with C; without it C is written as it is."""

    @property
    def accumulator(self) -> Element:
        """The element type of the sums."""
        return accumulator(self.a, self.b)

    @property
    def tiles(self) -> GemmCoord:
        """The number of tiles along each extent of the problem."""
        return self.l1.tiles_of(self.problem)

    @property
    def problems(self) -> tuple[GemmCoord, ...]:
        """The extents of each product; one may be empty."""
        return (self.problem,) if self.groups is None else self.groups.problems

    @property
    def depth(self) -> int:
        """The greatest K of a product."""
        return max(problem.k for problem in self.problems)

    def elements_of(self, operand: Operand) -> int:
        """The number of elements of an operand in global memory, of all products together."""
        apart = self.groups is not None and self.groups.apart(operand)
        problems = self.problems if apart else (self.problem,)
        return sum(prod(self.extents(operand, problem)) for problem in problems)

    def element(self, operand: Operand) -> Element:
        """The element type of an operand in global memory and L1."""
        _require_operand(operand)
        if operand == "bias":
            if self.bias is None:
                raise UnsupportedError("the plan has no bias", "Give gemm(..., bias='float').")
            return self.bias
        if operand == "scale":
            if self.scale is None or self.scale.kind != "channel":
                raise UnsupportedError("the plan has no scales", "Give gemm(..., scale='channel').")
            return ELEMENTS["uint64_t"]
        return {"A": self.a, "B": self.b, "C": self.c}[operand]

    def extents(self, operand: Operand, of: Sequence[int] | None = None) -> tuple[int, ...]:
        """The rows and columns of an operand: of the problem, or of a tile (m, n, k)."""
        _require_operand(operand)
        if of is not None and len(of) != 3:
            raise LayoutError(f"extents are m, n and k, not {described(of)}", of=of)
        m, n, k = self.problem if of is None else of
        return {"A": (m, k), "B": (k, n), "C": (m, n), "bias": (n,), "scale": (n,)}[operand]

    def layout(self, operand: Operand, level: Level = "GM") -> AnyLayout:
        """Return the layout of an operand in GM, or of a whole tile of it in a buffer.

        >>> from tla.ascend import gemm
        >>> plan = gemm("Ascend950", (1000, 600, 100), "half", "RowMajor,ColumnMajor")
        >>> print(plan.layout("B", "L1"), plan.layout("A"))
        ((_16,_8),(_16,_16)):((_1,_4096),(_16,_256)) (1000,100):(100,_1)

        Raises:
            UnsupportedError: the operand is never in that buffer.
        """
        _require_operand(operand)
        if level not in _LEVELS[operand]:
            where = f"It is in {', '.join(_LEVELS[operand])}."
            raise UnsupportedError(f"{operand} is never in {level}", where, operand=operand, level=level)
        of = self.element(operand)
        if level == "GM":
            return self._global(operand, of)
        if operand in ("bias", "scale"):
            held = self.accumulator if level == "BT" else of
            return make_layout(held, "VectorLayout", Int(self.l0.n))
        rows, cols = (Int(x) for x in self.extents(operand, self.tile_in(operand, level)))
        if level == "L1":
            return make_layout(of, l1_tag(self.tag(operand)), rows, cols)
        (tag,) = buffer_of(self.arch, level).tags
        return make_layout(self.accumulator if level == "L0C" else of, tag, rows, cols)

    def tile_in(self, operand: Operand, level: Level) -> GemmShape:
        """The tile of an operand in a buffer; its k is a product's if the policy keeps A in L1."""
        tile = self.l1 if level == "L1" else self.l0
        whole = (operand, level, self.policy.family.a_slot) == ("A", "L1", "half")
        return tile._replace(k=self.depth) if whole else tile

    def _global(self, operand: Operand, of: Element) -> AnyLayout:
        sizes, tag = self.extents(operand), self.tag(operand)
        if tag in BLOCKS:
            block = self.extents(operand, self.l1)
            return make_layout(of, tag, *sizes, block=tuple(block))
        return make_layout(of, tag, *sizes, ld=self.leading(operand) if tag in LINES else None)

    def tag(self, operand: Operand) -> str:
        """The layout tag of an operand in global memory."""
        _require_operand(operand)
        return "VectorLayout" if operand in ("bias", "scale") else self.tags["ABC".index(operand)]

    def leading(self, operand: Operand) -> int:
        """The elements from one row of RowMajor, or column of ColumnMajor, to the next; 0 if neither."""
        tag = self.tag(operand)
        if tag not in LINES:
            return 0
        ld = self.ld["ABC".index(operand)]
        rows, cols = self.extents(operand)
        least = cols if tag == "RowMajor" else rows
        if ld is None:
            return least + least % 2 if self.element(operand).name in FP4 else least
        return ld

    @property
    def tile(self) -> Tile:
        """The tile, with all facts that decide whether a block accepts it."""
        return Tile(
            self.arch, self.a, self.b, self.l1, self.l0, self.policy, self.bias, self.tags,
            self.depth, self.c, self.scale.kind if self.scale else None,
        )  # fmt: skip

    @property
    def footprints(self) -> tuple[Footprint, ...]:
        """The footprints of the tile, one for each buffer."""
        return footprints(self.tile)

    @property
    def formula(self) -> str:
        """The product in a line: extents and element types."""
        m, n, k = self.problem
        bias = f" + bias[{n}] {self.bias}" if self.bias else ""
        groups = f", {self.groups}" if self.groups else ""
        scale = f", {self.scale}" if self.scale else ""
        out = f", D[{m},{n}] {self.epilogue.out}" if self.epilogue else ""
        return (
            f"C[{m},{n}] {self.c} = A[{m},{k}] {self.a} * B[{k},{n}] {self.b}{bias}{scale}{groups}{out}"
        )

    def __str__(self) -> str:
        layouts = ", ".join(
            f"{x} {t}" + (f" ld {ld}" if ld is not None else "")
            for x, t, ld in zip("ABC", self.tags, self.ld, strict=True)
        )
        return (
            f"{self.arch}, {self.cores} cores: {self.formula}\n"
            f"  layouts   {layouts}\n"
            f"  tiles     L1 {self.l1}, L0 {self.l0}\n"
            f"  policy    {self.policy}\n"
            f"  swizzle   {self.swizzle}" + (f"\n  epilogue  {self.epilogue}" if self.epilogue else "")
        )

    def __repr__(self) -> str:
        names = (self.a.name, self.b.name, self.c.name)
        parts = [
            repr(self.arch.name), repr(tuple(self.problem)), repr(names), repr(self.tags),
            repr(tuple(self.l1)), repr(tuple(self.l0)), repr(str(self.policy)), repr(str(self.swizzle)),
        ]  # fmt: skip
        if self.bias:
            parts.append(f"bias={self.bias.name!r}")
        if any(x is not None for x in self.ld):
            parts.append(f"ld={self.ld!r}")
        if self.scale:
            kind, shape = self.scale
            parts.append(f"scale={(kind, shape)!r}")
        if self.epilogue:
            parts.append(f"epilogue={self.epilogue!r}")
        name, groups = "gemm", self.groups
        if groups is not None and groups.axis == "batch":
            name = "batched"
            parts.insert(2, str(len(groups.problems)))
        elif groups is not None:
            name, sizes = "grouped", groups.problems if groups.axis == "list" else groups.sizes
            parts[1] = "None" if groups.axis == "list" else parts[1]
            parts.insert(2, repr(tuple(tuple(x) if isinstance(x, tuple) else x for x in sizes)))
            parts += ["axis='k'"] if groups.axis == "k" else []
        return f"{name}({', '.join(parts)}, cores={self.cores})"


def _require_operand(operand: str) -> None:
    if not isinstance(operand, str) or operand not in _LEVELS:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UnsupportedError(
            f"a product has no operand {shown(operand)}",
            f"It has {', '.join(_LEVELS)}.",
            operand=operand,
        )
