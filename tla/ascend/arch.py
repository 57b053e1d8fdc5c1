# SPDX-License-Identifier: Apache-2.0
"""The Ascend architectures as data: buffers, cores, alignments, limits, each with its source.

>>> AtlasA2.l1, AtlasA2.capacity("L0C"), AtlasA2.l0a_tag
(524288, 131072, 'zZ')
>>> AtlasA2.source("l1")
'CATLASS include/catlass/arch/arch.hpp'
>>> arch("910B3").cores, Ascend950.replaced(name="half a 950", cores=16).cores
(20, 16)

Sizes are bytes, rates are bytes in one cycle of one core. AtlasA2 and AtlasA3 share the instruction
set 2201, Ascend950 has 3510. The figures of one product are in `CHIPS`.

A type checker knows the three by name, `KnownArch[Literal["AtlasA2"]]`; any other is an `Arch`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from ..errors import KindError, LayoutError, UnsupportedError
from ..ground import (
    Bar,
    Bars,
    constexpr,
    described,
    did_you_mean,
    html_of,
    near_words,
    shortened,
    shown,
    typed_by,
)
from ..numbers import is_tuple
from .cube import PRODUCTS, Product
from .elements import C0_BITS, FRACTAL_BITS, element, is_element
from .limits import LIMITS, Limit

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypedDict, Unpack

    from .elements import Element

    class ArchFacts(TypedDict, total=False):
        """The arguments of `Arch.replaced`."""

        name: str
        family: str
        code: int
        cores: int
        vector_cores: int
        l1: int
        l0a: int
        l0b: int
        l0c: int
        ub: int
        bt: int
        fb: int
        l2: int
        l0a_tag: str
        stride_limit: int | None
        fixpipe_block: int
        frequency: int
        gm_rate: int
        l2_rate: int
        l2_write_rate: int
        l1_to_l0a_rate: int
        l1_to_l0b_rate: int
        products: tuple[Product, ...]
        limits: tuple[Limit, ...]
        alignments: tuple[tuple[Position, int], ...]
        events: int
        sources: tuple[tuple[str, str], ...]


Position: TypeAlias = Literal["GM", "L1", "L0A", "L0B", "L0C", "UB", "BT", "FB"]
"""A memory: global, or a buffer of the cube core, the vector core, the bias or the fixpipe."""

C0_BYTES: Final = C0_BITS // 8
"""A row of a fractal, 32 bytes. Source: CATLASS catlass.hpp, BYTE_PER_C0."""
FRACTAL_ROWS: Final = FRACTAL_BITS // C0_BITS
"""The rows of a fractal, 16. Source: CATLASS catlass.hpp, C0_NUM_PER_FRACTAL."""


class Arch(NamedTuple):
    """An architecture. A custom one is `replaced` from another."""

    name: str
    family: str
    """The architecture of a chip."""
    code: int
    """The instruction set, CATLASS_ARCH: 2201 or 3510."""
    cores: int
    """Cube cores, AIC."""
    vector_cores: int
    """Vector cores, AIV."""
    l1: int
    l0a: int
    l0b: int
    l0c: int
    ub: int
    """The bytes of one vector core that a kernel may use."""
    bt: int
    """The bias table, C2."""
    fb: int
    """The buffer of the fixpipe's parameters."""
    l2: int
    l0a_tag: str
    """The tag of a tile of A in L0A; a tile of B in L0B is always nZ."""
    stride_limit: int | None
    """The leading dimension, in elements, from which one Nd2Nz copy cannot take a whole tile."""
    fixpipe_block: int
    """The block of copies from L1 to the buffer of the fixpipe's parameters, C2PIPE2GM."""
    frequency: int
    """The frequency of the cube cores, in Hz."""
    gm_rate: int
    """Bytes between global memory and one core in a cycle."""
    l2_rate: int
    """Bytes that one core reads from L2 in a cycle."""
    l2_write_rate: int
    l1_to_l0a_rate: int
    l1_to_l0b_rate: int
    products: tuple[Product, ...]
    limits: tuple[Limit, ...]
    alignments: tuple[tuple[Position, int], ...]
    """The alignment of start addresses in each buffer, in bytes."""
    events: int = 8
    """The number of event ids of a pair of pipes."""
    sources: tuple[tuple[str, str], ...] = ()
    """The source of each field's value; see `source`."""

    @constexpr
    def capacity(self, position: Position) -> int:
        """The bytes of a buffer.

        Raises:
            UnsupportedError: a core has no such buffer.
        """
        sizes = {"L1": self.l1, "L0A": self.l0a, "L0B": self.l0b, "L0C": self.l0c}
        sizes |= {"UB": self.ub, "BT": self.bt, "FB": self.fb}
        if position not in sizes:
            known = f"Buffers: {', '.join(sizes)}."
            raise UnsupportedError(f"no core has a buffer {position!r}", known, position=position)
        return sizes[position]

    @constexpr
    def start_alignment(self, position: Position) -> int:
        """The alignment of an operand's start address in a buffer, in bytes; 1 in GM.

        >>> AtlasA2.start_alignment("L0A"), AtlasA2.start_alignment("L1")
        (512, 32)

        Raises:
            UnsupportedError: the architecture states no alignment for the buffer.
        """
        unit = dict(self.alignments).get(position)
        if unit is None:
            positions = ", ".join(dict(self.alignments)) or "none"
            raise UnsupportedError(
                f"{self.name} states no alignment of {position!r}",
                f"Positions of which it does: {positions}.",
                position=position,
            )
        return unit

    @constexpr
    def limit(self, instruction: str, parameter: str) -> Limit | None:
        """The range of a parameter of an instruction; None if no source states it.

        >>> AtlasA2.limit("Nd2Nz", "nValue").most
        16384
        """
        for limit in self.limits:
            if limit[:2] == (instruction, parameter):
                return limit
        return None

    @constexpr
    def product(self, a: str | Element, b: str | Element | None = None) -> Product:
        """Return how the cube core multiplies two element types, in CATLASS's pairs.

        >>> Ascend950.product("float8_e4m3_t", "float8_e5m2_t").accumulator
        'float'

        Raises:
            UnsupportedError: the core does not multiply the two; the text lists the pairs that it does.
        """
        left = element(a)
        right = left if b is None else element(b)
        for product in self.products:
            if product[:2] == (left.name, right.name):
                return product
        with_left = [p.b for p in self.products if p.a == left.name]
        here = f"A of {left} goes with B of {', '.join(with_left)}."
        takes = f"It multiplies {', '.join(dict.fromkeys(p.a for p in self.products))}."
        raise UnsupportedError(
            f"the cube core of {self.name} does not multiply {left} by {right}",
            here if with_left else takes,
            arch=self, a=left, b=right,
        )  # fmt: skip

    @constexpr
    def accumulator(self, a: str | Element, b: str | Element | None = None) -> Element:
        """Return the type in which this architecture sums products of two element types."""
        return element(self.product(a, b).accumulator)

    @constexpr
    def macs_per_cycle(self, a: str | Element, b: str | Element | None = None) -> int:
        """Return how many products of two element types one core sums in one cycle, at most.

        >>> AtlasA2.macs_per_cycle("half"), AtlasA2.macs_per_cycle("int8_t")
        (4096, 8192)
        """
        return self.product(a, b).macs

    @property
    def gm_bandwidth(self) -> int:
        """Bytes per second between global memory and all cores together.

        >>> Ascend950.gm_bandwidth
        1636800000000
        """
        return self.cores * self.gm_rate * self.frequency

    @property
    def l2_bandwidth(self) -> int:
        """Bytes per second that all cores together read from L2."""
        return self.cores * self.l2_rate * self.frequency

    @property
    def tag(self) -> str:
        """The name of CATLASS's struct for the instruction set."""
        return "AtlasA2" if self.code == 2201 else "Ascend950"

    def source(self, field: str) -> str:
        """Return the source of the value of a field.

        >>> AtlasA2.replaced(cores=20).source("cores")
        'given'

        Raises:
            TypeError: an architecture has no such field.
        """
        if field not in self._fields:
            raise _no_field(field)
        return dict(self.sources).get(field, "given")

    def replaced(self, **changes: Unpack[ArchFacts]) -> Arch:
        """Return this architecture with some facts changed; their source is 'given'.

        >>> half = Ascend950.replaced(cores=16, vector_cores=32)
        >>> half.cores, half.l0c == Ascend950.l0c
        (16, True)

        Raises:
            TypeError: there is no such fact, or its value is of another type.
            LayoutError: a number is below 1, or a name is none.
        """
        for field, value in changes.items():
            _check(field, value)
        sources = tuple(entry for entry in self.sources if entry[0] not in changes)
        changed = self._replace(sources=sources)
        return changed._replace(**changes)

    def figure(self) -> Bars:
        """Return the picture of its buffers, as data: the size of each.

        >>> [(bar.label, bar.end) for bar in arch("AtlasA2").figure().bars][:2]
        [('L1', 524288), ('L0A', 65536)]
        """
        buffers: tuple[Position, ...] = ("L1", "L0A", "L0B", "L0C", "UB", "BT", "FB")
        sizes = [(name, self.capacity(name)) for name in buffers]
        bars = tuple([Bar(name, 0, size, size, ()) for name, size in sizes])
        length = max(size for _, size in sizes)
        return Bars(f"{self.name}: the largest buffer of a core", length, bars, "a buffer")

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        if {**ARCHES, **CHIPS}.get(self.name) == self:
            return f"arch({self.name!r})"
        base = min((*ARCHES.values(), *CHIPS.values()), key=lambda arch_: len(self._changed_from(arch_)))
        changes: Any = self._changed_from(base)
        if base.replaced(**changes) != self:
            changes["sources"] = self.sources
        text = ", ".join(f"{f}={x!r}" for f, x in changes.items())
        return f"arch({base.name!r}).replaced({text})"

    def _changed_from(self, base: Arch) -> dict[str, object]:
        """The facts that differ from those of an architecture; sources are not compared."""
        pairs = zip(self._fields, self, base, strict=True)
        return {field: mine for field, mine, theirs in pairs if field != "sources" and mine != theirs}


