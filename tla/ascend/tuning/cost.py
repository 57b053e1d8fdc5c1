"""How long a plan takes, by the model of `pipes`.

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
from .pipes import Model

if TYPE_CHECKING:
    from ..plans import Plan, Policy
    from ..schedules import BlockSwizzle
    from .estimates import Estimate

_LOADED: Final = ("RowMajor", "ColumnMajor", "zN", "nZ", "PaddingRowMajor", "PaddingColumnMajor")
_WRITTEN: Final = ("RowMajor", "zN")
_CLOSED: Final = ("GemmIdentityBlockSwizzle", "SplitkGemmIdentityBlockSwizzle")
_WALKED: Final = ("ColumnBlockSwizzle", "BlockSchedulerAswt", "BlockSchedulerIterateK")


def estimate(plan: Plan) -> Estimate:
    """Return how long a plan takes whose tile fits; all else that is legal is `Plan.check`'s subject.

    >>> from tla.ascend import gemm
    >>> found = estimate(gemm("910B3", (1024, 576, 6144), "half", l1=(256, 128, 256)))
    >>> f"{found.microseconds:.1f} us", found.bound, found.blocks, found.rounds
    ('38.5 us', 'MTE2', 20, 1)

    Blocks are counted by closed forms where the swizzle has one, so the number of tiles does not matter.

    Raises:
        UnsupportedError: as `model`.
        LayoutError: no block takes the tile, as `fits` has it: there is no time to speak of.
    """
    pipes = model(plan)
    if not fits(plan.tile):
        broken = plan.check().errors
        raise LayoutError(
            f"{plan.l1}, {plan.l0} fits no block of {plan.policy} on {plan.arch}: it has no time",
            *(f"{finding.title}: {finding.text}" for finding in broken[:1]),
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
        UnsupportedError: the core does not multiply the elements, a tag is none that it loads or
            writes, the policy is not of the architecture, or the model does not speak of the policy, of
            a bias or of the swizzle.
    """
    plan.arch.product(plan.a, plan.b)
    for operand, name, known in zip("ABC", plan.tags, (_LOADED, _LOADED, _WRITTEN), strict=True):
        if name not in known:
            verb = "written to" if operand == "C" else "loaded from"
            raise UnsupportedError(
                f"{operand} is not {verb} {name}", f"Known: {', '.join(known)}.", tag=name
            )
    if plan.bias is not None:
        raise UnsupportedError("the cost model does not speak of a bias", bias=plan.bias)
    _check_policy(plan)
    return Model(
        plan.arch, plan.cores, plan.problem, plan.a, plan.b, plan.c, plan.tags,
        (plan.leading("A"), plan.leading("B"), plan.leading("C")),
        plan.policy, plan.swizzle, _closed_form(plan.swizzle),
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


def _closed_form(swizzle: BlockSwizzle) -> tuple[int, int] | None:
    """Offset and direction, where blocks can be counted without walking through them."""
    if swizzle.name in _CLOSED:
        return int(swizzle.arguments[0]), int(swizzle.arguments[1])
    if swizzle.name in _WALKED:
        return None
    names = f"It does of {', '.join((*_CLOSED, *_WALKED))}."
    raise UnsupportedError(f"the cost model does not speak of {swizzle.name}", names, swizzle=swizzle)
