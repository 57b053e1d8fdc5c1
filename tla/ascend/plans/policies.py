# SPDX-License-Identifier: Apache-2.0
"""Dispatch policies by CATLASS's names: how a block of a product goes through the buffers in stages.

>>> from tla.ascend.plans.families import MmadPingpong
>>> print(MmadPingpong(unit_flag=True))
MmadPingpong<ArchTag,true>
>>> pingpong = policy("MmadPingpong<Arch::Ascend950, true, false, 1, false, 3>")
>>> pingpong.l1a_stages, pingpong.l1b_stages, pingpong.values["l1_resident"]
(3, 2, False)
>>> pingpong == MmadPingpong(arch="Ascend950", unit_flag=True, l1a_stages=3)
True
>>> policy("MmadAtlasA2Small(stages=1)").l0a_stages
1
>>> print(policy("Preload"), policy("Small"), policy("Pingpong"))
MmadAtlasA2Preload<> MmadAtlasA2Small<2> MmadPingpong<ArchTag>

Source: CATLASS gemm/dispatch_policy.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import UnsupportedError
from ...ground import Scanner, constexpr, did_you_mean, int_in, near_words, shortened
from .dispatch import ARCH_OF, CODE_OF, Family, Policy, arch_tag
from .families import FAMILIES, WITHOUT_BLOCK

if TYPE_CHECKING:
    from .dispatch import Parameter


@constexpr
def policy(text: str | Policy | Family) -> Policy:
    """Return the policy that a text names: a C++ type, or a name with keywords.

    >>> print(policy("Gemm::MmadPingpong<Arch::AtlasA2, true>"), policy("MmadPingpong(unit_flag=true)"))
    MmadPingpong<Arch::AtlasA2,true> MmadPingpong<ArchTag,true>

    The template argument of the architecture is optional: ``MmadPingpong<true>``. A flag's keyword alone
    sets it: ``MmadPingpong(unit_flag)``. ``Mmad`` in front is optional. So is the architecture after it,
    if the rest names one policy, or one that runs wherever the others run.

    Raises:
        ParseError: the text is neither; the error points at the place.
        UnsupportedError: no policy or parameter has the name.
        LayoutError: a number of stages is below 1.
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
        result = _read_template(scanner, family)
    elif scanner.accept("("):
        result = _read_keywords(scanner, family)
    else:
        result = family()
    scanner.expect_end()
    return result


def _family(name: str, at: int) -> Family:
    """The family of a name, in any case, whole or short."""
    families = [FAMILIES[full] for full in FAMILIES if name.lower() in _names(full)]
    everywhere = {code for family in families for code in family.codes}
    for family in families:
        if len(families) == 1 or everywhere == {*family.codes}:
            return family
    if why := WITHOUT_BLOCK.get(name):
        summary = f"CATLASS's {name} is no dispatch policy of a product"
        raise UnsupportedError(summary, f"It is {why}.", name=name, at=at)
    if not families:
        raise UnsupportedError(
            f"{shortened(name)!r} is not a dispatch policy", _near(name), name=name, at=at
        )
    ways = (f"{f.name} ({' or '.join(ARCH_OF[code] for code in f.codes)})" for f in families)
    raise UnsupportedError(
        f"{name!r} is short for {len(families)} dispatch policies", f"Write {' or '.join(ways)}.",
        name=name, at=at,
    )  # fmt: skip


def _names(name: str) -> tuple[str, ...]:
    """The names of a policy in small letters: whole, without ``Mmad``, and without the architecture."""
    tail = name.removeprefix("Mmad")
    if tail == name:
        return (name.lower(),)
    short = tail
    for arch in CODE_OF:
        short = short.removeprefix(arch)
    return name.lower(), tail.lower(), short.lower()


def _near(name: str) -> str:
    names = {text: full for full in FAMILIES for text in _names(full)}
    near = dict.fromkeys(names[text] for text in near_words(name.lower(), names, 0.5))
    return did_you_mean(near, FAMILIES)


def _read_template(scanner: Scanner, family: Family) -> Policy:
    """The policy of the values after ``<``, in their order."""
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
        if first and not tag:
            way = f"Write {family(arch=arch)}."
            scanner.fail(
                f"expected a parameter of {family.name} or '>', found {scanner.found()}",
                start,
                None,
                way,
            )
        if first and family.has_arch and tag not in ("true", "false") and not tag.isdigit():
            try:
                arch = arch_tag(tag) if tag != "ArchTag" else ""
            except UnsupportedError as error:
                scanner.fail(error.summary, start, start + len(word), *error.details)
            continue
        if len(values) == len(names):
            scanner.fail(f"{family.name} has {len(names)} parameters", start)
        parameter = family.parameters[len(values)]
        values[parameter.name] = _value(scanner, parameter, word, start)
    return family(arch=arch or None, **values)


def _read_keywords(scanner: Scanner, family: Family) -> Policy:
    """The policy of the values after ``(``, by their keywords."""
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
            return family(arch=None, **{name: 0})  # raises
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
        text = repr(shortened(word)) if word else scanner.found()
        scanner.fail(f"expected {kind} for {parameter.name}, found {text}", start)
    return int_in(word.rstrip("uU"))
