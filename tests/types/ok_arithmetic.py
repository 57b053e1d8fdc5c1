"""Arithmetic of static ints: the plugin knows it, and so do pyright and ty with the overlay of `stubs`."""

from typing import Literal, assert_type

from tla import Int, Layout, _0, _1, _2, _3, _4, _6, _8, _12, _16, _24, _64, _128, _1024, make_layout


def binary() -> None:
    assert_type(_2 * _12, Int[Literal[24]])
    assert_type(_3 + _4, Int[Literal[7]])
    assert_type(_2 - _4, Int[Literal[-2]])
    assert_type(_24 // _16, Int[Literal[1]])
    assert_type(_12 % _8, Int[Literal[4]])
    assert_type(_0 * _128, Int[Literal[0]])


def chains() -> None:
    assert_type((_2 * _4 * _8) // _4, Int[Literal[16]])
    assert_type(_3 * (_2 + _2) - _4, Int[Literal[8]])
    assert_type(-(_2 + _4), Int[Literal[-6]])
    assert_type(+_3 * _2, Int[Literal[6]])
    assert_type(_1024 * _1024, Int[Literal[1048576]])


def dynamic(n: int = 5) -> None:
    assert_type(_2 * n, int)
    assert_type(n * _2, int)
    assert_type(_2 * 3, int)
    assert_type(_4 * _2 + n, int)


def layouts(n: int = 5) -> None:
    tile = make_layout((_2 * _8, _64 // _4), (_64 // _4, _1))
    assert_type(
        tile,
        Layout[tuple[Int[Literal[16]], Int[Literal[16]]], tuple[Int[Literal[16]], Int[Literal[1]]]],
    )
    part = make_layout((_4 * _4, n), (_1, _2 * _8))
    assert_type(part, Layout[tuple[Int[Literal[16]], int], tuple[Int[Literal[1]], Int[Literal[16]]]])
    assert_type(tile.shape[0] * _6, Int[Literal[96]])
