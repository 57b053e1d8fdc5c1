# SPDX-License-Identifier: Apache-2.0
"""Layouts of convolutions: feature maps and filters whose channels lie in rows of C0.

>>> print(make_layout_fmap("int8_t", 1, 2, 7, 9))
(1,2,7,9,_32):(4032,2016,288,_32,_1)
>>> print(make_layout_filter("half", 3, 3, 3, 20, "L1"))
(3,3,3,32,_16):(4608,1536,512,_16,_1)

Channels are cut into rows of C0, 32 bytes. The modes of each layout are the axes of its name, in their
order, and the last is fastest. An offset is the one that the C++ of the same name computes, with the own
stride of each axis.

Source: CATLASS tla/layout.hpp, layout/tensor.hpp, layout/matrix.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import UnsupportedError
from ...ground import constexpr, shortened
from ...layouts import row_major
from ...numbers import Int, IntLike, _16, keeps_assumptions, round_up
from ..elements import element as element_named
from .sizes import size_of, sizes_of

if TYPE_CHECKING:
    from ...layouts import AnyLayout
    from ...numbers import Conditions
    from ..elements import Element, ElementLike

FMAP = ("batch", "cin1", "h", "w")
FILTER = ("cin1", "kh", "kw", "cout")

CHANNELS: dict[str, tuple[str, ...]] = {
    "NC1HWC0": ("batch", "c1", "h", "w"),
    "CI1KHKWCOCI0": ("cin1", "kh", "kw", "cout"),
    "NDC1HWC0": ("batch", "d", "c1", "h", "w"),
    "KDC1KHKWN1N0C0": ("kdc1khkw", "n1", "n0"),
}
"""The axes of each layout with rows of channels, without the last axis, C0."""


@constexpr
@keeps_assumptions
def make_layout_fmap(
    element: ElementLike,
    batch: IntLike,
    cin1: IntLike,
    h: IntLike,
    w: IntLike,
    *,
    assume: Conditions | None = None,
) -> AnyLayout:
    """Return the layout of feature maps: ``(batch, cin1, h, w, C0)``, the last mode fastest.

    >>> print(make_layout_fmap("half", 2, 1, 4, 4))
    (2,1,4,4,_16):(256,256,64,_16,_1)

    Args:
        cin1: The number of rows of C0 for the channels of a pixel.

    Raises:
        LayoutError: a size is negative.
    Source: CATLASS ``MakeLayoutFmap``, tla/layout.hpp. Its C0 comes from ``sizeof``, which is 1 for a
        type of four bits, so its rows have 16 bytes. Here every row has 32.
    """
    c0 = Int(element_named(element).c0)
    return row_major(*sizes_of("Fmap", FMAP, (batch, cin1, h, w)), c0)


@constexpr
@keeps_assumptions
def make_layout_filter(
    element: ElementLike,
    cin1: IntLike,
    kh: IntLike,
    kw: IntLike,
    cout: IntLike,
    position: str = "GM",
    *,
    assume: Conditions | None = None,
) -> AnyLayout:
    """Return the layout of filters: ``(cin1, kh, kw, cout, C0)``, the last mode fastest.

    >>> print(make_layout_filter("half", 3, 3, 3, 20))
    (3,3,3,20,_16):(2880,960,320,_16,_1)

    Args:
        position: The memory, ``GM`` or ``L1``. In L1 the output channels are rounded up to 16, in the
            origin shape too, because the core multiplies by all of them.

    Raises:
        UnsupportedError: the position is neither GM nor L1.
        LayoutError: a size is negative.
    Source: CATLASS ``MakeLayoutFilter``, tla/layout.hpp.
    """
    c0 = Int(element_named(element).c0)
    cin1, kh, kw, cout = sizes_of("Filter", FILTER, (cin1, kh, kw, cout))
    if position not in ("GM", "L1"):
        raise UnsupportedError(
            f"a Filter lies in GM or in L1, not in {shortened(str(position))!r}", position=position
        )
    return row_major(cin1, kh, kw, round_up(cout, _16) if position == "L1" else cout, c0)


def channels_last(
    tag: str, element: Element, sizes: tuple[IntLike, ...], c0: IntLike | None = None
) -> AnyLayout:
    """Return the layout whose modes are the axes of a tag of `CHANNELS` and C0, the last fastest.

    >>> print(channels_last("NC1HWC0", element_named("half"), (1, 2, 7, 9)))
    (1,2,7,9,_16):(2016,1008,144,_16,_1)

    Args:
        c0: The number of channels in a row; by default as many as fill 32 bytes.

    An offset of NDC1HWC0 is that of CATLASS's ``GetOffset`` for ``hw = h * W + w``. For KDC1KHKWN1N0C0
    that function multiplies its argument ``n1`` by the step of ``n0``. That is right if the argument is
    the output channel ``n1 * N0 + n0``, as CATLASS's own callers pass it. Here ``n1`` has the step of
    ``n1``.

    Raises:
        LayoutError: a size is negative, or ``c0`` below 1.
    """
    row = Int(element.c0) if c0 is None else size_of(tag, "c0", c0, 1)
    return row_major(*sizes_of(tag, CHANNELS[tag], sizes), row)
