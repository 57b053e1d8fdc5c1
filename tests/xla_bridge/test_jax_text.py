"""Layouts as the text that asks jax for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tla.errors import UnsupportedError
from tla.xla_bridge import XlaShape, XlaTuple, parse_array
from tla.xla_bridge.jax_text import jax_format, jax_layout

DATA = Path(__file__).parent.parent / "data"


class Layout(NamedTuple):
    """The arguments of jax's ``Layout``, by the names that jax gives them."""

    major_to_minor: tuple[int, ...]
    tiling: tuple[tuple[int, ...], ...] | None = None
    sub_byte_element_size_in_bits: int = 0


class Format(NamedTuple):
    """The arguments of jax's ``Format``."""

    layout: Layout
    sharding: str


def evaluated(text: str) -> Any:
    return eval(text, {"Format": Format, "Layout": Layout, "sharding": "given"})


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ("f32[3,5]{0,1}", "Layout(major_to_minor=(1, 0))"),
        ("f32[]{:T(128)}", "Layout(major_to_minor=(), tiling=((128,),))"),
        (
            "bf16[5000]{0:T(1024)(128)(2,1)}",
            "Layout(major_to_minor=(0,), tiling=((1024,), (128,), (2, 1)))",
        ),
        (
            "s4[64,300]{0,1:T(8,128)(8,1)E(4)}",
            "Layout(major_to_minor=(1, 0), tiling=((8, 128), (8, 1)), sub_byte_element_size_in_bits=4)",
        ),
    ],
)
def test_the_text(shape: str, text: str) -> None:
    assert jax_layout(parse_array(shape)) == text
    assert jax_format(parse_array(shape)) == f"Format({text}, sharding)"
    assert jax_format(parse_array(shape), "x.sharding") == f"Format({text}, x.sharding)"


def test_the_text_of_each_compiled_layout_evaluates_to_it() -> None:
    for line in (DATA / "tpu_default_layouts.jsonl").read_text().splitlines():
        shape = parse_array(json.loads(line)["layout"])
        layout, sharding = evaluated(jax_format(shape))
        assert sharding == "given"
        assert layout.major_to_minor[::-1] == shape.minor_to_major
        assert (layout.tiling or ()) == shape.tiles
        assert layout.sub_byte_element_size_in_bits == shape.element_size_in_bits


@pytest.mark.parametrize(
    ("shape", "part"),
    [
        ("f32[8,128]{1,0:T(8,128)S(1)}", "the memory space S(1)"),
        ("f32[8]{0:T(8)L(1024)}", "the tail padding L(1024)"),
        ("f32[8,4]{1,0:SC(0:4)}", "the split SC"),
        ("f32[8]{0:M(16)}", "the prefix M(16)"),
        ("f32[8,4]{1,0:T(*,8)}", "the '*' in a tile"),
    ],
)
def test_what_jax_cannot_say(shape: str, part: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        jax_format(parse_array(shape))
    assert caught.value.summary.startswith(f"a layout of jax cannot say {part} of f32[8")


def test_a_tuple_has_no_layout() -> None:
    with pytest.raises(UnsupportedError, match="a tuple of shapes"):
        jax_format(XlaTuple([XlaShape("f32", (3,))]))
