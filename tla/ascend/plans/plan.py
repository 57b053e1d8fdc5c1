# SPDX-License-Identifier: Apache-2.0
"""Plans of a matrix product: its problem, elements, layouts, tiles, policy and swizzle in one value.

>>> plan = gemm("AtlasA2", "4096,4096,4096", "half")
>>> print(plan)
AtlasA2, 24 cores: C[4096,4096] half = A[4096,4096] half * B[4096,4096] half
  layouts   A RowMajor, B RowMajor, C RowMajor
  tiles     L1 GemmShape<128,256,256>, L0 GemmShape<128,256,64>
  policy    MmadPingpong<Arch::AtlasA2,true>
  swizzle   GemmIdentityBlockSwizzle<3,0>
>>> print(plan.layout("A", "L1"))
((_16,_8),(_16,_16)):((_16,_256),(_1,_2048))
>>> plan.check().ok
True

`gemm` raises an error for a malformed argument. `Plan.check` reports a plan that is illegal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypeAlias, TypeVar, cast

from ...errors import KindError, LayoutError, ParseError, UnsupportedError
from ...ground import constexpr, described, html_of, shortened
from ..arch import arch as arch_named
from ..elements import Element, accumulator, element
from ..schedules import swizzle as swizzle_of
from ..shapes import GemmCoord, GemmShape, gemm_shape
from ..tags import tag_named
from .defaults import default_cores, default_l0, default_l1, default_policy, default_swizzle
from .emit import emit_cpp
from .epilogues import EPILOGUES, Epilogue, epilogue as epilogue_of
from .examples import emit_into
from .families import MmadAtlasA2PreloadAsync
from .footprint import fits
from .group_rules import schedule_of
from .groups import batches_of, groups_of, list_of
from .legality import check
from .nearby import nearest
from .policies import policy as policy_of
from .programs import emit_program
from .scales import scale_of
from .tiling import LINES, OPERANDS, Tiling

if TYPE_CHECKING:
    from pathlib import Path

    from ...ground import Steps
    from ..arch import Arch
    from ..schedules import BlockSwizzle, Schedule
    from ..shapes import ShapeLike
    from .dispatch import Family, Policy
    from .findings import Report
    from .programs import CppProgram
    from .scales import Scale, ScaleLike

_Part = TypeVar("_Part")
ElementsLike: TypeAlias = "str | Element | Sequence[str | Element]"


class Plan(Tiling):
    """A plan of C = A B, or A B + bias. `gemm` makes one from texts and values, with defaults."""

    __slots__ = ()

    def check(self) -> Report:
        """Return the report of every rule, with the nearest tile that fits if a rule is broken."""
        return check(self)

    def nearest(self) -> Plan | None:
        """Return the plan with the nearest tile that fits, which may be its own; None if none fits.

        >>> gemm("Ascend950", (64, 64, 64), "half", l1=(100, 256, 256)).nearest().l1
        GemmShape(m=96, n=256, k=256)
        """
        if fits(self.tile):
            return self
        near = nearest(self.tile)
        return None if near is None else self._replace(l1=near.l1, l0=near.l0)

    def schedule(self, swizzle: str | BlockSwizzle | None = None) -> Schedule:
        """Return the schedule of the blocks on the cores, in the order of the plan's swizzle or of
        another.

        The kernel that takes the policy with the swizzle decides the slices of k.

        >>> len(gemm("AtlasA2", (1024, 1024, 1024)).schedule())
        32
        """
        return schedule_of(self, self.swizzle if swizzle is None else swizzle_of(swizzle))

    def figure(self) -> Steps:
        """Return the picture of the plan, as data: the stages in each buffer."""
        return self.check().figure()

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def emit_cpp(self) -> str:
        """Return the C++ text of the plan, in CATLASS's types."""
        return emit_cpp(self)

    def emit(
        self, name: str = "tla_matmul", *, into: str | None = None, catlass: str | Path | None = None
    ) -> CppProgram:
        """Return the whole program of the plan: a host, the kernel, and what CMake is told of it.

        With `into` it is an example of CATLASS with the plan's tiles, policy, swizzle and layouts.

        >>> program = gemm("AtlasA2", (1024, 1024, 1024), "half").emit("my_matmul")
        >>> sorted(program.files())
        ['CMakeLists.txt', 'my_matmul.cpp']

        Args:
            name: The name of the program, of its folder and of its target.
            into: The name of an example, as ``13_basic_matmul_tla``, or the path of a source.
            catlass: The folder of CATLASS for `into`; by default that of the environment's ``CATLASS``.

        Raises:
            UnsupportedError: the plan breaks a rule, no kernel of CATLASS takes it, or the example says
                something that contradicts it; the error names the line.
            ArgumentError: the name is no word of letters, digits and underscores, or there is no such
                example.
        """
        self.check().expect_legal()
        return emit_program(self, name) if into is None else emit_into(self, into, catlass)

    def replaced(self, **changes: object) -> Plan:
        """Return the plan with some arguments of `gemm` changed, for the same groups.

        Four arguments that have their default get the new default: the cores, the policy, the swizzle
        and the tile in L0. A policy of the architecture becomes one of the new architecture. The tile in
        L1 stays.

        >>> gemm("AtlasA2", (1024, 1024, 1024)).replaced(l1="64,256,128").l0
        GemmShape(m=64, n=256, k=64)
        >>> print(gemm("AtlasA2", (1024, 1024, 1024)).replaced(arch="Ascend950").policy)
        MmadPingpong<Arch::Ascend950,true>
        """
        has_own_arch = self.policy.arch == self.arch.tag
        arguments: dict[str, Any] = {
            "arch": self.arch, "problem": self.problem, "elements": (self.a, self.b, self.c),
            "tags": self.tags, "l1": self.l1, "l0": self.l0,
            "policy": self.policy._replace(arch=None) if has_own_arch else self.policy,
            "swizzle": self.swizzle, "bias": self.bias, "cores": self.cores, "ld": self.ld,
            "scale": self.scale, "epilogue": self.epilogue,
        }  # fmt: skip
        if self.groups is not None and "problem" in changes:
            raise UnsupportedError("a plan of several products keeps its problem", name="problem")
        defaults = (
            ("cores", self.cores, self.arch.cores),
            ("policy", self.policy, default_policy(self.arch, self.a, self.bias).bound(self.arch.tag)),
            ("swizzle", self.swizzle, default_swizzle(self.problem, self.policy)),
            ("l0", self.l0, default_l0(self.arch, self.a, self.b, self.l1, self.policy)),
        )
        arguments.update((name, None) for name, value, usual in defaults if value == usual)
        unknown = [name for name in changes if name not in arguments]
        if unknown:
            raise UnsupportedError(
                f"a plan has no {unknown[0]}", f"It has {', '.join(arguments)}.", name=unknown[0]
            )
        arguments.update(changes)
        return gemm(**arguments)._replace(groups=self.groups)


