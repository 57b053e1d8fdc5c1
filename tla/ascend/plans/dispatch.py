# SPDX-License-Identifier: Apache-2.0
"""A dispatch policy as a value: its family, a row of CATLASS's table, and the parameters of the family.

>>> from tla.ascend import MmadPingpong
>>> policy = MmadPingpong(unit_flag=True)
>>> print(policy, policy.facts.l1a)
MmadPingpong<ArchTag,true> 2

Source: CATLASS gemm/dispatch_policy.hpp.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from ...errors import LayoutError, UnsupportedError
from ..arch import arch as arch_named
from ..shapes import flag, index_of

ARCH_OF: Final = {2201: "AtlasA2", 3510: "Ascend950"}
CODE_OF: Final = {name: code for code, name in ARCH_OF.items()}

Slot: TypeAlias = Literal["tile", "share", "half"]
"""The distance between stages: a tile without padding, an equal share of the buffer, or half of it."""


class Parameter(NamedTuple):
    """A template parameter after the architecture: its keyword, and its default value."""

    name: str
    default: int
    required: bool = False
    """Whether C++ has no default for it; the default here is then the value of CATLASS's examples."""

    @property
    def is_flag(self) -> bool:
        return isinstance(self.default, bool)


class Family(NamedTuple):
    """A dispatch policy without its parameters. A call with keywords sets them.

    >>> from tla.ascend import MmadAtlasA2PreloadAsync
    >>> print(MmadAtlasA2PreloadAsync(l1_stages=3))
    MmadAtlasA2PreloadAsync<1,3,2,2,1,false,true>
    """

    name: str
    codes: tuple[int, ...]
    """The instruction sets that have a block for it; empty if CATLASS has only the name."""
    parameters: tuple[Parameter, ...]
    api: Literal["tla", "legacy"]
    """Whether its block is a ``BlockMmadTla`` or a ``BlockMmad``."""
    block: str
    """The name of its block in the file name ``block_mmad_*.hpp``."""
    asserts: tuple[str, ...]
    """The conditions that the block asserts, by their names in `tla.ascend.plans.asserts`."""
    about: str
    has_arch: bool = False
    """Whether its first template parameter is the architecture; if not, it is for a single one."""
    stages: int = 2
    """The number of stages of A and B in L1, L0A and L0B, unless a parameter sets it."""
    a_slot: Slot = "tile"
    """The distance between stages of A in L1. With ``half``, one half holds A's rows for the whole k."""
    l0_slot: Slot = "tile"
    l0c_slot: Slot = "tile"
    b_first: bool = False
    """Whether B lies before A in L1."""
    bias_stages: Literal["one", "each"] = "one"
    sums_of_l1: bool = False
    """Whether CATLASS counts the bytes of L0C by the tile in L1, not by the tile in L0."""
    elsewhere: tuple[str, ...] | None = None
    """The compiler's errors on another architecture; None if it says that there is no block."""
    swizzle: str = ""
    """The swizzle that its kernel needs; "" if any will do."""
    dynamic: bool = False
    """Whether the kernel gets its tiles at run time, so that nothing asserts them."""
    one_tile: bool = False
    """Whether its block has no loop over tiles of k, so that one tile must hold all of k."""
    lines_alone: bool = False
    """Whether it takes A and B as RowMajor or ColumnMajor only."""
    kind: Literal["product", "attention", "vector", "convolution"] = "product"
    """What it computes: only products have the tiles of `gemm`."""
    packed: bool = False
    """Whether CATLASS counts the bytes of a tile by the bits of its elements, not by ``sizeof``."""
    mx: bool = False
    """Whether A and B have a scale for each 32 elements along k (MX), which lies in L1 too."""
    sparse: bool = False
    """Whether half of B is stored, 2 of each 4 elements along k, with an index of 2 bits for each."""
    scales: tuple[tuple[int, str], ...] = ()
    """The kinds of scales with which its fixpipe writes C, each with an instruction set."""
    scale_stages: Literal["one", "each"] = "one"
    """Whether the scales of channels lie in L1 once, or with each stage."""

    def __call__(self, *, arch: str | None = None, **values: int) -> Policy:
        """Return the policy with these parameters, and the defaults of the others.

        Raises:
            UnsupportedError: there is no such parameter, or no such architecture.
            LayoutError: a number of stages is below 1.
        """
        names = [p.name for p in self.parameters]
        for name in values:
            if name not in names:
                takes = f"It takes {', '.join(names) or 'none'}."
                raise UnsupportedError(f"{self.name} has no parameter {name}", takes, parameter=name)
        if arch is not None and not self.has_arch:
            own = f"It is made for {ARCH_OF[self.codes[0]] if self.codes else 'AtlasA2'}."
            raise UnsupportedError(f"{self.name} has no parameter arch", own, parameter="arch")
        arguments = tuple(_check(self.name, p, values.get(p.name, p.default)) for p in self.parameters)
        return Policy(self, arguments, None if arch is None else arch_tag(arch))

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<{self.name}: {self.about}>"

    def adds_bias(self, code: int) -> bool:
        """Whether its block adds a bias on an instruction set; TLA cannot copy a bias to BT on 2201.

        Source: CATLASS gemm/tile/atlasa2/copy_l1_to_bt.hpp, which has no TileCopyTla.
        """
        asserts = any(name.startswith(("bias", "BT")) for name in self.asserts)
        return asserts and not (self.api == "tla" and code == 2201)

    def scales_on(self, code: int) -> tuple[str, ...]:
        """The kinds of scales that its block takes on an instruction set."""
        return tuple(kind for here, kind in self.scales if here == code)

    @property
    def header(self) -> str:
        """The file of its block."""
        return f"block_mmad_{self.block}.hpp" if self.block else "dispatch_policy.hpp"


