"""Every tiling that the construction offers gives the digits and the size."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from tla import parse
from tla.xla_bridge import COMBINE, XlaShape, physical_elements, physical_offset
from tla.xla_bridge.chain import in_order, layout_digits, spaced
from tla.xla_bridge.peel import Tiling, first_out_of_order, tilings
from tla.xla_bridge.starred import starred_tilings

from .chains import chains

if TYPE_CHECKING:
    from tla.layouts.layout import AnyLayout


def made(text: str, size: int) -> list[Tiling]:
    layout = parse(text)
    dims = tuple(int(n) for n in layout.origin_shape)
    chain = spaced(in_order(layout_digits(layout, dims), layout), size, len(dims))
    return sorted(tilings(chain, dims), key=lambda tiling: tiling.cost)


@pytest.mark.parametrize(
    ("text", "size", "order", "tiles"),
    [
        ("(3,5):(5,1)", 15, (0, 1), ()),
        ("(3,5):(1,3)", 15, (1, 0), ()),
        ("((2,4),8):((1,16),2)", 64, (0, 1), ((2, 1),)),
        # padding next to a digit, on a dim of size 1, and in front of all dims
        ("(3,5):(128,1)", 384, (0, 1), ((128,),)),
        ("(3,1):(2,0)", 6, (0, 1), ((2,),)),
        ("(3):(2)", 6, (0,), ((2, 1),)),
        ("(3):(2)", 8, (0,), ((1, 4), (2, 1))),
        ("():()", 12, (), ((12,),)),
        ("():()", 1, (), ()),
        # a dim that is cut before it is peeled
        ("(4,(2,2)):(4,(2,1))", 16, (0, 1), ((2,), (2, 1))),
    ],
)
def test_the_least_tiling(
    text: str, size: int, order: tuple[int, ...], tiles: tuple[tuple[int, ...], ...]
) -> None:
    assert made(text, size)[0] == Tiling(order, tiles)


def test_a_greater_part_inside_a_smaller_one_is_found() -> None:
    for text, inside in (("((2,2)):((1,2))", False), ("((2,3)):((6,1))", True), ("(2,3):(1,2)", False)):
        layout = parse(text)
        chain = in_order(layout_digits(layout, tuple(map(int, layout.origin_shape))), layout)
        assert (first_out_of_order(chain) is not None) == inside


@given(chains(digits=6))
def test_every_offer_is_right(chain: tuple[AnyLayout, int]) -> None:
    layout, size = chain
    dims = tuple(int(n) for n in layout.origin_shape)
    digits = spaced(in_order(layout_digits(layout, dims), layout), size, len(dims))
    offers = list(tilings(digits, dims))
    assert offers
    for offer in offers:
        check(XlaShape("s8", dims, offer.order[::-1], offer.tiles), layout, size)
        assert all(COMBINE not in tile for tile in offer.tiles)


@given(chains(digits=6, torn=True))
def test_every_offer_with_stars_is_right(torn: tuple[AnyLayout, int]) -> None:
    layout, size = torn
    dims = tuple(int(n) for n in layout.origin_shape)
    offers = list(starred_tilings(in_order(layout_digits(layout, dims), layout), dims, size))
    assert offers
    for offer in offers:
        check(XlaShape("s8", dims, offer.order[::-1], offer.tiles), layout, size)


def check(shape: XlaShape, layout: AnyLayout, size: int) -> None:
    assert physical_elements(shape) == size
    places = [range(n) if n < 4 else sorted({0, 1, n // 2, n - 1}) for n in shape.dimensions]
    for index in product(*places):
        assert physical_offset(shape, index) == layout(*index)
