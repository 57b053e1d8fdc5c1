# SPDX-License-Identifier: Apache-2.0
"""Plans of attention: O = softmax(scale Q K^T) V, tile by tile through L1, L0 and UB.

>>> plan = attention("AtlasA2", heads=32, kv_heads=8, q=1024, kv=4096, head=128)
>>> print(plan)
AtlasA2, 24 cores: O[1,32,1024,128] half = softmax(Q K^T) V, 4096 columns, 8 heads of K and V
  tile      128 rows of Q, 128 columns of K, head 128
  blocks    MmadAtlasA2FAIQK, EpilogueAtlasA2OnlineSoftmax, MmadAtlasA2FAIPV, EpilogueAtlasA2RescaleO
>>> plan.check().ok, plan.schedule().proof().tasks, [(f.buffer, f.needed) for f in plan.footprints]
(True, 256, [('L1', 294912), ('L0A', 65536), ('L0B', 65536), ('L0C', 131072), ('UB', 196608)])

Two products and two epilogues share the buffers of a core: S = Q K^T goes to the softmax, P comes back
to the product with V, and O is rescaled while the tiles of K go by. Each kind of attention is a row of
the table below: its blocks, and the places that their constructors give to stages.

Source: CATLASS gemm/block/block_mmad_fai_*.hpp, block_mmad_mla_*_tp1_spec.hpp,
block_mmad_flash_attention_*.hpp; epilogue/block/block_epilogue_online_softmax_no_mask.hpp and others;
examples 19, 23, 40, 49 and 70.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from ...errors import LayoutError, UnsupportedError
from ...ground import did_you_mean, html_of, near_words, shortened
from ...numbers import round_up
from ..arch import arch as arch_named
from ..elements import element as element_named
from ..schedules import Schedule, heads as heads_of
from ..shapes import GemmCoord, GemmShape, flag, gemm_shape, index_of
from ..tags import make_layout
from .defaults import default_cores
from .examples import emit_as
from .findings import Finding, Report, copy_rule, stage_rules
from .footprint import Footprint, Group, mmad_extents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import SupportsIndex

    from ...ground import Steps
    from ..arch import Arch
    from ..elements import Element
    from ..shapes import ShapeLike
    from .footprint import Buffer
    from .programs import CppProgram

_Slots: TypeAlias = "list[tuple[str, int, int, int, int]]"
"""An operand, its stages, the start of the first, the bytes from one to the next, and their own."""

_BLOCK, _LINE = 16384, 1024


class Kind(NamedTuple):
    """A kind of attention: its blocks on an instruction set, and the places of its stages."""

    name: str
    code: int
    blocks: tuple[str, str, str, str]
    """The policies of Q K^T, of the softmax, of P V and of the rescaling."""
    tile: GemmShape
    l1: Callable[[AttentionPlan], _Slots]
    ub: Callable[[AttentionPlan], _Slots]
    l0c_stages: int
    about: str
    words: str
    """The command line of CATLASS's example."""
    value_head: int = 0
    """The size of a head of V, if it is fixed; the rest of K's head is the position's."""