def _text(name: str) -> str:
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise KindError(f"expected the name of an architecture, got {described(name)}", value=name)
    return name


def _unknown(name: str, names: list[str]) -> UnsupportedError:
    key = name.strip().lower().rpartition("::")[2]
    lower = {a.lower(): a for a in names}
    near = [a for a in names if key and key in a.lower()]
    lower |= {a.removeprefix("ascend"): lower[a] for a in list(lower)}
    near = near or list(dict.fromkeys(lower[a] for a in near_words(key, lower)))
    hint = did_you_mean(near, names)
    if is_element(name):
        hint = f"It is an element type; the architecture comes first, as in {next(iter(_FACTS))} {key}."
    return UnsupportedError(f"there is no architecture {shortened(name)!r}", hint, name=name)


_Name = TypeVar("_Name", bound=str, covariant=True)


@constexpr
@typed_by(name=None)
class KnownArch(Arch, Generic[_Name]):
    """An architecture that CATLASS knows. Its name is part of its type, and fixes every fact.

    >>> KnownArch("AtlasA2") == AtlasA2, type(AtlasA2.replaced(ub=96 << 10)).__name__
    (True, 'Arch')

    Annotate with ``KnownArch[Literal["AtlasA2"]]``; a change makes a plain `Arch`.

    Raises:
        UnsupportedError: CATLASS knows no architecture of this name.
    """

    __slots__ = ()

    def __new__(cls, name: _Name, /) -> KnownArch[_Name]:
        facts = _FACTS.get(_text(name))
        if facts is None:
            raise _unknown(name, list(_FACTS))
        return cls._make(facts)

    # the type would still state the facts that a change replaces
    def _replace(self, **changes: Unpack[ArchFacts]) -> Arch:  # type: ignore[override]  # ty: ignore[incompatible-method-override]
        return Arch._make(self)._replace(**changes)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.name,)


