# SPDX-License-Identifier: Apache-2.0
"""Which tags a layout is in, and why it is not in another.

>>> layout = parse("((16,2),(16,3)):((16,256),(1,512)):(20,48)")
>>> tag_of(layout), tags_of(layout), is_zN(layout, "int8_t")
('zN', ('zN', 'L0C'), False)
>>> for reason in why_not(layout, "zZ"):
...     print(reason)
the stride of the column blocks is 512; zZ of 16 bits has 256: (0,16) lies at 512, not at 256
the stride of the row blocks is 256; zZ of 16 bits has a multiple of 256, at least 768

The law: a layout is in a tag if `make_layout` of that tag makes it, or makes a layout of which it is a
tile. That is:

- It has the modes of the tag, and its blocks have the tag's sizes.
- Its leaves lie in the tag's order, and each steps over all leaves before it. So the inner strides are
  the tag's. After a count of blocks the layout may be a tile of a larger one, whose strides it keeps.
  Its stride there is any multiple of the step before it that leaves room for all data.
- A leaf of size 1 may have any stride.
- Modes before those of the tag may count copies, as ``batch=`` makes them. Copies of a vector are
  RowMajor. A tag of more modes comes before a tag of which the layout would be copies.

So the offsets at all coordinates are those of the tag, for the same outer strides. Ints are compared by
their values, be they dynamic, static or symbolic. If unknowns decide, the answer is None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NamedTuple, TypeVar, Union

from ...errors import UndecidedError
from ...ground import constexpr, typed_by
from ...layouts import AnyLayout, as_layout
from ...numbers import is_tuple
from ..elements import ELEMENTS, element as element_named
from .fitting import Fitting, Reason, misfits, name_of
from .forms import FORMS, UNALIGNED, Form
from .table import Tag, tag_named

if TYPE_CHECKING:
    from ..elements import Element, ElementLike


class Recognition(NamedTuple):
    """Whether a layout is in a tag, with the sizes that made it or the reasons why not.

    >>> answer = recognition(zN(32, 32), "zN", "half")
    >>> bool(answer), answer.tag, answer.bits
    (True, 'zN', 16)
    """

    layout: AnyLayout
    tag: str
    bits: int | None
    """The width of the elements: the caller's, or the one that fits the tag best; None if any fits."""
    reasons: tuple[Reason, ...]
    """Why the layout is not in the tag, or what leaves that open; empty if it is in the tag."""
    sizes: tuple[tuple[str, Any], ...]
    """The sizes of a layout in the tag, and the strides that the tag leaves open; empty if it is not."""

    @property
    def answer(self) -> bool | None:
        """True, False, or None where unknowns decide."""
        if not self.reasons:
            return True
        return None if all(reason.is_open for reason in self.reasons) else False

    @property
    def name(self) -> str:
        """The tag, with the width where it matters: ``zN of 16 bits``."""
        return name_of(self.tag, self.bits)


# --- public questions -------------------------------------------------------------------------


@constexpr
def tag_of(layout: AnyLayout, element: ElementLike | None = None) -> str | None:
    """Return the first tag that a layout is in for all values of its unknowns; None if it can be in
    none.

    >>> tag_of(parse("(20,48):(48,1)")), tag_of(parse("(20,48):(48,2)"))
    ('RowMajor', None)

    The order is that of `tags_of`: a single column is RowMajor, and zN of half comes before L0C. A tag
    for some values of the unknowns only is passed over, because such a value adds tags and removes none.

    >>> tag_of(parse("(M,K):(1,M)"))  # it is RowMajor too where M or K is 1
    'ColumnMajor'

    Args:
        element: The element type; without it any width fits.

    Raises:
        UndecidedError: the layout is in no tag for all values, but in one for some. The error has the
            condition on the unknowns as its ``obligation``.
    """
    first: Recognition | None = None
    for tag in _in_order(layout, element):
        each = recognition(layout, tag, element)
        if each.answer:
            return tag
        if each.answer is None and first is None:
            first = each
    if first is not None:
        raise _undecided_error(first)
    return None


