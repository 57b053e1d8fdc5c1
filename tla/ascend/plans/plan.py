"""Plans of a matrix product: architecture, problem, elements, layouts, tiles, policy and swizzle in one
value.

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

What is malformed raises where the plan is made; what is illegal is reported by `Plan.check`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

from ...constexpr import constexpr
from ...display import html_of
from ...errors import KindError, LayoutError, UnsupportedError
from ...ints import Int
from ...text import shortened
from ..arch import arch as arch_named
from ..buffers import buffer_of, l1_tag
from ..cube import FP4
from ..elements import accumulator, element
from ..shapes import GemmCoord, GemmShape, gemm_shape, index_of
from ..tags.table import make_layout, tag_named
from .asserts import tile_of
from .defaults import default_l0, default_l1, default_policy, default_swizzle
from .footprint import fits, footprints
from .kernels import BLOCKS, slices
from .policies import policy as policy_of

if TYPE_CHECKING:
    from ...figure import Steps
    from ...layout import AnyLayout
    from ..arch import Arch
    from ..elements import Element
    from ..schedules import BlockSwizzle, Schedule
    from ..shapes import ShapeLike
    from .asserts import Tile
    from .dispatch import Family, Policy
    from .findings import Report
    from .footprint import Footprint

__all__ = ["BLOCKS", "LINES", "OPERANDS", "Level", "Operand", "Plan", "gemm"]

Operand: TypeAlias = Literal["A", "B", "C", "bias"]
Level: TypeAlias = Literal["GM", "L1", "L0A", "L0B", "L0C", "BT"]
_Given = TypeVar("_Given")
_Tags: TypeAlias = "tuple[str, str, str]"
_Fitted: TypeAlias = (
    "tuple[Arch, Element, Element, GemmShape, GemmShape, Policy, Element | None, _Tags, int]"
)
ElementsLike: TypeAlias = "str | Element | Sequence[str | Element]"

_LEVELS: Final[dict[str, tuple[str, ...]]] = {
    "A": ("GM", "L1", "L0A"),
    "B": ("GM", "L1", "L0B"),
    "C": ("GM", "L0C"),
    "bias": ("GM", "L1", "BT"),
}
OPERANDS: Final[tuple[Operand, ...]] = ("A", "B", "C")
LINES: Final = ("RowMajor", "ColumnMajor")
"""The tags of matrices that lie line by line, and have a leading dimension."""


class Plan(NamedTuple):
    """A plan of C = A B, or A B + bias. `gemm` makes one from texts and values, with defaults."""

    arch: Arch
    problem: GemmCoord
    a: Element
    b: Element
    c: Element
    tags: tuple[str, str, str]
    """How A, B and C lie in global memory."""
    ld: tuple[int | None, int | None, int | None]
    """Their leading dimensions, in elements; None is the shortest."""
    l1: GemmShape
    l0: GemmShape
    policy: Policy
    swizzle: BlockSwizzle
    cores: int
    bias: Element | None = None

    @property
    def accumulator(self) -> Element:
        """What products are summed in."""
        return accumulator(self.a, self.b)

    @property
    def tiles(self) -> GemmCoord:
        """How many tiles the problem takes in each direction."""
        return self.l1.tiles_of(self.problem)

    def element(self, operand: Operand) -> Element:
        """The element type of an operand in global memory and L1."""
        _known(operand)
        if operand == "bias":
            if self.bias is None:
                raise UnsupportedError("the plan has no bias", "Give gemm(..., bias='float').")
            return self.bias
        return {"A": self.a, "B": self.b, "C": self.c}[operand]

    def extents(self, operand: Operand, of: Sequence[int] | None = None) -> tuple[int, ...]:
        """The rows and columns of an operand: of the problem, or of a tile (m, n, k)."""
        _known(operand)
        m, n, k = self.problem if of is None else of
        return {"A": (m, k), "B": (k, n), "C": (m, n), "bias": (n,)}[operand]

    def layout(self, operand: Operand, level: Level = "GM") -> AnyLayout:
        """Return how an operand lies in a buffer: the whole of it in GM, else a whole tile.

        >>> plan = gemm("Ascend950", (1000, 600, 100), "half", "RowMajor,ColumnMajor")
        >>> print(plan.layout("B", "L1"), plan.layout("A"))
        ((_16,_8),(_16,_16)):((_1,_4096),(_16,_256)) (1000,100):(100,_1)

        Raises:
            UnsupportedError: the operand is never there.
        """
        _known(operand)
        if level not in _LEVELS[operand]:
            where = f"It is in {', '.join(_LEVELS[operand])}."
            raise UnsupportedError(f"{operand} is never in {level}", where, operand=operand, level=level)
        of = self.element(operand)
        if level == "GM":
            return self._global(operand, of)
        if operand == "bias":
            return make_layout(of if level == "L1" else self.accumulator, "VectorLayout", Int(self.l0.n))
        rows, cols = (Int(x) for x in self.extents(operand, self.tile_in(operand, level)))
        if level == "L1":
            return make_layout(of, l1_tag(self.tag(operand)), rows, cols)
        (tag,) = buffer_of(self.arch, level).tags
        return make_layout(self.accumulator if level == "L0C" else of, tag, rows, cols)

    def tile_in(self, operand: Operand, level: Level) -> GemmShape:
        """The tile of which a buffer holds an operand: all of k where the policy keeps A in L1."""
        tile = self.l1 if level == "L1" else self.l0
        whole = (operand, level, self.policy.family.a_slot) == ("A", "L1", "half")
        return tile._replace(k=self.problem.k) if whole else tile

    def _global(self, operand: Operand, of: Element) -> AnyLayout:
        sizes, tag = self.extents(operand), self.tag(operand)
        if tag in BLOCKS:
            block = self.extents(operand, self.l1)
            return make_layout(of, tag, *sizes, block=tuple(block))
        return make_layout(of, tag, *sizes, ld=self.leading(operand) if tag in LINES else None)

    def tag(self, operand: Operand) -> str:
        """The layout tag of an operand in global memory."""
        _known(operand)
        return "VectorLayout" if operand == "bias" else self.tags["ABC".index(operand)]

    def leading(self, operand: Operand) -> int:
        """The elements from one row of RowMajor, or column of ColumnMajor, to the next; else 0."""
        tag = self.tag(operand)
        if tag not in LINES:
            return 0
        given = self.ld["ABC".index(operand)]
        rows, cols = self.extents(operand)
        least = cols if tag == "RowMajor" else rows
        if given is None:
            return least + least % 2 if self.element(operand).name in FP4 else least
        return given

    @property
    def asserted(self) -> Tile:
        """The tile as the assertions of a block see it."""
        tile = (self.a, self.b, self.l1, self.l0, self.policy, self.bias)
        return tile_of(self.arch, *tile, c=self.c, c_tag=self.tags[2])

    @property
    def footprints(self) -> tuple[Footprint, ...]:
        """What the tile takes of each buffer."""
        return footprints(*self.fitted)

    @property
    def fitted(self) -> _Fitted:
        """What `footprints`, `fits` and `nearest` are asked, in the order of their arguments."""
        tile = (self.a, self.b, self.l1, self.l0, self.policy, self.bias)
        return (self.arch, *tile, self.tags, self.problem.k)

    def check(self) -> Report:
        """Return how the plan stands to each rule, and the nearest tile that fits if it breaks one."""
        from .legality import check

        return check(self)

    def nearest(self) -> Plan | None:
        """Return the plan with the nearest tile that fits, itself if it is that; None where none fits.

        >>> gemm("Ascend950", (64, 64, 64), "half", l1=(100, 256, 256)).nearest().l1
        GemmShape(m=96, n=256, k=256)
        """
        from .nearby import nearest

        if fits(*self.fitted):
            return self
        found = nearest(*self.fitted)
        return None if found is None else self._replace(l1=found.l1, l0=found.l0)

    def schedule(self, swizzle: str | BlockSwizzle | None = None) -> Schedule:
        """Return which core computes which block when, in the order of the plan's swizzle or of another.

        K is cut as by the kernel that takes the policy with the swizzle.

        >>> len(gemm("AtlasA2", (1024, 1024, 1024)).schedule())
        32
        """
        from ..schedules import swizzle as swizzle_of

        order = self.swizzle if swizzle is None else swizzle_of(swizzle)
        factor = slices(self.policy, order, self.problem, self.l1, self.cores) if order.splits else None
        return order.schedule(self.problem, self.l1, cores=self.cores, splitk=factor)

    def figure(self) -> Steps:
        """Return the picture of the plan, as data: what lies where in each buffer."""
        return self.check().figure()

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def emit_cpp(self) -> str:
        """Return the C++ text of the plan, in CATLASS's types."""
        from .emit import emit_cpp

        return emit_cpp(self)

    def replaced(self, **changes: object) -> Plan:
        """Return the plan with some of what `gemm` takes changed, the rest as it is.

        The cores, the policy, the swizzle and the tile in L0 follow the change where they are those that
        `gemm` chooses, and a policy for the architecture is one for the new one. The tile in L1 stays.

        >>> gemm("AtlasA2", (1024, 1024, 1024)).replaced(l1="64,256,128").l0
        GemmShape(m=64, n=256, k=64)
        >>> print(gemm("AtlasA2", (1024, 1024, 1024)).replaced(arch="Ascend950").policy)
        MmadPingpong<Arch::Ascend950,true>
        """
        bound = self.policy.arch == self.arch.tag
        given: dict[str, Any] = {
            "arch": self.arch, "problem": self.problem, "elements": (self.a, self.b, self.c),
            "tags": self.tags, "l1": self.l1, "l0": self.l0,
            "policy": self.policy._replace(arch=None) if bound else self.policy,
            "swizzle": self.swizzle, "bias": self.bias, "cores": self.cores, "ld": self.ld,
        }  # fmt: skip
        chosen = (
            ("cores", self.cores, self.arch.cores),
            ("policy", self.policy, default_policy(self.arch, self.a, self.bias).bound(self.arch.tag)),
            ("swizzle", self.swizzle, default_swizzle(self.problem, self.policy)),
            ("l0", self.l0, default_l0(self.arch, self.a, self.b, self.l1, self.policy)),
        )
        given.update((name, None) for name, value, usual in chosen if value == usual)
        unknown = [name for name in changes if name not in given]
        if unknown:
            raise UnsupportedError(
                f"a plan has no {unknown[0]}", f"It has {', '.join(given)}.", name=unknown[0]
            )
        given.update(changes)
        return gemm(**given)

    @property
    def formula(self) -> str:
        """What is computed: extents and element types."""
        m, n, k = self.problem
        bias = f" + bias[{n}] {self.bias}" if self.bias else ""
        return f"C[{m},{n}] {self.c} = A[{m},{k}] {self.a} * B[{k},{n}] {self.b}{bias}"

    def __str__(self) -> str:
        layouts = ", ".join(
            f"{x} {t}" + (f" ld {ld}" if ld is not None else "")
            for x, t, ld in zip("ABC", self.tags, self.ld, strict=True)
        )
        return (
            f"{self.arch}, {self.cores} cores: {self.formula}\n"
            f"  layouts   {layouts}\n"
            f"  tiles     L1 {self.l1}, L0 {self.l0}\n"
            f"  policy    {self.policy}\n"
            f"  swizzle   {self.swizzle}"
        )

    def __repr__(self) -> str:
        names = (self.a.name, self.b.name, self.c.name)
        parts = [
            repr(self.arch.name), repr(tuple(self.problem)), repr(names), repr(self.tags),
            repr(tuple(self.l1)), repr(tuple(self.l0)), repr(str(self.policy)), repr(str(self.swizzle)),
        ]  # fmt: skip
        if self.bias:
            parts.append(f"bias={self.bias.name!r}")
        if any(x is not None for x in self.ld):
            parts.append(f"ld={self.ld!r}")
        return f"gemm({', '.join(parts)}, cores={self.cores})"