def _no_field(field: str) -> TypeError:
    near = near_words(field, Arch._fields)
    hint = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(Arch._fields)}"
    return KindError(f"an architecture has no {shortened(field)!r}; {hint}")


_CHOICES: Final[dict[str, tuple[object, ...]]] = {"code": (2201, 3510), "l0a_tag": ("zZ", "zN")}


def _is_alignment(x: object) -> bool:
    position, size = x if is_tuple(x) and len(x) == 2 else (None, None)
    return position in dict(_ALIGNMENTS) and type(size) is int and size > 0


def _is_source(x: object) -> bool:
    field, text = x if is_tuple(x) and len(x) == 2 else (None, None)
    return field in Arch._fields and isinstance(text, str)


_ENTRIES: Final[dict[str, tuple[Callable[[object], bool], str]]] = {
    "products": (lambda x: isinstance(x, Product), "a Product"),
    "limits": (lambda x: isinstance(x, Limit), "a Limit"),
    "alignments": (_is_alignment, "a position and its bytes, as ('L1', 32)"),
    "sources": (_is_source, "a field and where it is stated"),
}
"""The kinds of entries in the tables: their check, and their words in an error."""


def _check(field: str, value: object) -> None:
    if field not in Arch._fields:
        raise _no_field(field)
    if field in ("name", "family"):
        if not isinstance(value, str):
            raise KindError(f"the {field} of an architecture is a str, not {type(value).__name__}")
        if not value.strip():
            raise LayoutError(f"the {field} of an architecture is empty", field=field, value=value)
    elif field in _CHOICES:
        if not any(value == x and type(value) is type(x) for x in _CHOICES[field]):
            choices = " or ".join(map(str, _CHOICES[field]))
            raise LayoutError(f"{field} is {choices}, not {shown(value)}", field=field, value=value)
    elif field in _ENTRIES:
        if not is_tuple(value):
            raise KindError(f"{field} of an architecture is a tuple, not {type(value).__name__}")
        is_entry, what = _ENTRIES[field]
        for entry in value:
            if not is_entry(entry):
                raise KindError(f"an entry of {field} is {what}, not {described(entry)}")
    elif not (field == "stride_limit" and value is None):
        if isinstance(value, bool) or not isinstance(value, int):
            raise KindError(f"{field} of an architecture is an int, not {described(value)}")
        if value < 1:
            raise LayoutError(f"{field} of an architecture is at least 1, not {value}", field=field)


