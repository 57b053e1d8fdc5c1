"""Dispatch policies: how a block of a product is staged through the buffers, by CATLASS's names.

>>> from tla.ascend.plans.families import MmadPingpong
>>> print(MmadPingpong(unit_flag=True))
MmadPingpong<ArchTag,true>
>>> found = policy("MmadPingpong<Arch::Ascend950, true, false, 1, false, 3>")
>>> found.l1a_stages, found.l1b_stages, found.values["l1_resident"]
(3, 2, False)
>>> found == MmadPingpong(arch="Ascend950", unit_flag=True, l1a_stages=3)
True
>>> policy("MmadAtlasA2Small(stages=1)").l0a_stages
1
>>> print(policy("Preload"), policy("Small"), policy("Pingpong"))
MmadAtlasA2Preload<> MmadAtlasA2Small<2> MmadPingpong<ArchTag>

Source: CATLASS gemm/dispatch_policy.hpp.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from ...constexpr import constexpr
from ...errors import LayoutError, UnsupportedError
from ...text import Scanner, did_you_mean, near_words, shortened
from ..shapes import index_of
from .families import FAMILIES, Family

if TYPE_CHECKING:
    from .families import Parameter

__all__ = ["FAMILIES", "Facts", "Family", "Policy", "made", "policy"]

_ARCH_OF: Final = {2201: "AtlasA2", 3510: "Ascend950"}
_CODE_OF: Final = {name: code for code, name in _ARCH_OF.items()}


class Facts(NamedTuple):
    """How many stages each operand has in each buffer, and the flags that conditions speak of."""

    l1a: int
    l1b: int
    l0a: int
    l0b: int
    l0c: int
    preload: int
    unit_flag: bool
    hf32: bool


class Policy(NamedTuple):
    """A dispatch policy with its parameters: what ``str`` gives is the C++ type.

    >>> from tla.ascend import MmadPingpong
    >>> policy = MmadPingpong(unit_flag=True)
    >>> print(policy)
    MmadPingpong<ArchTag,true>

    Default template arguments at the end are left out. Where no architecture is given, ``ArchTag``
    stands for it.
    """

    name: str
    arguments: tuple[int, ...]
    arch: str | None = None
    """The C++ tag of the architecture, where one is given."""

    @property
    def family(self) -> Family:
        return FAMILIES[self.name]

    @property
    def values(self) -> dict[str, int]:
        """The parameters by their keywords."""
        names = (p.name for p in self.family.parameters)
        return dict(zip(names, self.arguments, strict=True))

    @property
    def arch_code(self) -> int | None:
        """The instruction set it is bound to: by its parameter, or as the only one that has it."""
        if self.arch is not None:
            return _CODE_OF[self.arch]
        codes = self.family.codes
        return codes[0] if len(codes) == 1 else None

    def value(self, *names: str, default: int) -> int:
        """The first parameter of these names, or the default."""
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
        """How many tiles are loaded ahead of the one in use, where the policy says it; else 0."""
        return self.facts.preload

    @property
    def unit_flag(self) -> bool:
        """Whether L0C is emptied while it is filled, fractal by fractal."""
        return self.facts.unit_flag

    @property
    def hf32(self) -> bool:
        """Whether floats are multiplied with fewer digits."""
        return self.facts.hf32

    @property
    def shuffle_k(self) -> bool:
        """Whether each core starts at another tile of k."""
        return bool(self.value("shuffle_k", default=False))

    @property
    def l1_resident(self) -> bool:
        """Whether a tile that is in L1 already is not loaded again."""
        return bool(self.value("l1_resident", default=False))

    @property
    def facts(self) -> Facts:
        """The numbers that conditions on tiles speak of."""
        return _facts(self)

    def replaced(self, **values: int) -> Policy:
        """This policy with some parameters changed."""
        return made(self.family, self.arch, {**self.values, **values})

    def bound(self, arch: str) -> Policy:
        """This policy for an architecture: its C++ tag is written where it is a parameter."""
        return self._replace(arch=_arch_tag(arch)) if self.family.has_arch else self

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


def made(family: Family, arch: str | None, values: dict[str, int]) -> Policy:
    """Return the policy of a family with some parameters, the others at their defaults."""
    known = {p.name for p in family.parameters}
    for name in values:
        if name not in known:
            takes = f"It takes {', '.join(p.name for p in family.parameters) or 'none'}."
            raise UnsupportedError(f"{family.name} has no parameter {name}", takes, parameter=name)
    if arch is not None and not family.has_arch:
        fixed = f"It is made for {_ARCH_OF[family.codes[0]] if family.codes else 'AtlasA2'}."
        raise UnsupportedError(f"{family.name} has no parameter arch", fixed, parameter="arch")
    given = tuple(_checked(family.name, p, values.get(p.name, p.default)) for p in family.parameters)
    return Policy(family.name, given, None if arch is None else _arch_tag(arch))


def _arch_tag(name: str) -> str:
    """CATLASS's tag of an architecture: AtlasA3 runs what is made for AtlasA2."""
    tag = name.strip().removeprefix("Catlass::").removeprefix("Arch::")
    tag = {"AtlasA3": "AtlasA2"}.get(tag, tag)
    if tag not in _CODE_OF:
        raise UnsupportedError(
            f"{shortened(name)!r} is not the tag of an architecture",
            f"Known: {', '.join(_CODE_OF)}.",
            name=name,
        )
    return tag