class AttentionPlan(NamedTuple):
    """A plan of attention. `attention` makes one.

    >>> plan = attention("Ascend950", heads=8, q=512, kv=512, head=128)
    >>> plan.kind.name, plan.products[0], plan.check().ok
    ('fa', GemmCoord(m=512, n=512, k=128), True)
    """

    arch: Arch
    kind: Kind
    batch: int
    heads: int
    kv_heads: int
    q: int
    """The length of the sequence of Q."""
    kv: int
    """The length of the sequence of K and V."""
    head: int
    """The size of a head of Q and K."""
    element: Element
    tile: GemmShape
    """Rows of Q, columns of K, and the size of a head, in L1."""
    cores: int
    masked: bool = False

    @property
    def value_head(self) -> int:
        """The size of a head of V and O."""
        return self.kind.value_head or self.head

    @property
    def products(self) -> tuple[GemmCoord, GemmCoord]:
        """The extents of S = Q K^T and of O = P V, of one head."""
        return GemmCoord(self.q, self.kv, self.head), GemmCoord(self.q, self.value_head, self.kv)

    @property
    def problems(self) -> tuple[GemmCoord, ...]:
        """What `schedule` covers: heads, rows of Q and columns of K."""
        return (GemmCoord(self.batch * self.heads, self.q, self.kv),)

    @property
    def footprints(self) -> tuple[Footprint, ...]:
        """The stages of both products and of both epilogues in each buffer."""
        here, (m, n, k), of = self.arch, self.tile, self.element
        part = min(k, 128)
        sums, stages = 4 * m * max(n, min(self.value_head, 128)), self.kind.l0c_stages
        slots: dict[Buffer, _Slots] = {
            "L1": self.kind.l1(self),
            "L0A": [("Q, P", 2, 0, here.l0a // 2, of.bytes_of(m * max(part, min(n, 128))))],
            "L0B": [("K, V", 2, 0, here.l0b // 2, of.bytes_of(max(n, 128) * part))],
            "L0C": [("S, O", stages, 0, here.l0c // stages, sums)],
            "UB": self.kind.ub(self),
        }
        return tuple(_footprint(here, buffer, each) for buffer, each in slots.items())

    def check(self) -> Report:
        """Return the report of every rule."""
        return Report(self, tuple(_rules(self)), self.footprints, None)

    def schedule(self) -> Schedule:
        """Return the schedule of the blocks of Q on the cores.

        Raises:
            LayoutError: the heads of Q do not share those of K and V evenly.
        """
        groups = self.kv_heads
        if self.heads % groups:
            raise LayoutError(_uneven(self), heads=self.heads, kv_heads=groups)
        return heads_of(
            batch=self.batch, groups=groups, size=self.heads // groups, rows=self.q,
            columns=self.kv, tile=self.tile, cores=self.cores,
        )  # fmt: skip

    def emit(self, into: str, catlass: str | Path | None = None) -> CppProgram:
        """Return an example of CATLASS, with the words that start it with the plan's heads and lengths.

        The tiles of such an example are written into its kernel and its host, so they stay.

        Args:
            into: The name of an example, as ``23_flash_attention_infer``, or the path of a source.
            catlass: The folder of CATLASS; by default that of the environment's ``CATLASS``.

        Raises:
            ArgumentError: there is no such example, or no folder of CATLASS.
            UnsupportedError: the plan breaks a rule, the example is of another kind, or the plan's tile
                is not the example's.
        """
        self.check().expect_legal()
        if self.tile != self.kind.tile:
            fix = f"Take {tuple(self.kind.tile)}, or edit its kernel and its tiling by hand."
            raise UnsupportedError(f"an example has no tile of {tuple(self.tile)}", fix, tile=self.tile)
        each = {x: ",".join([str(getattr(self, x))] * self.batch) for x in ("q", "kv")}
        words = self.kind.words.format(
            **self._asdict(), value_head=self.value_head, q_of_each=each["q"], kv_of_each=each["kv"],
            pages=self.batch * -(-self.kv // 128),
            dtype="half" if self.element.name == "half" else "bf16",
        )  # fmt: skip
        parts = (f"Arch::{self.arch.tag}", *self.kind.blocks)
        return emit_as(words.split(), parts, {}, into, catlass)

    def figure(self) -> Steps:
        """Return the picture of the plan, as data: the stages in each buffer."""
        return self.check().figure()

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def __repr__(self) -> str:
        return (
            f"attention({self.arch.name!r}, batch={self.batch}, heads={self.heads}, "
            f"kv_heads={self.kv_heads}, q={self.q}, kv={self.kv}, head={self.head}, "
            f"element={self.element.name!r}, kind={self.kind.name!r}, tile={tuple(self.tile)}, "
            f"cores={self.cores}, masked={self.masked})"
        )

    def __str__(self) -> str:
        out = f"O[{self.batch},{self.heads},{self.q},{self.value_head}] {self.element}"
        return (
            f"{self.arch}, {self.cores} cores: {out} = softmax(Q K^T) V, {self.kv} columns, "
            f"{self.kv_heads} heads of K and V\n"
            f"  tile      {self.tile.m} rows of Q, {self.tile.n} columns of K, head {self.tile.k}\n"
            f"  blocks    {', '.join(self.kind.blocks)}"
        )


def _footprint(arch: Arch, buffer: Buffer, slots: _Slots) -> Footprint:
    groups = [Group(name, n, at, apart, size, size) for name, n, at, apart, size in slots]
    return Footprint.of(arch, buffer, groups)


def _chain(*parts: tuple[str, int, int, int]) -> _Slots:
    """Slots one behind another: an operand, its stages, the bytes reserved for each, the bytes used."""
    at, slots = 0, list[tuple[str, int, int, int, int]]()
    for name, stages, reserved, used in parts:
        slots.append((name, stages, at, reserved, used))
        at += stages * reserved
    return slots


def _sizes(plan: AttentionPlan) -> tuple[int, int, int, int, int]:
    """The bytes that the constructors reserve for Q, K and P, and those that Q and K, V take."""
    (m, n, k), of = plan.tile, plan.element
    wide = round_up(plan.head, 16)
    tall = round_up(m, 16)
    return (
        of.bytes_of(m * k),
        of.bytes_of(n * k),
        of.bytes_of(m * n),
        of.bytes_of(tall * wide),
        (of.bytes_of(round_up(n, 16) * min(wide, 128))),
    )


def _fai_l1(plan: AttentionPlan) -> _Slots:
    q, k, _, q_used, k_used = _sizes(plan)
    p_used = plan.element.bytes_of(round_up(plan.tile.m, 16) * round_up(plan.tile.n, 16))
    return _chain(("Q", 1, q, q_used), ("K", 2, k, k_used), ("P", 4, q, p_used), ("V", 2, k, k_used))


def _fai_ub(plan: AttentionPlan) -> _Slots:
    rows = plan.tile.m // 2
    out = 4 * rows * round_up(plan.value_head, 16)
    lines = [("row sums", 8), ("max of a tile", 1), ("max", 1), ("max so far", 1), ("sum", 1),
             ("sum so far", 1), ("rescale", 3)]  # fmt: skip
    slots: _Slots = [
        ("S", 2, 0, 2 * _BLOCK, 2 * _BLOCK), ("P", 2, 4 * _BLOCK, _BLOCK, _BLOCK),
        ("O of a tile", 1, 6 * _BLOCK, 2 * _BLOCK, out), ("O", 1, 8 * _BLOCK, 2 * _BLOCK, out),
    ]  # fmt: skip
    at = 10 * _BLOCK
    for name, count in lines:
        slots.append((name, 1, at, count * _LINE, max(count * _LINE, 4 * rows)))
        at += count * _LINE
    return [*slots, ("mask", 1, 11 * _BLOCK, _BLOCK, _BLOCK)]


def _mla_l1(plan: AttentionPlan) -> _Slots:
    (m, n, k), of = plan.tile, plan.element
    q = of.bytes_of(m * k)
    rope = of.bytes_of(n * 64)
    wide, deep = of.bytes_of(n * 256), of.bytes_of(n * 128)
    slots = _chain(
        ("Q", 1, q, of.bytes_of(m * round_up(plan.head, 16))),
        ("K", 2, wide, wide),
        ("position of K", 2, rope, rope),
    )
    pv = 311296
    p = of.bytes_of(m * n)
    return [*slots, ("V", 2, pv, deep, deep), ("P", 2, pv + 2 * deep, p, p)]


def _mla_ub(plan: AttentionPlan) -> _Slots:
    del plan
    return _chain(
        ("S", 1, 4 * _BLOCK, 4 * _BLOCK), ("O of a tile", 1, 2 * _BLOCK, 2 * _BLOCK),
        ("statistics", 1, 2 * _BLOCK, 2 * _BLOCK), ("O", 1, 2 * _BLOCK, 2 * _BLOCK),
        ("row sums", 1, 2 * _BLOCK, 2 * _BLOCK),
    )  # fmt: skip


def _fa_l1(plan: AttentionPlan) -> _Slots:
    q, k, p, q_used, k_used = _sizes(plan)
    return _chain(("P", 3, p, p), ("Q", 2, q, q_used), ("K", 2, k, k_used), ("V", 2, k, k_used))


def _fa_ub(plan: AttentionPlan) -> _Slots:
    (m, n, k), of = plan.tile, plan.element
    half = m // 2
    s, o, stat = 4 * half * n, 4 * half * round_up(k, 64), 4 * half
    p, mask = of.bytes_of(half * n), half * n if plan.masked else 0
    used = 4 * half * round_up(plan.value_head, 64)
    slots: _Slots = [("S", 2, 0, s + o, s), ("O of a tile", 2, s, s + o, used)]
    at = 2 * (s + o)
    for i, name in enumerate(("sum", "exp", "max")):
        slots.append((name, 3, at + i * stat, 3 * stat, stat))
    at += 9 * stat
    slots += [("sum of a tile", 1, at, stat, stat), ("max of a tile", 1, at + stat, stat, stat)]
    at += 2 * stat
    slots.append(("P", 2, at, p + mask, p))
    if mask:
        slots.append(("mask", 2, at + p, p + mask, mask))
    return [
        *slots,
        ("O", 1, at + 2 * (p + mask), 4 * half * k, 4 * half * round_up(plan.value_head, 16)),
    ]


def _chunk_l1(plan: AttentionPlan) -> _Slots:
    q, k, p, q_used, k_used = _sizes(plan)
    return _chain(("Q", 1, q, q_used), ("K", 2, k, k_used), ("P", 3, p, p), ("V", 2, k, k_used))


def _chunk_ub(plan: AttentionPlan) -> _Slots:
    rows, double = plan.tile.m // 2, 2 * _BLOCK
    out, stat = 4 * rows * round_up(plan.value_head, 16), 4 * 64
    slots: _Slots = [
        ("S", 2, 0, double, 4 * rows * plan.tile.n),
        ("P", 2, 2 * double, double, 2 * rows * plan.tile.n),
        ("O of a tile", 2, 4 * double, double, out), ("O", 1, 6 * double, double, out),
    ]  # fmt: skip
    at = 7 * double
    for name, count in (("max", 1), ("max so far", 1), ("rescale", 3), ("sum", 1), ("sum so far", 1)):
        slots.append((name, count, at, stat, 4 * rows))
        at += count * stat
    return slots


_SQUARE: Final = GemmShape(128, 128, 128)
KINDS: Final = {
    (kind.name, kind.code): kind
    for kind in (
        Kind(
            "fa", 2201,
            ("MmadAtlasA2FAIQK", "EpilogueAtlasA2OnlineSoftmax", "MmadAtlasA2FAIPV",
             "EpilogueAtlasA2RescaleO"),
            _SQUARE, _fai_l1, _fai_ub, 2, "flash attention of inference",
            "{batch} {q} {kv} {heads} {kv_heads} {head} 0 {masked:d} --dtype {dtype}",
        ),
        Kind(
            "mla", 2201,
            ("MmadAtlasA2MLAQKTp1Spec", "EpilogueAtlasA2AMLATP1Softmax", "MmadAtlasA2AMLAPVTp1Spec",
             "EpilogueAtlasA2AMLATP1RescaleO"),
            GemmShape(128, 128, 576), _mla_l1, _mla_ub, 2, "attention over latent vectors",
            "{batch} {q_of_each} {kv_of_each} {heads} {pages} 128 --dtype {dtype}", 512,
        ),
        Kind(
            "fa", 3510,
            ("MmadFAIQK", "EpilogueAscend950FASoftmax", "MmadFAIPV", "EpilogueAscend950FARescaleO"),
            _SQUARE, _fa_l1, _fa_ub, 4, "flash attention, the sums to UB",
            "{batch} {q} {kv} {heads} {kv_heads} {head} 0 {masked:d} 0 --dtype {dtype}",
        ),
        Kind(
            "chunk", 3510,
            ("MmadFlashAttentionQK", "EpilogueFAOnlineSoftmax", "MmadFlashAttentionPV",
             "EpilogueFARescaleO"),
            _SQUARE, _chunk_l1, _chunk_ub, 4, "flash attention of prefills in chunks",
            "{batch} {q} {kv} {heads} {kv_heads} {head} {value_head} 0 {pages} 128 --dtype {dtype}",
        ),
    )
}  # fmt: skip
"""The kinds of attention, by name and instruction set."""


# --- rules ---


def _rules(plan: AttentionPlan) -> Iterator[Finding]:
    yield Finding("architecture", "holds", f"{plan.kind.about} on {plan.arch.code}")
    of = plan.element.name
    takes = ("half", "bfloat16_t")
    text = f"attention of {of}: CATLASS's blocks take half and bfloat16_t"
    yield Finding.require(of in takes, "element types", text, fix="Take half.")
    if plan.heads % plan.kv_heads:
        text = _uneven(plan)
        near = plan.kv_heads * max(1, round(plan.heads / plan.kv_heads))
        yield Finding("heads", "error", text, fix=f"The nearest number of heads is {near}.")
    else:
        yield Finding("heads", "holds", f"{plan.heads // plan.kv_heads} of Q for one of K and V")
    yield _head_size(plan)
    yield from _tile(plan)
    asserted = _asserted(plan)
    for footprint in plan.footprints:
        yield from stage_rules(footprint, catlass=asserted.get(footprint.buffer, ()))
    yield from _copies(plan)
    yield from _workspace(plan)


def _uneven(plan: AttentionPlan) -> str:
    return f"{plan.heads} heads of Q do not share {plan.kv_heads} heads of K and V evenly"


def _head_size(plan: AttentionPlan) -> Finding:
    most, head = plan.tile.k, plan.head
    if plan.kind.value_head:
        near, fits = most, head == most
        which = f"{most}, of which {plan.kind.value_head} are of V"
    else:
        near, fits = min(most, max(16, (head + 8) // 16 * 16)), head % 16 == 0 and head <= most
        which = f"multiples of 16 to {most}"
    text = f"a head of {head} elements: the tile takes {which}; the nearest is {near}"
    if fits:
        return Finding("head size", "holds", "", "L1", head, most, "elements")
    fix = f"Pad the heads to {near}." if near > head else f"Take a head of {near}."
    return Finding("head size", "error", text, "L1", head, most, "elements", fix)


def _tile(plan: AttentionPlan) -> Iterator[Finding]:
    m, n, k = plan.tile
    odd = [axis for axis, extent, unit in (("m", m, 32), ("n", n, 16), ("k", k, 16)) if extent % unit]
    if odd:
        text = f"the tile is {plan.tile}: m is a multiple of 32, for two vector cores; n and k of 16"
        yield Finding("tile", "error", text, fix="Take 128, 128 and 128.")
    else:
        yield Finding("tile", "holds", str(plan.tile))
    for axis, extent, most in mmad_extents(plan.arch, GemmShape(m, n, min(k, 128))):
        yield Finding.judge(f"Mmad {axis}", f"{axis} is {extent}", "", extent, most, "elements")


def _asserted(plan: AttentionPlan) -> dict[str, tuple[str, ...]]:
    """The compiler's errors for the tile: only the blocks of `fa` on 3510 assert anything about it."""
    if (plan.kind.name, plan.arch.code) != ("fa", 3510):
        return {}
    (m, n, k), of = plan.tile, plan.element
    sizes = (("L0A", plan.arch.l0a, m * k), ("L0B", plan.arch.l0b, n * k))
    return {
        buffer: (f"L0TileShape exceeding the {buffer} space!",)
        for buffer, room, count in sizes
        if 2 * of.bytes_of(count) > room
    }


def _copies(plan: AttentionPlan) -> Iterator[Finding]:
    from ..copies import gm_to_l1

    (m, n, k), of = plan.tile, plan.element
    wide = min(plan.head, k)
    operands = (
        ("Q", "RowMajor", plan.q, plan.head, (min(m, plan.q), wide)),
        ("K", "ColumnMajor", plan.head, plan.kv, (wide, min(n, plan.kv))),
        ("V", "RowMajor", plan.kv, plan.value_head, (min(n, plan.kv), min(plan.value_head, 128))),
    )
    for name, tag, rows, columns, tile in operands:
        to = "zN" if tag == "RowMajor" else "nZ"
        source = make_layout(of, tag, rows, columns)
        move = partial(gm_to_l1, source, to, arch=plan.arch, element=of, tile=tile, src_tag=tag)
        yield copy_rule(f"copy of {name} to L1", "L1", move)


_WORKSPACE: Final = 131072
"""The elements of a core's S, P or O in the workspace, which the cores of both types exchange."""


def _workspace(plan: AttentionPlan) -> Iterator[Finding]:
    if plan.arch.code != 2201:
        yield Finding("workspace", "holds", "none: S, P and O stay on the core", "GM", 0, None)
        return
    bytes_ = plan.cores * _WORKSPACE * 3 * (4 + plan.element.sizeof + 4 + 4)
    text = f"S, P, O and the rescaled O of 3 tiles of each core take {bytes_} bytes of workspace"
    yield Finding("workspace", "note", text, "GM", bytes_, None)


# --- the arguments ---


def attention(
    arch: str | Arch,
    *,
    heads: SupportsIndex,
    q: SupportsIndex,
    kv: SupportsIndex,
    head: SupportsIndex,
    kv_heads: SupportsIndex | None = None,
    batch: SupportsIndex = 1,
    element: str | Element = "half",
    kind: str = "fa",
    tile: ShapeLike | None = None,
    cores: SupportsIndex | None = None,
    masked: bool = False,
) -> AttentionPlan:
    """Return the plan of attention.

    >>> plan = attention("AtlasA2", heads=16, q=128, kv=2048, head=200)
    >>> for finding in plan.check().errors[:2]:
    ...     print(finding)
    error: head size: a head of 200 elements: the tile takes multiples of 16 to 128; the nearest is 128
    error: L1 overlap: Q 0 [0,53248) is written into K 0 [32768,65536): both hold [32768,53248)

    Args:
        heads, kv_heads: The numbers of heads of Q, and of K and V; by default as many.
        q, kv: The lengths of the sequences of Q, and of K and V.
        head: The size of a head, in elements; of ``mla`` that of the latent vector and the position.
        kind: ``fa``; ``mla`` on 2201; ``chunk`` on 3510.
        tile: Rows of Q, columns of K and the size of a head in L1; by default those of the example.
        masked: Whether a mask is added before the softmax.

    Raises:
        UnsupportedError: there is no such kind on the core, or no such element type.
        LayoutError: a number is below 1, or `masked` no flag.
    """
    core = arch_named(arch)
    found = KINDS.get((kind, core.code))
    if found is None:
        names = [name for name, code in KINDS if code == core.code]
        near = did_you_mean(near_words(shortened(str(kind)).lower(), names), names)
        text = f"{core} has no attention {shortened(str(kind))!r}"
        raise UnsupportedError(text, near, kind=kind)
    given = {"batch": batch, "heads": heads, "q": q, "kv": kv, "head": head}
    numbers = {name: index_of(name, n) for name, n in given.items()}
    numbers["kv_heads"] = numbers["heads"] if kv_heads is None else index_of("kv_heads", kv_heads)
    for name, n in numbers.items():
        if n < 1:
            raise LayoutError(f"{name} = {n}: it must be at least 1", **{name: n})
    shape = found.tile if tile is None else gemm_shape(tile, "tile in L1")
    return AttentionPlan(
        core, found, numbers["batch"], numbers["heads"], numbers["kv_heads"], numbers["q"],
        numbers["kv"], numbers["head"], element_named(element), shape, default_cores(core, cores),
        flag("masked", masked),
    )  # fmt: skip
