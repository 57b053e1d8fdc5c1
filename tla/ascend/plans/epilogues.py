# SPDX-License-Identifier: Apache-2.0
"""Epilogues: how the vector cores go over a block of C, and what lies where in their buffer UB.

>>> dequant = epilogue("per_token_dequant", (32, 256), out="bfloat16_t")
>>> print(dequant)
EpilogueAtlasA2PerTokenDequant<2>, tiles of 32 x 256 to bfloat16_t
>>> ub = dequant.footprint("AtlasA2")
>>> ub.needed, ub.capacity, [(group.operand, group.start, group.number) for group in ub.groups][:4]
(167168, 196608, [('C', 0, 2), ('scale', 32768, 2), ('token', 33280, 2), ('D', 33344, 2)])

A row of the table below follows the constructor of a block epilogue: its slots in their order. A slot
holds a tile, half or a quarter of it, a row or a column, or a block of 32 bytes for each of its rows.
Slots of a stage follow one another, and stage follows stage. Slots without stages come last.

Source: CATLASS epilogue/dispatch_policy.hpp, epilogue/block/block_epilogue_*.hpp, epilogue/fusion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from ...errors import LayoutError, UnsupportedError
from ...ground import constexpr, did_you_mean, near_words, shortened
from ..arch import arch as arch_named
from ..elements import Element, element
from ..shapes import index_of
from .footprint import Footprint, Group

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from ..arch import Arch

Extent: TypeAlias = Literal["tile", "half", "quarter", "row", "column", "blocks"]
BLOCK: Final = 32
"""The bytes of a block of UB."""


class Slot(NamedTuple):
    """A part of UB: what it holds, the type of its elements, and how many of them."""

    name: str
    element: str
    """An element type, or the operand whose type it has: C, D, scale or token. With ``!`` and an operand
    it is a cast of the operand, absent if that has the type."""
    extent: Extent = "tile"
    staged: bool = False
    moves: Literal["", "in", "out"] = ""
    """Whether a copy brings it from global memory, or takes it there."""


class EpilogueFamily(NamedTuple):
    """A kind of epilogue: its dispatch policies, its slots, its instructions.

    >>> EPILOGUES["add"].about, [slot.name for slot in EPILOGUES["add"].slots], EPILOGUES["add"].steps
    ('D = C + X', ['C', 'X', 'D'], ('Add',))
    """

    name: str
    policies: tuple[tuple[int, str], ...]
    """CATLASS's policies, each with its instruction set; of several the first is the default."""
    slots: tuple[Slot, ...]
    steps: tuple[str, ...]
    """The vector instructions of a tile in their order, those of a loop once, with all casts."""
    c: tuple[str, ...]
    """The allowed element types of C; empty for those of D."""
    out: tuple[str, ...]
    """The allowed element types of D; empty for any."""
    about: str
    stages: int = 0
    """The default number of stages, if the policy has that parameter."""
    flat: bool = False
    """Whether a tile is any number of elements in one line, and half a block at once."""
    split: bool = True
    """Whether the two vector cores of a cube core share a block."""
    source: Literal["GM", "UB"] = "GM"
    """Where the sums come from: a workspace, or L0C directly."""

    def policy(self, code: int) -> str | None:
        """The default policy on an instruction set, or None."""
        return next((name for here, name in self.policies if here == code), None)


def _in(name: str, of: str, extent: Extent = "tile", staged: bool = True) -> Slot:
    return Slot(name, of, extent, staged, "in")


def _out(staged: bool = True) -> Slot:
    return Slot("D", "D", "tile", staged, "out")


_C, _A2, _950 = _in("C", "C"), 2201, 3510
_SCALES: Final = (_in("scale", "scale", "row"), _in("token", "token", "column"))
_FLAT: Final = (_in("C", "C", staged=False),)