def _checked(policy: str, parameter: Parameter, value: int) -> int:
    if parameter.is_flag:
        if value not in (0, 1):
            raise LayoutError(f"{policy}: {parameter.name} = {value}, a flag is true or false")
        return bool(value)
    count = index_of(f"{policy}: {parameter.name}", value)
    if count < 1:
        raise LayoutError(
            f"{policy}: {parameter.name} = {count}, a tile has at least one stage",
            parameter=parameter.name,
            value=count,
        )
    return count


# --- text ---


@constexpr
def policy(text: str | Policy | Family) -> Policy:
    """Return the policy that a text names: a C++ type, or a name with keywords.

    >>> print(policy("Gemm::MmadPingpong<Arch::AtlasA2, true>"), policy("MmadPingpong(unit_flag=true)"))
    MmadPingpong<Arch::AtlasA2,true> MmadPingpong<ArchTag,true>

    A template argument of the architecture may be left out: ``MmadPingpong<true>``. A flag's keyword
    alone sets it: ``MmadPingpong(unit_flag)``. ``Mmad`` in front may be left out, and the architecture
    behind it where that leaves one policy, or one that runs wherever the others do.

    Raises:
        ParseError: the text is neither; the caret points at the place.
        UnsupportedError: no policy or parameter has the name.
        LayoutError: a number of stages below 1.
    """
    if isinstance(text, Policy):
        return text
    if isinstance(text, Family):
        return text()
    scanner = Scanner(text)
    start = scanner.at
    name = scanner.word("_:").rpartition("::")[2]
    if not name:
        scanner.fail(f"expected the name of a dispatch policy, found {scanner.found()}")
    family = _family(name, start)
    if scanner.accept("<"):
        found = _templated(scanner, family)
    elif scanner.accept("("):
        found = _called(scanner, family)
    else:
        found = family()
    scanner.expect_end()
    return found


def _family(name: str, at: int) -> Family:
    """The family of a name, in any case, whole or short."""
    found = [FAMILIES[full] for full in FAMILIES if name.lower() in _names(full)]
    everywhere = {code for family in found for code in family.codes}
    for family in found:
        if len(found) == 1 or everywhere == {*family.codes}:
            return family
    if not found:
        raise UnsupportedError(
            f"{shortened(name)!r} is not a dispatch policy", _near(name), name=name, at=at
        )
    ways = (f"{f.name} ({' or '.join(_ARCH_OF[code] for code in f.codes)})" for f in found)
    raise UnsupportedError(
        f"{name!r} is short for {len(found)} dispatch policies", f"Write {' or '.join(ways)}.",
        name=name, at=at,
    )  # fmt: skip


def _names(name: str) -> tuple[str, ...]:
    """A name whole, without ``Mmad``, and without the architecture, too; in small letters."""
    tail = name.removeprefix("Mmad")
    if tail == name:
        return (name.lower(),)
    short = tail
    for arch in _CODE_OF:
        short = short.removeprefix(arch)
    return name.lower(), tail.lower(), short.lower()


def _near(name: str) -> str:
    known = {text: full for full in FAMILIES for text in _names(full)}
    near = dict.fromkeys(known[text] for text in near_words(name.lower(), known, 0.5))
    return did_you_mean(near, FAMILIES)


def _templated(scanner: Scanner, family: Family) -> Policy:
    """What stands behind ``<``: values by their order."""
    arch: str | None = None
    values: dict[str, int] = {}
    names = [p.name for p in family.parameters]
    while not scanner.accept(">"):
        first = not values and arch is None
        if not first and not scanner.accept(","):
            scanner.fail(f"expected ',' or '>', found {scanner.found()}")
        start = scanner.at
        word = scanner.word("_:")
        tag = word.rpartition("::")[2]
        if first and family.has_arch and tag not in ("true", "false") and not tag.isdigit():
            arch = _arch_tag(tag) if tag != "ArchTag" else ""
            continue
        if len(values) == len(names):
            scanner.fail(f"{family.name} has {len(names)} parameters", start)
        parameter = family.parameters[len(values)]
        values[parameter.name] = _value(scanner, parameter, word, start)
    return family(arch=arch or None, **values)


def _called(scanner: Scanner, family: Family) -> Policy:
    """What stands behind ``(``: values by their keywords."""
    arch: str | None = None
    values: dict[str, int] = {}
    while not scanner.accept(")"):
        if (values or arch is not None) and not scanner.accept(","):
            scanner.fail(f"expected ',' or ')', found {scanner.found()}")
        start = scanner.at
        name = scanner.word()
        if not name:
            scanner.fail(f"expected a parameter of {family.name}, found {scanner.found()}", start)
        if name == "arch":
            scanner.expect("=")
            arch = scanner.word("_:\"'").strip("\"'")
            continue
        parameter = next((p for p in family.parameters if p.name == name), None)
        if parameter is None:
            return made(family, None, {name: 0})  # raises
        if scanner.accept("="):
            at = scanner.at
            values[name] = _value(scanner, parameter, scanner.word(), at)
        elif parameter.is_flag:
            values[name] = True
        else:
            scanner.fail(f"expected '=' and a number behind {name}, found {scanner.found()}")
    return family(arch=arch, **values)


def _value(scanner: Scanner, parameter: Parameter, word: str, start: int) -> int:
    flag = {"true": True, "false": False}.get(word.lower()) if parameter.is_flag else None
    if flag is not None:
        return flag
    if not (word.isascii() and word.rstrip("uU").isdigit()):
        kind = "true or false" if parameter.is_flag else "a number"
        found = repr(shortened(word)) if word else scanner.found()
        scanner.fail(f"expected {kind} for {parameter.name}, found {found}", start)
    return int(word.rstrip("uU"))