@constexpr
def tags_of(layout: AnyLayout, element: ElementLike | None = None) -> tuple[str, ...]:
    """Return every tag that a layout is in, in the order of `TAGS`.

    Tags for the element type alone come before tags for any type. Tags of which the layout is copies
    come last.

    >>> tags_of(parse("(20,1):(1,20)"))
    ('RowMajor', 'ColumnMajor')

    Raises:
        UndecidedError: unknowns decide about a tag. The error has the other tags as ``known``. `is_zN`
            and its kin, or `recognitions` for all tags at once, answer None instead.
    """
    every = recognitions(layout, element)
    tags = tuple([each.tag for each in every if each.answer])
    for each in every:
        if each.answer is None:
            raise _undecided_error(each, tags)
    return tags


@constexpr
def recognitions(layout: AnyLayout, element: ElementLike | None = None) -> tuple[Recognition, ...]:
    """Return the recognition of a layout for each tag, in the order of `tags_of`.

    >>> from tla.ascend import make_layout
    >>> every = recognitions(make_layout("half", "nZ", sym("M"), 48))
    >>> [each.tag for each in every if each.answer], [each.tag for each in every if each.answer is None]
    (['nZ'], ['nN', 'PaddingColumnMajor'])
    """
    return tuple([recognition(layout, tag, element) for tag in _in_order(layout, element)])


@constexpr
def why_not(layout: AnyLayout, tag: str | Tag, element: ElementLike | None = None) -> tuple[Reason, ...]:
    """Return the reasons why a layout is not in a tag; empty if it is.

    >>> (reason,) = why_not(parse("((16,2),(16,3)):((16,256),(1,256))"), "zN", "half")
    >>> reason.part, reason.found, reason.at, reason.instead
    ('stride of the column blocks', 256, (16, 0), (0, 16))

    Raises:
        UnsupportedError: there is no such tag or element type.
    """
    return recognition(layout, tag, element).reasons


@constexpr
def recognition(layout: AnyLayout, tag: str | Tag, element: ElementLike | None = None) -> Recognition:
    """Return whether a layout is in a tag, with the sizes that made it or the reasons why not.

    >>> recognition(parse("((16,2),(16,3)):((16,256),(1,512)):(20,48)"), "zN").sizes
    (('rows', 20), ('columns', 48), ('stride of the column blocks', 512))

    Without an element type, it takes the width with the fewest differences.

    Raises:
        UnsupportedError: there is no such tag or element type.
    """
    (tag, form), of = _form_named(tag), None if element is None else element_named(element)
    if as_layout(layout).assumptions:
        from ...numbers import assume

        with assume(layout.assumptions):
            return _best(layout, tag, form, of)
    return _best(layout, tag, form, of)


def _best(layout: AnyLayout, tag: str, form: Form, of: Element | None) -> Recognition:
    """The recognition at the width with the fewest differences."""
    every = [_recognise(layout, tag, form, bits, of) for bits in _widths(form, of)]
    return min(every, key=_distance)


# naming a Literal in the bound makes mypy keep that of an argument
_Tag_co = TypeVar("_Tag_co", bound=Union[str, Literal[""]], covariant=True)


@typed_by(tag=None)
class Predicate(Generic[_Tag_co]):
    """Whether a layout is in a tag: True, False, or None where unknowns decide.

    >>> is_zN(zN(32, 32), "half"), is_zN(row_major(32, 32), "half")
    (True, False)
    """

    __slots__ = ("__weakref__", "_tag")

    def __init__(self, tag: _Tag_co) -> None:
        self._tag = tag

    @property
    def tag(self) -> _Tag_co:
        """The tag."""
        return self._tag

    @constexpr
    def __call__(self, layout: AnyLayout, element: ElementLike | None = None) -> bool | None:
        """Whether a layout is in the tag, for elements of a type or of any width."""
        return recognition(layout, self._tag, element).answer

    def __repr__(self) -> str:
        return f"<whether a layout is in {self._tag}>"