_TABLE: Final = (
    EpilogueFamily(
        "add", ((_A2, "EpilogueAtlasA2ElemWiseOneSource"),),
        (*_FLAT, _in("X", "D", staged=False), _out(False)), ("Add",), (), (),
        "D = C + X", flat=True,
    ),
    *(
        EpilogueFamily(
            name, ((_A2, "EpilogueAtlasA2ElemWiseNoSource"),),
            (*_FLAT, _out(False), Slot("compute", "float!D")), steps, ("float",), (), about, flat=True,
        )
        for name, steps, about in (
            ("silu", ("Muls", "Exp", "Adds", "Div", "Cast"), "D = C / (1 + exp(-C))"),
            ("gelu", ("Mul", "Mul", "Axpy", "Muls", "Exp", "Adds", "Div", "Cast"),
             "D = C / (1 + exp(-1.595769121 (C + 0.044715 C^3)))"),
        )
    ),
    EpilogueFamily(
        "gelu_from_ub", ((_950, "EpilogueElemWiseNoSourceFromUB"),),
        (Slot("C", "C"), Slot("D", "D", "tile", True, "out")), ("Gelu",), ("float",), (),
        "as gelu, the sums from L0C", stages=2, source="UB",
    ),
    EpilogueFamily(
        "gemm", ((_A2, "EpilogueAtlasA2Gemm"),),
        (*_FLAT, _in("X", "D", staged=False), _out(False), Slot("X cast", "C!D"),
         Slot("D cast", "C!D")),
        ("Cast", "Muls", "Muls", "Add", "Cast"), ("float", "half", "bfloat16_t"), (),
        "D = alpha C + beta X", flat=True,
    ),
    EpilogueFamily(
        "gemv", ((_A2, "EpilogueAtlasA2Gemv"),),
        (*_FLAT, Slot("Y", "float", "tile", False, "in"), Slot("Z", "float", "tile", False, "out")),
        ("Muls", "Cast", "Muls", "Add", "Cast"), ("float", "half", "bfloat16_t"), (),
        "z = alpha A x + beta y", flat=True,
    ),
    EpilogueFamily(
        "per_token_dequant",
        ((_A2, "EpilogueAtlasA2PerTokenDequant"), (_A2, "EpilogueAtlasA2PerTokenDequantTla")),
        (_C, *_SCALES, _out(), Slot("C as float", "float"), Slot("scale as float", "float!scale", "row"),
         Slot("product", "float"), Slot("token as float", "float!scale", "column"),
         Slot("token blocks", "float", "blocks")),
        ("Cast", "Cast", "Cast", "Mul", "Brcb", "Mul", "Cast"), ("int32_t",),
        ("half", "bfloat16_t", "float"), "D[i,j] = C[i,j] scale[j] token[i]", stages=2,
    ),
    EpilogueFamily(
        "per_token_dequant_ub", ((_950, "EpilogueAscend950PerTokenDequantTla"),),
        (Slot("C", "C", "half", True, "out"), *_SCALES), ("Cast", "Mul", "Mul", "Cast"), ("int32_t",),
        (), "as per_token_dequant, the sums from L0C, D in their place", stages=1, source="UB",
    ),
    EpilogueFamily(
        "w4a4_dequant", ((_A2, "EpilogueAtlasA2W4A4PerTokenPerChannelDequant"),),
        (_in("C", "C", staged=False), _in("token", "float", "column", False), _out(False),
         Slot("C as float", "float"), Slot("token blocks", "float")),
        ("Cast", "Brcb", "Mul", "Cast"), ("half",), ("bfloat16_t",),
        "D[i,j] = C[i,j] token[i], C scaled by channel before",
    ),
    EpilogueFamily(
        "fixpipe", ((_950, "EpilogueAscend950Fixpipe"),), (Slot("C", "D", "tile", False, "out"),), (),
        (), (), "D = C by way of UB, whole rows at once", source="UB",
    ),
    EpilogueFamily(
        "dequant", ((_950, "BlockEpilogueDequant"),),
        (Slot("C", "C"), _in("scale", "scale", "row", False), _in("token", "token", "column", False),
         _in("bias", "float", "row", False), Slot("D 0", "D", "quarter", False, "out"),
         Slot("D 1", "D", "quarter", False, "out")),
        ("Cast", "Mul", "Mul", "Add", "Cast"), ("int32_t", "float"), (),
        "D[i,j] = C[i,j] scale[j] token[i] + bias[j], the sums from L0C", source="UB",
    ),
)  # fmt: skip

EPILOGUES: Final = {family.name: family for family in _TABLE}
"""The kinds of epilogues by their names."""

_NODES: Final = {
    "acc_load": "in", "aux_load": "in", "row_broadcast": "in", "compute": "", "cast": "",
}  # fmt: skip
"""The nodes of an EVG tree that have a part of UB; a store has none."""


