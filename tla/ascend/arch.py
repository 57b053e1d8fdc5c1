"""The Ascend architectures as data: buffers, cores, alignments, limits, each with its source.

>>> AtlasA2.l1, AtlasA2.capacity("L0C"), AtlasA2.l0a_tag
(524288, 131072, 'zZ')
>>> Ascend950.replaced(name="half a 950", cores=16).cores
16

Sizes are bytes. AtlasA2 and AtlasA3 share the instruction set 2201, Ascend950 has 3510.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from ..errors import UnsupportedError
from ..text import shortened

__all__ = ["ARCHES", "Arch", "Ascend950", "AtlasA2", "AtlasA3", "Position", "arch"]

Position: TypeAlias = Literal["GM", "L1", "L0A", "L0B", "L0C", "UB", "BT", "FB"]
"""A memory: global, the buffers of the cube core, of the vector core, of bias and of the fixpipe."""


class Arch(NamedTuple):
    """An architecture. A custom one is `replaced` from another."""

    name: str
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
    """Of one vector core, as much as a kernel may use."""
    bt: int
    """The bias table, C2."""
    fb: int
    """The buffer of the fixpipe's parameters."""
    l2: int
    l0a_tag: str
    """How a tile of A lies in L0A; a tile of B in L0B is nZ always."""
    stride_limit: int | None
    """The leading dimension from which one Nd2Nz copy no longer takes a whole tile, in elements."""
    events: int = 8
    """How many event ids a pair of pipes has."""

    def capacity(self, position: Position) -> int:
        """The bytes of a buffer."""
        sizes = {"L1": self.l1, "L0A": self.l0a, "L0B": self.l0b, "L0C": self.l0c}
        return {**sizes, "UB": self.ub, "BT": self.bt, "FB": self.fb}[position]

    def replaced(self, **changes: object) -> Arch:
        """This architecture with some facts changed."""
        return self._replace(**changes)  # type: ignore[arg-type]

    def __str__(self) -> str:
        return self.name


_KIB: Final = 1 << 10
_MIB: Final = 1 << 20

AtlasA2: Final = Arch(
    name="AtlasA2", code=2201, cores=24, vector_cores=48,
    l1=512 * _KIB, l0a=64 * _KIB, l0b=64 * _KIB, l0c=128 * _KIB, ub=192 * _KIB,
    bt=_KIB, fb=7 * _KIB, l2=192 * _MIB, l0a_tag="zZ", stride_limit=65536,
)  # fmt: skip
AtlasA3: Final = AtlasA2.replaced(name="AtlasA3")
Ascend950: Final = Arch(
    name="Ascend950", code=3510, cores=32, vector_cores=64,
    l1=512 * _KIB, l0a=64 * _KIB, l0b=64 * _KIB, l0c=256 * _KIB, ub=248 * _KIB,
    bt=4 * _KIB, fb=16 * _KIB, l2=112 * _MIB, l0a_tag="zN", stride_limit=None,
)  # fmt: skip

ARCHES: Final = {a.name: a for a in (AtlasA2, AtlasA3, Ascend950)}
"""The architectures that CATLASS knows, by name."""


def arch(name: str | Arch) -> Arch:
    """Return the architecture of a name; an architecture is its own."""
    if isinstance(name, Arch):
        return name
    found = {a.lower(): ARCHES[a] for a in ARCHES}.get(name.lower())
    if found is None:
        known = f"Known: {', '.join(ARCHES)}."
        raise UnsupportedError(f"there is no architecture {shortened(name)!r}", known, name=name)
    return found