_KIB: Final = 1 << 10
_MIB: Final = 1 << 20

_HEADER: Final = "CATLASS include/catlass/arch/arch.hpp"
_CATLASS: Final = "CATLASS include/catlass/catlass.hpp"
_GENERAL: Final = (
    "CANN Ascend C API reference, general restrictions; of Mmad alone, 1024 for sums and 128 for a bias"
)
_LAYOUT: Final = "CATLASS gemm/helper.hpp L0ALayoutSelector"
_INI: Final = "CANN platform_config"

_ALIGNMENTS: Final[tuple[tuple[Position, int], ...]] = (
    ("GM", 1), ("UB", 32), ("L1", 32), ("L0A", 512), ("L0B", 512), ("L0C", 64), ("BT", 64),
)  # fmt: skip


def _sources(chip: str, **others: str) -> tuple[tuple[str, str], ...]:
    """The sources of an architecture whose figures are those of a chip."""
    ini = f"{_INI} {chip}.ini"
    sources = dict.fromkeys(("l1", "l0a", "l0b", "l0c", "ub", "bt", "fb"), _HEADER)
    sources |= dict.fromkeys(("cores", "vector_cores", "l2"), f"{ini} [SoCInfo]")
    sources |= {"frequency": f"{ini} [AICoreSpec] cube_freq", "l0a_tag": _LAYOUT}
    rates = ("gm_rate", "l2_rate", "l2_write_rate", "l1_to_l0a_rate", "l1_to_l0b_rate")
    sources |= dict.fromkeys(rates, f"{ini} [AICoreMemoryRates]")
    sources["stride_limit"] = f"{_CATLASS} STRIDE_LIMIT"
    sources["fixpipe_block"] = f"{_CATLASS} BYTE_PER_BLK_FP"
    sources |= {"alignments": _GENERAL, "events": "CANN Ascend C API reference, HardEvent ids 0 to 7"}
    sources |= dict.fromkeys(("products", "limits"), "each its own")
    sources |= dict.fromkeys(("name", "family", "code"), "CATLASS docs/en/FAQ.md, CATLASS_ARCH")
    return tuple({**sources, **others}.items())