# --- the arguments of a plan ---


@constexpr
def gemm(
    arch: str | Arch,
    problem: ShapeLike,
    elements: ElementsLike = "half",
    tags: str | Sequence[str] = "RowMajor",
    l1: ShapeLike | None = None,
    l0: ShapeLike | None = None,
    policy: str | Policy | Family | None = None,
    swizzle: str | BlockSwizzle | None = None,
    *,
    bias: str | Element | None = None,
    cores: int | None = None,
    ld: Sequence[int | None] | None = None,
    scale: ScaleLike | None = None,
    epilogue: str | Epilogue | None = None,
) -> Plan:
    """Return the plan of a product.

    >>> gemm("Ascend950", "1024,1024,1024", "int8_t").c.name
    'int32_t'
    >>> gemm("AtlasA2", (64, 64, 64), "half", "RowMajor,ColumnMajor,RowMajor", "128x256x256").l0
    GemmShape(m=128, n=256, k=64)

    Args:
        problem: M, N and K, in elements.
        elements: The types of A, B and C: one for all, a sequence, or a text with commas. The default C
            of integers is ``int32_t``.
        tags: The layouts of A, B and C in global memory: one for A and B, a sequence, or a text with
            commas.
        l1, l0: The tiles. The default of L1 is the tile of CATLASS's examples, or the nearest that fits.
            The default of L0 has the m and n of L1, and the longest half, quarter ... of its k that
            fits.
        policy: The default is MmadPingpong, or MmadAtlasA2PingpongBias on 2201 with a bias. It sets the
            unit flag unless the elements are integers.
        swizzle: The default is bands of 3, as CATLASS advises.
        bias: The element type of a bias; None without a bias.
        cores: The number of cores; by default all of them.
        ld: The leading dimensions of A, B and C. None, or a missing entry, is the shortest.
        scale: What scales the sums: ``tensor`` and ``channel`` on their way out of L0C, ``token`` in an
            epilogue; alone, or in a pair with the shape of the scales. The default policy then takes
            them.
        epilogue: What the vector cores do with C, one of `epilogue` or its name. C is then in the
            workspace, in the type that the epilogue reads, and the type of C in `elements` is that of
            the result.

    Raises:
        UnsupportedError: a name is not known, or no core multiplies the elements.
        LayoutError: an extent or a number of stages or cores is below 1, or a leading dimension is too
            short.
        ParseError: a text does not follow its notation.
    """
    here = arch_named(arch)
    a, b, c = _elements(elements)
    size = None if scale is None and epilogue is None else GemmCoord(*gemm_shape(problem, "problem"))
    scales = None if scale is None or size is None else scale_of(scale, size)
    if scales is not None and scales.kind != "token":
        c = c if _has_c(elements) else element("half")
    vector = _epilogue_of(epilogue, scales, arch, (a, b, c) if _has_c(elements) else None, l1)
    c = c if vector is None else dict(vector.elements)["C"]
    of_bias = None if bias is None else element(bias)
    names = _tags(tags)
    kind = None if scales is None or vector is not None else scales.kind
    how = default_policy(here, a, of_bias, kind) if policy is None else policy_of(policy)
    how = how.bound(here.tag) if how.arch is None else how
    size = GemmCoord(*gemm_shape(problem, "problem"))  # after all names, which types alone can decide
    order = default_swizzle(size, how) if swizzle is None else swizzle_of(swizzle)
    if l1 is None:
        tile = default_l1(here, a, b, how, of_bias, tags=names, k=size.k, scale=kind)
    else:
        tile = gemm_shape(l1, "tile in L1")
    part = default_l0(here, a, b, tile, how) if l0 is None else gemm_shape(l0, "tile in L0")
    plan = Plan(
        here, size, a, b, c, names, _leading(ld), tile, part, how,
        order, default_cores(here, cores), of_bias, None, scales, vector,
    )  # fmt: skip
    for operand in OPERANDS:
        tag, leading = plan.tag(operand), plan.ld["ABC".index(operand)]
        if tag not in LINES:
            if leading is not None:
                text = f"{operand}, {tag}, has no leading dimension, and ld gives it {leading}"
                raise LayoutError(text, "Give None, or 0 in a command.", operand=operand, ld=leading)
            continue
        try:
            plan.layout(operand)  # raises if a leading dimension is too short
        except LayoutError as error:
            raise LayoutError(f"{operand}, {error.summary}", *error.details, **error.data) from None
    return plan