is_vector: Final = Predicate("VectorLayout")
is_row_major: Final = Predicate("RowMajor")
is_column_major: Final = Predicate("ColumnMajor")
is_zN: Final = Predicate("zN")  # noqa: N816
is_zN_unaligned: Final = Predicate("zNUnAlign")  # noqa: N816
is_nZ: Final = Predicate("nZ")  # noqa: N816
is_zZ: Final = Predicate("zZ")  # noqa: N816
is_nN: Final = Predicate("nN")  # noqa: N816
is_L0C: Final = Predicate("L0C")  # noqa: N816
is_weight_4bit_nZ: Final = Predicate("Weight4BitnZ")  # noqa: N816
is_padding_row_major: Final = Predicate("PaddingRowMajor")
is_padding_column_major: Final = Predicate("PaddingColumnMajor")
is_mx_scale_row_major_a: Final = Predicate("MxScaleRowMajorA")
is_mx_scale_column_major_a: Final = Predicate("MxScaleColumnMajorA")
is_mx_scale_row_major_b: Final = Predicate("MxScaleRowMajorB")
is_mx_scale_column_major_b: Final = Predicate("MxScaleColumnMajorB")
is_mx_scale_zZ: Final = Predicate("MxScalezZ")  # noqa: N816
is_mx_scale_nN: Final = Predicate("MxScalenN")  # noqa: N816


def _undecided_error(open_: Recognition, known: tuple[str, ...] = ()) -> UndecidedError:
    reason = next(reason for reason in open_.reasons if reason.is_open)
    return UndecidedError(
        f"cannot decide whether {open_.layout} is {open_.name}",
        f"T{str(reason)[1:]}.",
        f"Give its unknowns a range or a divisor that settles it, or write "
        f"`with assume({reason.obligation}):`.",
        obligation=reason.obligation,
        tag=open_.tag,
        known=known,
    )


def _form_named(tag: str | Tag) -> tuple[str, Form]:
    if isinstance(tag, str) and (name := tag.strip().rpartition("::")[2]) in UNALIGNED:
        return name, UNALIGNED[name]
    name = tag_named(tag).name
    return name, FORMS[name]


def _in_order(layout: AnyLayout, element: ElementLike | None = None) -> list[str]:
    """The tags with the fewest modes of copies first; among these, tags for the element alone first."""
    shape = as_layout(layout).shape
    rank = len(shape) if is_tuple(shape) else 0
    of = "" if element is None else element_named(element).name

    def place(tag: str) -> tuple[int, bool]:
        form = FORMS[tag]
        return form.batches_of(rank), of not in (form.elements or ())

    return sorted(FORMS, key=place)


def _widths(form: Form, of: Element | None) -> tuple[int | None, ...]:
    if of is not None:
        return (of.bits,)
    return _EVERY_WIDTH if form.has_c0 else (None,)


_EVERY_WIDTH: Final = (16, *sorted({each.bits for each in ELEMENTS.values()} - {16}))
"""The widths of all element types. That of half is first, as the most common one."""


def _distance(answer: Recognition) -> tuple[bool, int, int]:
    """How far a layout is from a tag; wrong sizes count more than wrong strides."""
    sizes = sum(reason.part.startswith(("size", "count")) for reason in answer.reasons)
    return answer.answer is False, sizes, len(answer.reasons)


# --- one layout, one tag, one width -----------------------------------------------------------


def _recognise(
    layout: AnyLayout, tag: str, form: Form, bits: int | None, of: Element | None
) -> Recognition:
    shape = layout.shape
    rank = len(shape) if is_tuple(shape) else 0
    form = form.with_batch(form.batches_of(rank))
    reasons = tuple(misfits(layout, tag, form, bits, of))
    sizes: tuple[tuple[str, Any], ...] = ()
    if not reasons:
        fitting = Fitting(layout, tag, form, bits, of)
        reasons = tuple(fitting.reasons())
        sizes = () if reasons else tuple(fitting.sizes())
    return Recognition(layout, tag, bits, reasons, sizes)