_ATLAS_A2: Final = Arch(
    name="AtlasA2", family="AtlasA2", code=2201, cores=24, vector_cores=48,
    l1=512 * _KIB, l0a=64 * _KIB, l0b=64 * _KIB, l0c=128 * _KIB, ub=192 * _KIB,
    bt=_KIB, fb=7 * _KIB, l2=192 * _MIB, l0a_tag="zZ", stride_limit=65536, fixpipe_block=128,
    frequency=1_800_000_000, gm_rate=32, l2_rate=110, l2_write_rate=86,
    l1_to_l0a_rate=512, l1_to_l0b_rate=256,
    products=PRODUCTS[2201], limits=LIMITS[2201], alignments=_ALIGNMENTS,
    sources=_sources(
        "Ascend910B2",
        gm_rate=f"{_INI} Ascend910B1.ini [AICoreMemoryRates] ddr_rate; in all less than the 1.8 TB/s"
        " that CATLASS's bottleneck_analysis_and_optimization.md takes for a peak",
        l2_rate=f"{_INI} Ascend910B1.ini [AICoreMemoryRates] l2_read_rate",
        l2_write_rate=f"{_INI} Ascend910B1.ini [AICoreMemoryRates] l2_write_rate",
        l1_to_l0a_rate=f"{_INI} Ascend910B1.ini [AICoreMemoryRates] l1_to_l0_a_rate",
        l1_to_l0b_rate=f"{_INI} 910PR_9363.ini [AICoreMemoryRates] l1_to_l0_b_rate",
    ),
)  # fmt: skip
_ATLAS_A3: Final = _ATLAS_A2._replace(
    name="AtlasA3", family="AtlasA3", frequency=1_850_000_000, sources=_sources("910PR_9363")
)
_ASCEND950: Final = Arch(
    name="Ascend950", family="Ascend950", code=3510, cores=32, vector_cores=64,
    l1=512 * _KIB, l0a=64 * _KIB, l0b=64 * _KIB, l0c=256 * _KIB, ub=248 * _KIB,
    bt=4 * _KIB, fb=16 * _KIB, l2=128 * _MIB, l0a_tag="zN", stride_limit=None, fixpipe_block=64,
    frequency=1_650_000_000, gm_rate=31, l2_rate=100, l2_write_rate=100,
    l1_to_l0a_rate=256, l1_to_l0b_rate=256,
    products=PRODUCTS[3510], limits=LIMITS[3510], alignments=_ALIGNMENTS,
    sources=_sources(
        "Ascend950PR_9589",
        fb=f"{_HEADER}; {_INI} Ascend950PR_9589.ini has fb0_size 4096 and fb1_size 2048",
        stride_limit="CATLASS gemm/tile/ascend950/copy_gm_to_l1.hpp, which has no such case",
    ),
)  # fmt: skip
_FACTS: Final = {a.name: a for a in (_ATLAS_A2, _ATLAS_A3, _ASCEND950)}

AtlasA2: Final[KnownArch[Literal["AtlasA2"]]] = KnownArch("AtlasA2")
AtlasA3: Final[KnownArch[Literal["AtlasA3"]]] = KnownArch("AtlasA3")
Ascend950: Final[KnownArch[Literal["Ascend950"]]] = KnownArch("Ascend950")

ARCHES: Final[dict[str, Arch]] = {a.name: a for a in (AtlasA2, AtlasA3, Ascend950)}
"""The architectures that CATLASS knows, by name."""


def _chip(like: Arch, **figures: Unpack[ArchFacts]) -> Arch:
    name = figures.get("name", like.name)
    sources = {**dict(like.sources), **dict.fromkeys(figures, f"{_INI} {name}.ini")}
    return like._replace(**figures)._replace(sources=tuple(sources.items()))


CHIPS: Final = {
    chip.name: chip
    for chip in (
        _chip(AtlasA2, name="Ascend910B1", frequency=1_850_000_000),
        _chip(AtlasA2, name="Ascend910B2"),
        _chip(AtlasA2, name="Ascend910B3", cores=20, vector_cores=40, frequency=1_800_000_000),
        _chip(
            AtlasA2, name="Ascend910B4", cores=20, vector_cores=40, frequency=1_500_000_000, l2=96 * _MIB
        ),
        _chip(AtlasA3, name="Ascend910_9363"),
        _chip(AtlasA3, name="Ascend910_9382", frequency=1_800_000_000),
        _chip(Ascend950, name="Ascend950PR_9579", cores=28, vector_cores=56),
        _chip(Ascend950, name="Ascend950PR_9589"),
        _chip(Ascend950, name="Ascend950DT_9572", cores=28, vector_cores=56, gm_rate=80),
        _chip(Ascend950, name="Ascend950DT_9582", gm_rate=80),
    )
}
"""Chips of these architectures, by the names CANN gives them; `arch` takes 910B3 for Ascend910B3."""


@constexpr
def arch(name: str | Arch) -> Arch:
    """Return the architecture, or the chip, of a name; an architecture is its own.

    >>> arch("atlasa2") is arch("Catlass::Arch::AtlasA2") is AtlasA2, arch("950PR_9579").cores
    (True, 28)

    Raises:
        UnsupportedError: no architecture or chip has the name; the text suggests near names.
    """
    if isinstance(name, Arch):
        return name
    arches = {**ARCHES, **CHIPS}
    key = _text(name).strip().lower().rpartition("::")[2]
    lower = {a.lower(): a for a in arches}
    full = lower.get(key) or lower.get(f"ascend{key}")
    if full is None:
        raise _unknown(name, list(arches))
    return arches[full]