class Facts(NamedTuple):
    """The number of stages of each operand in each buffer, and the flags that conditions read."""

    l1a: int
    l1b: int
    l0a: int
    l0b: int
    l0c: int
    preload: int
    unit_flag: bool
    hf32: bool


class Policy(NamedTuple):
    """A dispatch policy with its parameters. Its ``str`` is the C++ type.

    >>> from tla.ascend import MmadPingpong
    >>> policy = MmadPingpong(unit_flag=True)
    >>> print(policy)
    MmadPingpong<ArchTag,true>

    The text leaves out default template arguments at the end. A policy without an architecture prints
    ``ArchTag`` in its place.
    """

    family: Family
    arguments: tuple[int, ...]
    arch: str | None = None
    """The C++ tag of the architecture; None if the policy names none."""

    @property
    def name(self) -> str:
        return self.family.name

    @property
    def values(self) -> dict[str, int]:
        """The parameters by their keywords."""
        names = (p.name for p in self.family.parameters)
        return dict(zip(names, self.arguments, strict=True))

    @property
    def arch_code(self) -> int | None:
        """The instruction set of its architecture, or the only one with a block, or None."""
        if self.arch is not None:
            return CODE_OF[self.arch]
        codes = self.family.codes
        return codes[0] if len(codes) == 1 else None

    def value(self, *names: str, default: int) -> int:
        """The value of the first of these parameters that the policy has, or the default."""
        values = self.values
        return next((values[name] for name in names if name in values), default)

    @property
    def l1a_stages(self) -> int:
        return self.facts.l1a

    @property
    def l1b_stages(self) -> int:
        return self.facts.l1b

    @property
    def l0a_stages(self) -> int:
        return self.facts.l0a

    @property
    def l0b_stages(self) -> int:
        return self.facts.l0b

    @property
    def l0c_stages(self) -> int:
        return self.facts.l0c

    @property
    def preload(self) -> int:
        """The number of tiles that the block loads ahead of the one in use; 0 by default."""
        return self.facts.preload

    @property
    def unit_flag(self) -> bool:
        """Whether the fixpipe empties L0C fractal by fractal while the cube core fills it."""
        return self.facts.unit_flag

    @property
    def hf32(self) -> bool:
        """Whether the cube core multiplies floats with fewer digits."""
        return self.facts.hf32

    @property
    def shuffle_k(self) -> bool:
        """Whether each core starts at a different tile of k."""
        return bool(self.value("shuffle_k", default=False))

    @property
    def l1_resident(self) -> bool:
        """Whether the block keeps a tile that is in L1 already, and does not load it again."""
        return bool(self.value("l1_resident", default=False))

    @property
    def scale_factor(self) -> int:
        """The number of tiles of k whose MX scales lie in L1 at once."""
        return self.value("l1_scale_factor_k", default=1)

    @property
    def facts(self) -> Facts:
        """The numbers that conditions on tiles read."""
        return _facts(self)

    def replaced(self, **values: int) -> Policy:
        """This policy with some parameters changed."""
        return self.family(arch=self.arch, **{**self.values, **values})

    def bound(self, arch: str) -> Policy:
        """This policy with the C++ tag of an architecture, if the architecture is a parameter of it."""
        return self._replace(arch=arch_tag(arch)) if self.family.has_arch else self

    def __str__(self) -> str:
        pairs = list(zip(self.family.parameters, self.arguments, strict=True))
        while pairs and not pairs[-1][0].required and pairs[-1][0].default == pairs[-1][1]:
            pairs.pop()
        texts = [("true" if x else "false") if p.is_flag else str(x) for p, x in pairs]
        if self.family.has_arch:
            texts.insert(0, f"Arch::{self.arch}" if self.arch else "ArchTag")
        takes_none = not self.family.parameters and not self.family.has_arch
        return self.name if takes_none else f"{self.name}<{','.join(texts)}>"


@lru_cache(maxsize=1024)
def _facts(policy: Policy) -> Facts:
    stages = policy.family.stages
    whole_a = policy.family.a_slot == "half" and "l1a_stages" not in policy.values
    return Facts(
        1 if whole_a else policy.value("l1a_stages", "l1_stages", "stages", default=stages),
        policy.value("l1b_stages", "l1_stages", "stages", default=stages),
        policy.value("l0a_stages", "stages", default=stages),
        policy.value("l0b_stages", "stages", default=stages),
        policy.value("l0c_stages", default=1),
        policy.value("preload_stages", default=0),
        bool(policy.value("unit_flag", default=False)),
        bool(policy.value("hf32", default=False)),
    )


def arch_tag(name: str) -> str:
    """CATLASS's tag of an architecture or a chip. AtlasA3 has that of AtlasA2, and runs its kernels."""
    return ARCH_OF[arch_named(name).code]


def _check(policy: str, parameter: Parameter, value: int) -> int:
    if parameter.is_flag:
        return flag(f"{policy}: {parameter.name}", value)
    count = index_of(f"{policy}: {parameter.name}", value)
    if count < 1:
        raise LayoutError(
            f"{policy}: {parameter.name} = {count}, a tile has at least one stage",
            parameter=parameter.name,
            value=count,
        )
    return count