def _has_c(elements: ElementsLike) -> bool:
    """Whether the caller names the type of C."""
    if isinstance(elements, Element):
        return False
    return (elements.count(",") if isinstance(elements, str) else len(elements) - 1) == 2


def _epilogue_of(
    what: str | Epilogue | None,
    scales: Scale | None,
    arch: str | Arch,
    elements: tuple[Element, Element, Element] | None,
    l1: ShapeLike | None,
) -> Epilogue | None:
    """The epilogue of a name, with tiles as CATLASS's examples have them; that of scales by token."""
    if isinstance(what, Epilogue):
        return what
    if what is None and (scales is None or scales.kind != "token"):
        return None
    on_950 = arch_named(arch).code == 3510
    tile = gemm_shape(l1, "tile in L1") if l1 is not None else GemmShape(128, 256, 1)
    out = element("half") if elements is None else elements[2]
    if what is None:
        name = "per_token_dequant_ub" if on_950 else "per_token_dequant"
        return epilogue_of(name, tile[:2] if on_950 else (32, 256), out=out)
    if what in EPILOGUES and EPILOGUES[what].flat:
        return epilogue_of(what, -(-tile.m // 2) * tile.n, out=out)
    return epilogue_of(what, tile[:2] if on_950 else (32, 256), out=out)


@constexpr
def grouped(
    arch: str | Arch,
    problem: ShapeLike | None,
    groups: Sequence[SupportsIndex] | Sequence[ShapeLike],
    elements: ElementsLike = "half",
    tags: str | Sequence[str] = "RowMajor",
    l1: ShapeLike | None = None,
    l0: ShapeLike | None = None,
    policy: str | Policy | Family | None = None,
    swizzle: str | BlockSwizzle | None = None,
    *,
    axis: Literal["m", "k"] = "m",
    bias: str | Element | None = None,
    cores: int | None = None,
    ld: Sequence[int | None] | None = None,
    scale: ScaleLike | None = None,
    epilogue: str | Epilogue | None = None,
) -> Plan:
    """Return the plan of several products: groups of M or of K of one problem, or a list of problems.

    >>> plan = grouped("AtlasA2", (4096, 1280, 512), (1000, 0, 3096))
    >>> print(plan.formula)
    C[4096,1280] half = A[4096,512] half * B[512,1280] half, 3 groups of M: 1000, 0, 3096
    >>> plan.check().ok, plan.schedule().proof().tasks, plan.groups.ends
    (True, 165, (1000, 1000, 4096))
    >>> grouped("AtlasA2", None, [(64, 64, 64), (300, 64, 32)]).problem
    GemmCoord(m=300, n=64, k=64)

    Args:
        problem: M, N and K of all groups together; None with a list of problems.
        groups: The rows of each group, or its part of K, some perhaps 0. With a list of problems M, N
            and K of each.
        axis: The axis that the groups divide. Groups of ``m`` share A and C, each with its own B. Groups
            of ``k`` share A and B, each with its own C.
        policy: The default is MmadAtlasA2PreloadAsync on 2201, and MmadPingpong on 3510.

    The other arguments, and the errors, are those of `gemm`.

    Raises:
        LayoutError: the groups do not add up to the problem's extent, or one is negative.
    Source: CATLASS examples 02, 05, 08 and 60.
    """
    if problem is None:
        if axis != "m":
            raise LayoutError(f"a list of products is not divided along an axis, here {described(axis)}")
        whole, found = list_of(cast("Sequence[ShapeLike]", groups))
    else:
        whole = GemmCoord(*gemm_shape(problem, "problem"))
        found = groups_of(axis, whole, cast("Sequence[SupportsIndex]", groups))
    if tags == "RowMajor" and problem is not None and axis == "k":
        tags = ("ColumnMajor", "RowMajor", "RowMajor")  # what the kernel takes
    how = _of_groups(arch, elements, bias) if policy is None and scale in (None, "token") else policy
    plan = gemm(
        arch, whole, elements, tags, l1, l0, how, swizzle, bias=bias, cores=cores, ld=ld, scale=scale,
        epilogue=epilogue,
    )  # fmt: skip
    return plan._replace(groups=found)


@constexpr
def batched(
    arch: str | Arch,
    problem: ShapeLike,
    count: SupportsIndex,
    elements: ElementsLike = "half",
    tags: str | Sequence[str] = "RowMajor",
    l1: ShapeLike | None = None,
    l0: ShapeLike | None = None,
    policy: str | Policy | Family | None = None,
    swizzle: str | BlockSwizzle | None = None,
    *,
    bias: str | Element | None = None,
    cores: int | None = None,
    ld: Sequence[int | None] | None = None,
    scale: ScaleLike | None = None,
    epilogue: str | Epilogue | None = None,
) -> Plan:
    """Return the plan of a batch: `count` products of the same extents, each with its own A, B and C.

    >>> plan = batched("Ascend950", (300, 256, 64), 5, "float")
    >>> plan.check().ok, plan.schedule().proof().tasks
    (True, 10)

    The other arguments, and the errors, are those of `gemm`.

    Raises:
        LayoutError: the count is below 1.
    Source: CATLASS examples 01, 45 and 67.
    """
    plan = gemm(
        arch, problem, elements, tags, l1, l0, policy, swizzle, bias=bias, cores=cores, ld=ld,
        scale=scale, epilogue=epilogue,
    )  # fmt: skip
    return plan._replace(groups=batches_of(plan.problem, count))


def _of_groups(arch: str | Arch, elements: ElementsLike, bias: str | Element | None) -> Policy | None:
    """The policy of CATLASS's grouped products; None is that of one product."""
    if arch_named(arch).code != 2201 or bias is not None:
        return None
    return MmadAtlasA2PreloadAsync(unit_flag=accumulator(*_elements(elements)[:2]).name != "int32_t")


def _parts(name: str, what: str | Sequence[_Part]) -> list[str | _Part]:
    if isinstance(what, str):
        return [x.strip() for x in what.split(",")]
    if not isinstance(what, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise KindError(f"{name} is a text or a sequence, not {described(what)}", value=what)
    return list(what)


def _elements(what: ElementsLike) -> tuple[Element, Element, Element]:
    if isinstance(what, Element) or (isinstance(what, str) and "," not in what):
        a = b = element(what)
        c = None
    else:
        parts = _parts("elements", what)
        if len(parts) not in (2, 3):
            raise LayoutError(
                f"there are {len(parts)} element types, not those of A, B and C", given=what
            )
        a, b = element(parts[0]), element(parts[1])
        c = element(parts[2]) if len(parts) == 3 else None
    acc = accumulator(a, b)
    if c is None:
        c = a if a.bits >= 16 else acc
    return a, b, c


def _tags(what: str | Sequence[str]) -> tuple[str, str, str]:
    if isinstance(what, str) and (more := re.search(r"[<(].*[>)]", what, re.S)):
        summary = "the tags of A, B and C have no sizes and no element types: the plan states these"
        raise ParseError(summary, what, *more.span(), "Write RowMajor,ColumnMajor,RowMajor.")
    parts = _parts("tags", what)
    if len(parts) == 1:
        parts = [parts[0], parts[0], "RowMajor"]
    if len(parts) == 2:
        parts.append("RowMajor")
    if len(parts) != 3:
        raise LayoutError(f"there are {len(parts)} layout tags, not those of A, B and C", given=what)
    names: list[str] = []
    for operand, part in zip("ABC", parts, strict=True):
        tag = tag_named(part)
        if tag.sizes != ("rows", "cols") or tag.elements is not None:
            raise UnsupportedError(
                f"{operand} cannot be {tag}: a matrix has rows and columns, this is {tag.about}",
                tag=tag.name,
            )
        names.append(tag.name)
    a, b, c = names
    return a, b, c


def _leading(ld: Sequence[int | None] | None) -> tuple[int | None, int | None, int | None]:
    if ld is None:
        return None, None, None
    is_some = not isinstance(ld, str) and isinstance(ld, Sequence)  # pyright: ignore[reportUnnecessaryIsInstance]
    if not is_some or not 1 <= len(ld) <= 3:
        raise LayoutError(
            f"ld is up to three leading dimensions, of A, B and C, not {shortened(str(ld))}",
            "None stands for the shortest.",
            ld=ld,
        )
    a, b, c = (*ld, None, None)[:3]
    return a, b, c