class Epilogue(NamedTuple):
    """An epilogue with its tile, its stages and its element types.

    >>> epilogue("add", 16384).footprint("AtlasA2").needed
    98304
    """

    family: EpilogueFamily
    rows: int
    columns: int
    stages: int
    elements: tuple[tuple[str, Element], ...]
    """The element types of C, D, scale and token."""

    @property
    def out(self) -> Element:
        """The element type of D."""
        return dict(self.elements)["D"]

    def element(self, slot: Slot) -> Element | None:
        """The element type of a slot; None if the slot is D's own and has no bytes."""
        of = dict(self.elements)
        kind, _, cast = slot.element.partition("!")
        if cast:  # without bytes if no cast is needed
            own = of.get(kind) or element(kind)
            return None if of[cast] == own else own
        return of.get(slot.element) or element(slot.element)

    def bytes_of(self, slot: Slot) -> int:
        """The bytes of a slot, of one stage."""
        kind = self.element(slot)
        if kind is None:
            return 0
        if slot.extent == "blocks":
            return self.rows * BLOCK
        counts = {
            "tile": self.rows * self.columns,
            "half": -(-self.rows // 2) * self.columns, "quarter": -(-self.rows // 4) * self.columns,
            "row": self.columns, "column": self.rows,
        }  # fmt: skip
        return kind.bytes_of(counts[slot.extent])

    def footprint(self, arch: str | Arch) -> Footprint:
        """Return the slots in UB, as a footprint."""
        staged = [slot for slot in self.family.slots if slot.staged]
        others = [slot for slot in self.family.slots if not slot.staged]
        apart, stages = sum(map(self.bytes_of, staged)), max(1, self.stages)
        at, groups = 0, list[Group]()
        for slot in (*others, *staged) if self.family.source == "UB" else (*staged, *others):
            size = self.bytes_of(slot)
            if slot.staged:
                groups.append(Group(slot.name, stages, at, apart, size, size))
            elif size:
                groups.append(Group(slot.name, 1, at, size, size, size))
            at += size
            if staged and slot == staged[-1]:
                at += apart * (stages - 1)
        return Footprint.of(arch_named(arch), "UB", groups, at)

    @property
    def events(self) -> tuple[tuple[str, int], ...]:
        """The event ids that its slots hold, for the pipe that fills and the one that empties them."""
        stages = max(1, self.stages)
        loads = sum(s.moves == "in" for s in self.family.slots if s.staged or not self.family.flat)
        stores = sum(s.moves == "out" for s in self.family.slots)
        return ("MTE2", max(loads, 1) * stages), ("MTE3", stores * stages)

    def boxes(self, block: tuple[int, int]) -> list[tuple[int, tuple[int, int], tuple[int, int]]]:
        """The vector core, the first element and the extents of each tile of a block.

        >>> epilogue("per_token_dequant", (32, 256)).boxes((70, 256))
        [(0, (0, 0), (32, 256)), (1, (32, 0), (32, 256)), (0, (64, 0), (6, 256))]
        """
        rows, columns = self.part(block)
        if rows < block[0] or self.family.flat:  # each vector core has its rows
            halves = [(0, 0, rows), (1, rows, block[0] - rows)]
            return [(core, (at, 0), (size, columns)) for core, at, size in halves if size]
        tall, wide = self.rows, self.columns
        starts = [(i, j) for i in range(0, rows, tall) for j in range(0, columns, wide)]
        return [
            (
                number % 2 if self.family.split else 0,
                (i, j),
                (min(tall, rows - i), min(wide, columns - j)),
            )
            for number, (i, j) in enumerate(starts)
        ]

    def part(self, block: tuple[int, int]) -> tuple[int, int]:
        """The rows and columns of a block that a vector core has, the first of the two."""
        rows, columns = block
        halves = self.family.split and (self.family.flat or self.family.source == "UB")
        return (-(-rows // 2) if halves else rows), columns

    def __repr__(self) -> str:
        of = {name: kind.name for name, kind in self.elements}
        tile = self.columns if self.family.flat else (self.rows, self.columns)
        stages = f", stages={self.stages}" if self.family.stages else ""
        nodes = f", nodes={self.family.steps!r}" if self.family.name == "evg" else ""
        words = f"c={of['C']!r}, out={of['D']!r}, scale={of['scale']!r}, token={of['token']!r}"
        return f"epilogue({self.family.name!r}, {tile!r}{stages}, {words}{nodes})"

    def __str__(self) -> str:
        name = self.family.policies[0][1]
        stages = f"<{self.stages}>" if self.stages and self.family.stages else ""
        tile = (
            f"{self.columns} elements" if self.family.flat else f"tiles of {self.rows} x {self.columns}"
        )
        return f"{name}{stages}, {tile} to {self.out}"


@constexpr
def epilogue(
    name: str | EpilogueFamily,
    tile: SupportsIndex | Sequence[SupportsIndex] = (32, 256),
    *,
    stages: SupportsIndex | None = None,
    c: str | Element | None = None,
    out: str | Element = "half",
    scale: str | Element | None = None,
    token: str | Element | None = None,
    nodes: Sequence[str] = (),
) -> Epilogue:
    """Return an epilogue: what the vector cores do with a block of C.

    >>> gelu = epilogue("gelu", 16384, out="half")
    >>> [(group.operand, group.start) for group in gelu.footprint("AtlasA2").groups]
    [('C', 0), ('D', 65536), ('compute', 98304)]
    >>> epilogue("evg", 4096, nodes=("acc_load", "aux_load", "compute"), out="float").stages
    2

    Args:
        name: A name of `EPILOGUES`, or ``evg`` for a tree of visitors.
        tile: Rows and columns; the number of elements of an epilogue that takes them in one line.
        stages: The number of stages in UB, by default that of CATLASS's examples.
        c, out: The element types of C and D. The default of C is the one that the epilogue takes.
        scale, token: The element types of the scales, by default that of D, as CATLASS asserts.
        nodes: The nodes of a tree that hold a tile: ``acc_load``, ``aux_load``, ``row_broadcast``,
            ``compute``, ``cast``.

    Raises:
        UnsupportedError: there is no such epilogue or node.
        LayoutError: an extent or a number of stages is below 1, or the epilogue has no stages or nodes.
    Source: CATLASS epilogue/block; fusion/tree_visitor.hpp.
    """
    family = name if isinstance(name, EpilogueFamily) else _family(name, nodes)
    if nodes and family.name != "evg":
        raise LayoutError(f"{family.name} has no nodes", "evg takes them.", nodes=tuple(nodes))
    sizes: Any = tile if isinstance(tile, (tuple, list)) else (tile,)
    extents = [index_of("an extent of the tile", x) for x in sizes]
    if len(extents) not in (1, 2) or min(extents, default=0) < 1:
        raise LayoutError(f"a tile of an epilogue has rows and columns of at least 1, not {extents}")
    rows, columns = (1, extents[0]) if len(extents) == 1 else extents
    if family.flat:
        rows, columns = 1, rows * columns
    count = family.stages if stages is None else index_of("stages", stages)
    if stages is not None and not family.stages:
        takers = ", ".join(name for name, each in EPILOGUES.items() if each.stages)
        text = f"{family.name} has no stages, and {count} are given"
        raise LayoutError(text, f"Leave stages out; {takers} and evg take them.", stages=count)
    if family.stages and count < 1:
        raise LayoutError(f"{family.name} has at least one stage, not {count}", stages=count)
    d = element(out)
    sums = element(c) if c is not None else (element(family.c[0]) if family.c else d)
    of_scale = element(scale) if scale is not None else d
    of_token = element(token) if token is not None else of_scale
    elements = (("C", sums), ("D", d), ("scale", of_scale), ("token", of_token))
    return Epilogue(family, rows, columns, count, elements)


def _family(name: str, nodes: Sequence[str]) -> EpilogueFamily:
    if name == "evg":
        wrong = [node for node in nodes if node not in _NODES]
        if wrong or not nodes:
            what = (
                f"{shortened(str(wrong[0]))!r} is no node" if wrong else "an EVG has at least one node"
            )
            raise UnsupportedError(
                f"{what} of a tree", f"Known: {', '.join(_NODES)}.", nodes=tuple(nodes)
            )
        slots = [
            Slot(f"{node} {i}", "D", "tile", True, "in" if _NODES[node] else "")
            for i, node in enumerate(nodes)
        ]
        return EpilogueFamily(
            "evg", ((_A2, "EpilogueVisitor"), (_950, "EpilogueVisitor")), tuple(slots), tuple(nodes), (),
            (), "a tree of visitors", stages=2, flat=True,
        )  # fmt: skip
    if name not in EPILOGUES:
        near = near_words(str(name).lower(), EPILOGUES)
        raise UnsupportedError(
            f"{shortened(str(name))!r} is no epilogue",
            did_you_mean(near, [*EPILOGUES, "evg"]),
            name=name,
        )
    return EPILOGUES[name]