def _known(operand: str) -> None:
    if operand not in _LEVELS:
        raise UnsupportedError(
            f"a product has no operand {operand!r}", f"It has {', '.join(_LEVELS)}.", operand=operand
        )


# --- what a plan is made from ---


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
) -> Plan:
    """Return the plan of a product.

    >>> gemm("Ascend950", "1024,1024,1024", "int8_t").c.name
    'int32_t'
    >>> gemm("AtlasA2", (64, 64, 64), "half", "RowMajor,ColumnMajor,RowMajor", "128x256x256").l0
    GemmShape(m=128, n=256, k=64)

    Args:
        problem: M, N and K, in elements.
        elements: Of A, B and C; one for all, or a text with commas. C of integers is ``int32_t``.
        tags: The layouts of A, B and C in global memory; one for all, or a text with commas.
        l1, l0: The tiles; as CATLASS's examples have them where they fit, else the nearest that fits.
            L0 has the m and n of L1, and the longest half, quarter ... of its k that fits.
        policy: MmadPingpong where nothing is said, on 2201 with a bias MmadAtlasA2PingpongBias; with the
            unit flag unless elements are integers.
        swizzle: As CATLASS advises where nothing is said: bands of 3.
        bias: Its element type, where there is one.
        cores: How many cores compute; all of them where nothing is said.
        ld: The leading dimensions of A, B and C; None, or what is left out at the end, is the shortest.

    Raises:
        UnsupportedError: a name is not known, or no core multiplies the elements.
        LayoutError: an extent, a number of stages or cores, an offset below 1; a leading dimension too
            short.
        ParseError: a text is not what it should be.
    """
    from ..schedules import swizzle as swizzle_of

    here = arch_named(arch)
    a, b, c = _elements(elements)
    of_bias = None if bias is None else element(bias)
    names = _tags(tags)
    how = default_policy(here, a, of_bias) if policy is None else policy_of(policy)
    how = how.bound(here.tag) if how.arch is None else how
    size = GemmCoord(*gemm_shape(problem, "problem"))  # behind all names: these a type may tell alone
    order = default_swizzle(size, how) if swizzle is None else swizzle_of(swizzle)
    if l1 is None:
        tile = default_l1(here, a, b, how, of_bias, tags=names, k=size.k)
    else:
        tile = gemm_shape(l1, "tile in L1")
    part = default_l0(here, a, b, tile, how) if l0 is None else gemm_shape(l0, "tile in L0")
    count = here.cores if cores is None else index_of("cores", cores)
    if count < 1:
        raise LayoutError(f"there is at least 1 core, not {count}", cores=count)
    plan = Plan(
        here, size, a, b, c, names, _leading(ld), tile, part, how,
        order, count, of_bias,
    )  # fmt: skip
    for operand in OPERANDS:
        tag, given = plan.tag(operand), plan.ld["ABC".index(operand)]
        if tag not in LINES:
            if given is not None:
                text = f"{operand}, {tag}, has no leading dimension, and ld gives it {given}"
                raise LayoutError(text, "Give None, or 0 in a command.", operand=operand, ld=given)
            continue
        try:
            plan.layout(operand)  # raises where a leading dimension is too short
        except LayoutError as error:
            raise LayoutError(f"{operand}, {error.summary}", *error.details, **error.data) from None
    return plan


def _parts(name: str, what: str | Sequence[_Given]) -> list[str | _Given]:
    if isinstance(what, str):
        return [x.strip() for x in what.split(",")]
    if not isinstance(what, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise KindError(
            f"{name} is a text or a sequence, not {type(what).__name__} {what!r}", value=what
        )
    return list(what)


def _elements(what: ElementsLike) -> tuple[Element, Element, Element]:
    from ..elements import Element

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
    parts = _parts("tags", what)
    if len(parts) == 1:
        parts = [parts[0], parts[0], "RowMajor"]
    if len(parts) == 2:
        parts.append("RowMajor")
    if len(parts) != 3:
        raise LayoutError(f"there are {len(parts)} layout tags, not those of A, B and C", given=what)
    found: list[str] = []
    for operand, part in zip("ABC", parts, strict=True):
        tag = tag_named(part)
        if tag.sizes != ("rows", "cols") or tag.elements is not None:
            raise UnsupportedError(
                f"{operand} cannot be {tag}: a matrix has rows and columns, this is {tag.about}",
                tag=tag.name,
            )
        found.append(tag.name)
    a, b, c = found
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
