# SPDX-License-Identifier: Apache-2.0
"""The time of a plan, by the model of `pipes`.

>>> from tla.ascend.plans.plan import gemm
>>> plan = gemm("910B3", (1024, 576, 6144), "half", "RowMajor,ColumnMajor", (256, 128, 256))
>>> print(*estimate(plan).lines(), sep="\\n")
GemmShape<256,128,256>, GemmShape<256,128,64>, GemmIdentityBlockSwizzle<3,0>: 29.2 us
bound by the cube, its products, 28.2 us on the most loaded core
beside it MTE2 24.3, GM 13.2, MTE1 8.53, fixpipe 1.07
20 blocks in 1 round, cores wait 6% of the time
87.0 MiB loaded into L1, 18.8 MiB of them from global memory, 3.0 MiB written
copies from global memory at 100% of the full rate for A, 100% for B
1.01 us that nothing hides
>>> estimate(plan.replaced(l1="128,256,256", l0=None)).rounds
2
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...errors import LayoutError, UnsupportedError
from ..plans import fits
from ..shapes import GemmCoord
from .pipes import Model

if TYPE_CHECKING:
    from ..plans import Plan, Policy
    from ..schedules import BlockSwizzle
    from .estimates import Estimate

_LOAD_TAGS: Final = ("RowMajor", "ColumnMajor", "zN", "nZ", "PaddingRowMajor", "PaddingColumnMajor")
_WRITE_TAGS: Final = ("RowMajor", "zN")
_BANDS: Final = ("GemmIdentityBlockSwizzle", "SplitkGemmIdentityBlockSwizzle")
_OTHERS: Final = ("ColumnBlockSwizzle", "BlockSchedulerAswt", "BlockSchedulerIterateK")


def estimate(plan: Plan) -> Estimate:
    """Return the time of a plan whose tile fits. It checks no other rule of `Plan.check`.

    >>> from tla.ascend import gemm
    >>> time = estimate(gemm("910B3", (1024, 576, 6144), "half", l1=(256, 128, 256)))
    >>> f"{time.microseconds:.1f} us", time.bound, time.blocks, time.rounds
    ('38.5 us', 'MTE2', 20, 1)

    A large number of tiles costs no time: the blocks are counted in closed form.

    Raises:
        UnsupportedError: `model` raises it.
        LayoutError: the tile does not fit, as `fits` says, so it has no time.
    """
    pipes = model(plan)
    if not fits(plan.tile):
        errors = plan.check().errors
        raise LayoutError(
            f"{plan.l1}, {plan.l0} fits no block of {plan.policy} on {plan.arch}: it has no time",
            *(f"{finding.title}: {finding.text}" for finding in errors[:1]),
            l1=plan.l1,
            l0=plan.l0,
        )
    return pipes.estimate(plan.l1, plan.l0)


def model(plan: Plan) -> Model:
    """Return the model of a plan's product, for any tile.

    >>> from tla.ascend.plans.plan import gemm
    >>> model(gemm("AtlasA2", (4096, 4096, 4096))).order
    (3, 0)

    Raises:
        UnsupportedError: the core does not multiply the elements, or does not load or write a tag; the
            policy is for another architecture; or the model does not cover the policy, a bias or the
            swizzle.
    """
    plan.arch.product(plan.a, plan.b)
    for operand, name, tags in zip("ABC", plan.tags, (_LOAD_TAGS, _LOAD_TAGS, _WRITE_TAGS), strict=True):
        if name not in tags:
            verb = "written to" if operand == "C" else "loaded from"
            raise UnsupportedError(
                f"{operand} is not {verb} {name}", f"Known: {', '.join(tags)}.", tag=name
            )
    if plan.bias is not None:
        raise UnsupportedError("the cost model does not speak of a bias", bias=plan.bias)
    _check_policy(plan)
    products = () if plan.groups is None else plan.groups.problems
    products = tuple([product for product in products if min(product) > 0])
    if plan.groups is not None and plan.swizzle.name != _BANDS[0]:
        words = f"the cost model does not speak of several products in the order of {plan.swizzle.name}"
        raise UnsupportedError(words, f"It does of {_BANDS[0]}.", swizzle=plan.swizzle)
    most = GemmCoord(*map(max, zip(*products, strict=True))) if products else plan.problem
    return Model(
        plan.arch, plan.cores, most, plan.a, plan.b, plan.c, plan.tags,
        (plan.leading("A"), plan.leading("B"), plan.leading("C")),
        plan.policy, plan.swizzle, _order(plan.swizzle), products,
    )  # fmt: skip


def _check_policy(plan: Plan) -> None:
    policy: Policy = plan.policy
    if plan.arch.code not in policy.family.codes:
        raise UnsupportedError(
            f"{policy} has no block for {plan.arch} ({plan.arch.code})", policy=policy, arch=plan.arch
        )
    why = {True: "It keeps A in L1 from block to block."}.get(policy.family.a_slot == "half")
    why = "It adds to C in global memory." if "SingleCoreSplitk" in policy.name else why
    if why:
        raise UnsupportedError(f"the cost model does not speak of {policy.name}", why, policy=policy)


def _order(swizzle: BlockSwizzle) -> tuple[int, int] | None:
    """The offset and direction of a swizzle that has them, or None."""
    if swizzle.name in _BANDS:
        return int(swizzle.arguments[0]), int(swizzle.arguments[1])
    if swizzle.name in _OTHERS:
        return None
    names = f"It does of {', '.join((*_BANDS, *_OTHERS))}."
    raise UnsupportedError(f"the cost model does not speak of {swizzle.name}", names, swizzle=swizzle)
