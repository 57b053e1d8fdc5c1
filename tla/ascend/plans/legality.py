# SPDX-License-Identifier: Apache-2.0
"""Whether a plan is legal: every rule by name, with the numbers that are needed and available.

>>> from tla.ascend.plans.plan import gemm
>>> report = gemm("Ascend950", (4096, 4096, 4096), "half", l1=(100, 256, 256)).check()
>>> report.ok, report.catlass, str(report.nearest.l1)
(False, (), 'GemmShape<96,256,256>')
>>> print(report.errors[0].text[:77])
A 0 [0,56960) is written into A 1, which starts at 51200: both hold [51200,56

An error means that the kernel does not compile, or computes wrong sums. A warning means that it is slow,
or wrong for some data. A note has a useful fact. If CATLASS asserts a rule, the finding has the
compiler's text. If not, the rule is ours alone.

Source: CATLASS gemm/block/block_mmad_*.hpp, gemm/dispatch_policy.hpp, gemm/helper.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...errors import UnsupportedError
from ..cube import BIASES
from .asserts import MUTEXES, failures
from .buffer_rules import buffer_rules
from .copy_rules import copy_rules
from .defaults import bias_family
from .findings import Finding, Report
from .footprint import events, mmad_extents
from .group_rules import group_rules
from .memory_rules import memory_rules
from .nearby import nearest
from .tiling import BLOCKS, LINES, OPERANDS
from .vector_rules import vector_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .footprint import Footprint
    from .tiling import Tiling


def check(plan: Tiling) -> Report:
    """Return the report of every rule about a plan, with the nearest tile that fits if a rule is broken.

    >>> from tla.ascend.plans.plan import gemm
    >>> [f.rule for f in check(gemm("Ascend950", (64, 64, 64), "int4b_t")).errors]
    ['element types']
    """
    buffers = plan.footprints
    checks = tuple(_checks(plan, buffers))
    broken = _broken_rules(checks)
    if all(rule in OF_KERNEL for rule in broken):
        return Report(plan, checks, buffers, None)
    near = nearest(plan.tile)
    if near is None or (near.l1, near.l0) == (plan.l1, plan.l0):  # the tile is not the fault
        return Report(plan, checks, buffers, None)
    other = plan._replace(l1=near.l1, l0=near.l0)
    return Report(plan, checks, buffers, near, _broken_rules(_checks(other, other.footprints)))


def _checks(plan: Tiling, buffers: tuple[Footprint, ...]) -> Iterator[Finding]:
    kernel = tuple(_kernel_rules(plan))
    yield from kernel
    yield from buffer_rules(plan, buffers)
    yield from _tile_rules(plan)
    if all(rule not in OF_KERNEL for rule in _broken_rules(kernel)):
        yield from copy_rules(plan)
    yield from memory_rules(plan)
    yield from group_rules(plan)
    yield from vector_rules(plan)


def _broken_rules(checks: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f.rule for f in checks if f.severity == "error"))


OF_KERNEL: Final = ("architecture", "element types", "layouts", "bias")
"""The rules that no other tile can keep."""


# --- architecture, elements, layouts ---


def _kernel_rules(plan: Tiling) -> Iterator[Finding]:
    yield _architecture(plan)
    yield _elements(plan)
    yield from _layouts(plan)
    yield _bias(plan)
    yield _unit_flag(plan)


def _architecture(plan: Tiling) -> Finding:
    family, rule, here = plan.policy.family, "architecture", plan.arch.code
    block = "BlockMmadTla" if family.api == "tla" else "BlockMmad"
    missing = family.elsewhere
    if missing is None:
        missing = (f"{block} is not implemented for this DispatchPolicy",)
    if family.kind != "product":
        text = f"{family.name} is {family.about}"
        which = "attention" if family.kind == "attention" else "gemv"
        return Finding(rule, "error", text, fix=f"Take `{which}`, or MmadPingpong.", catlass=missing)
    if not family.codes:
        text = f"CATLASS has the name {family.name}, and no block for it"
        return Finding(rule, "error", text, fix="Take MmadPingpong.", catlass=missing)
    if here not in family.codes:
        codes = " and ".join(_GENERATION[code] for code in family.codes)
        text = f"{family.name} is made for {codes}; {plan.arch} runs {here}"
        return Finding(rule, "error", text, fix="MmadPingpong runs on both.", catlass=missing)
    if plan.policy.arch_code not in (None, here):
        text = f"{plan.policy} names another architecture than {plan.arch}"
        fix = f"Write {plan.policy.bound(plan.arch.tag)}."
        return Finding(rule, "error", text, fix=fix)
    return Finding(rule, "holds", f"{family.header} has a block for {here}")


_GENERATION: Final = {2201: "2201 (AtlasA2, AtlasA3)", 3510: "3510 (Ascend950)"}


def _elements(plan: Tiling) -> Finding:
    rule = "element types"
    try:
        product = plan.arch.product(plan.a, plan.b)
    except UnsupportedError as error:
        fix = " ".join(error.details)
        return Finding(rule, "error", error.summary, fix=fix)
    if product.scaled and not plan.policy.family.mx:
        text = f"{plan.a} and {plan.b} have a scale for 32 elements each (MX); "
        text += f"{plan.policy.name} takes none"
        return Finding(rule, "error", text, fix="CATLASS's MmadMx takes scales.")
    return Finding(rule, "holds", str(product))


_NO_SELECTOR: Final = ("Unsupported layout selector, can not find the specialization.",)
_FROM: Final = (*LINES, "zN", "nZ", *BLOCKS)


def _layouts(plan: Tiling) -> Iterator[Finding]:
    rule = "layouts"
    family = plan.policy.family
    for operand in OPERANDS[:2]:
        tag = plan.tag(operand)
        if family.lines_alone and tag not in LINES:
            text = f"{family.name} takes {operand} in lines, not as {tag}"
            fix = "Take RowMajor or ColumnMajor."
            yield Finding(rule, "error", text, "L1", fix=fix, catlass=_NO_SELECTOR)
        elif tag not in _FROM:
            text = f"no copy brings {operand} from {tag} in global memory to L1"
            yield Finding(rule, "error", text, "L1", fix=f"Copies come from {', '.join(_FROM)}.")
        elif tag in BLOCKS and family.api == "tla":
            text = f"no copy of {family.name} brings {operand} from {tag} to L1"
            fix = "Take RowMajor or ColumnMajor"
            fix += ", or MmadAtlasA2Preload." if plan.arch.code == 2201 else "."
            yield Finding(rule, "error", text, "L1", fix=fix)
    names = [name for name in family.asserts if name.startswith("layout C")]
    texts = failures(plan.tile, names)
    if texts:
        text = f"C of {plan.c} cannot be written as {plan.tags[2]}"
        yield Finding(rule, "error", text, "GM", fix="Take RowMajor for C.", catlass=texts)
    elif plan.tags[2] not in ("RowMajor", "zN"):
        text = f"no copy writes C as {plan.tags[2]}"
        yield Finding(rule, "error", text, "GM", fix="Take RowMajor for C, or zN.")
    else:
        yield Finding(rule, "holds", f"A {plan.tags[0]}, B {plan.tags[1]}, C {plan.tags[2]}")


def _bias(plan: Tiling) -> Finding:
    family = plan.policy.family
    needs = "bias not bfloat16" in family.asserts
    texts = failures(plan.tile, [x for x in family.asserts if x in ("bias not bfloat16", "no bias")])
    if plan.bias is not None and not family.adds_bias(plan.arch.code):
        if family.adds_bias(3510):
            text = f"{family.name} adds a bias by a copy to BT, which TLA lacks on {plan.arch}"
            texts = ("Unsupported TileCopyTla, can not find the specialization.",)
        else:
            text = f"the block of {family.name} adds no bias"
        return Finding("bias", "error", text, fix=f"Take {bias_family(plan.arch).name}.", catlass=texts)
    if plan.bias is None and needs:
        return Finding(
            "bias", "error", f"the block of {family.name} adds a bias", fix="Give bias='float'."
        )
    if texts:
        text = f"{family.name} takes no bias of {plan.bias}"
        return Finding("bias", "error", text, fix="Take float, or half.", catlass=texts)
    pairs, sums = BIASES[plan.arch.code], plan.accumulator.name
    if plan.bias is not None and (sums, plan.bias.name) not in pairs:
        text = f"no bias of {plan.bias} is added to sums of {sums} on {plan.arch}"
        takes = " or ".join(b for s, b in pairs if s == sums)
        return Finding("bias", "error", text, "BT", fix=f"Take {takes}.")
    return Finding("bias", "holds", f"of {plan.bias}" if plan.bias else "none")


def _unit_flag(plan: Tiling) -> Finding:
    rule, policy = "unit flag", plan.policy
    texts = failures(plan.tile, [x for x in policy.family.asserts if "unit flag" in x])
    if texts:
        text = f"with the unit flag L0C has 1 stage, not {policy.l0c_stages}"
        return Finding(
            rule, "error", text, "L0C", policy.l0c_stages, 1, "stages",
            "Take l0c_stages=1, or unit_flag=False.", texts,
        )  # fmt: skip
    if policy.unit_flag and plan.accumulator.name == "int32_t" and policy.name == "MmadAtlasA2Pingpong":
        # So CATLASS's docs/en/3_API/.../block_mmad_pingpong.md, of this policy alone: examples 52 and 57
        # set the flag of MmadPingpong with int8_t.
        text = f"CATLASS states that {policy.name} has no unit flag with {plan.a}, and asserts nothing"
        return Finding(rule, "error", text, "L0C", fix="Take unit_flag=False.")
    return Finding(rule, "holds", "set" if policy.unit_flag else "not set")


# --- tiles and stages ---


def _tile_rules(plan: Tiling) -> Iterator[Finding]:
    for name in plan.policy.family.asserts:
        key = (
            name if name in _TEXTS else name.partition(" ")[2]
        )  # of MX, of complex numbers: other words
        if key in _TEXTS:
            rule, *texts = _TEXTS[key]
            text, fix = (each.format(plan=plan) for each in texts)
            catlass = failures(plan.tile, [name])
            yield Finding.judge(rule, text, "", *_numbers(plan, key), fix, catlass)
    for axis, extent, most in mmad_extents(plan.arch, plan.l0):
        text = f"{axis} of L0 is {extent}, and an Mmad takes {most} at most"
        fix = f"Take a smaller {axis} for L0."
        yield Finding.judge(f"Mmad {axis}", text, "", extent, most, "elements", fix)
    yield from _events(plan)


def _numbers(plan: Tiling, name: str) -> tuple[int | None, int | None, str]:
    """The number that a rule limits, the greatest allowed number, and their unit."""
    facts = plan.policy.facts
    if name == "L0 K":
        return plan.l0.k, plan.l1.k, "elements"
    if name == "preload":
        return facts.preload, min(facts.l1a, facts.l1b), "stages"
    if name == "mutexes":
        return sum(facts[:5]) + 2 * (plan.bias is not None), MUTEXES, "mutexes"
    return None, None, "bytes"


_TEXTS: Final = {
    "L0 M,N": (
        "L0 m and n",
        "m and n are {plan.l0.m} x {plan.l0.n} in L0 and {plan.l1.m} x {plan.l1.n} in L1, not equal",
        "Take m = {plan.l1.m} and n = {plan.l1.n} for L0.",
    ),
    "L0 M": ("L0 m", "m of L0, {plan.l0.m}, exceeds that of L1, {plan.l1.m}", "Take m <= {plan.l1.m}."),
    "L0 N": ("L0 n", "n of L0, {plan.l0.n}, exceeds that of L1, {plan.l1.n}", "Take n <= {plan.l1.n}."),
    "L0 M,N,K": (
        "L0 m, n and k",
        "L0 is {plan.l0} and L1 {plan.l1}, not equal",
        "Take the same tile for both.",
    ),
    "MX k": ("MX k", "k of L1, {plan.l1.k}, and of L0, {plan.l0.k}, are multiples of 64", "Take such."),
    "MX preload": (
        "preload",
        "{plan.policy.preload} tiles are loaded ahead: fewer than the stages of A and of B in L1",
        "Take preload_stages=1, with two stages of each.",
    ),
    "sparse types": (
        "sparse types",
        "a sparse B multiplies int8_t by int8_t to int32_t, not {plan.a} by {plan.b} to {plan.c}",
        "Take int8_t, int8_t and int32_t.",
    ),
    "sparse layout B": (
        "sparse layout", "B is {plan.tags[1]}, and a sparse B is ColumnMajor", "Take ColumnMajor.",
    ),
    "L0 K": ("L0 k", "k of L0, {plan.l0.k}, exceeds that of L1, {plan.l1.k}", "Take k <= {plan.l1.k}."),
    "aligned": (
        "tile alignment",
        "m and k of {plan.a}, k and n of {plan.b}, in L1 and in L0, are multiples of 32 bytes",
        "Take multiples of {plan.a.c0}.",
    ),
    "aligned tiles": (
        "tile alignment",
        "m and k of {plan.a}, k and n of {plan.b} are multiples of 32 bytes",
        "Take multiples of {plan.a.c0}.",
    ),
    "aligned on 2201": (
        "tile alignment",
        "m and k of {plan.a}, k and n of {plan.b} are multiples of 32 bytes on 2201",
        "Take multiples of {plan.a.c0}.",
    ),
    "HF32": ("HF32", "hf32 multiplies float by float, not {plan.a} by {plan.b}", "Take hf32=False."),
    "preload": (
        "preload",
        "{plan.policy.preload} tiles are loaded ahead, of {plan.policy.l1a_stages} stages of A and "
        "{plan.policy.l1b_stages} of B in L1",
        "Take no more than the fewer of the two.",
    ),
    "equal L1 stages": (
        "equal L1 stages",
        "A has {plan.policy.l1a_stages} stages in L1 and B {plan.policy.l1b_stages}: the two are equal",
        "Take as many of each.",
    ),
    "one stage of A": (
        "one stage of A",
        "A has {plan.policy.l1a_stages} stages in L1, and all of its rows lie there once",
        "Take l1a_stages=1.",
    ),
    "square M,K": ("square tile", "m, {plan.l1.m}, and k, {plan.l1.k}, of L1 are equal", "Take m = k."),
    "square K,N": ("square tile", "k, {plan.l1.k}, and n, {plan.l1.n}, of L1 are equal", "Take k = n."),
    "mutexes": ("mutexes", "stages and bias hold more mutexes than there are", "Take fewer stages."),
}  # fmt: skip


def _events(plan: Tiling) -> Iterator[Finding]:
    policy, family, most = plan.policy, plan.policy.family, plan.arch.events
    for buffer, needed in events(plan.tile):
        names = [name for name in family.asserts if f"{buffer} events" in name]
        text = f"{needed} stages hold an event id each, and there are {most}: 0 to {most - 1}"
        if not names:
            text += f"; {policy.name} asserts nothing of it"
        yield Finding.judge(
            f"{buffer} events", text, buffer, needed, most, "events",
            "Take fewer stages.", failures(plan.tile, names),
        )  # fmt: skip
