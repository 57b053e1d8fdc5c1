# SPDX-License-Identifier: Apache-2.0
"""jax's ``Format`` and ``Layout`` from layouts and back, and advice as trees of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ..arrays import type_of
from ..errors import ArgumentError, UnsupportedError
from ..exports import to_jax_format
from ..ground import element_type
from ..objects import read_jax
from ..xla_bridge import jax_fields
from .compiling import jax_module

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..memory import Advice
    from ..moves import LayoutLike
    from ..xla_bridge import XlaShape


def to_format(layout: LayoutLike, sharding: Any = None) -> Any:
    """Return jax's ``Format`` of an XLA shape or a layout: `tla.to_jax_format`.

    >>> to_format("bf16[16,256]{0,1:T(8,128)(2,1)}").layout  # doctest: +SKIP
    Layout(major_to_minor=(1, 0), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=0)

    Args:
        sharding: The sharding of jax; by default that of its first device.

    Raises:
        UnsupportedError: jax is not installed, or has no word for a part of the layout.
        NotALayoutError, OverlapError: XLA has no such layout, see `tla.xla_bridge.from_layout`.
        ArgumentError: the sharding is none of jax's.
    """
    jax_module("to_format")
    return to_jax_format(layout, sharding)


def to_layout(layout: LayoutLike) -> Any:
    """Return jax's ``Layout`` of an XLA shape or a layout, without a sharding.

    >>> to_layout("f32[3,5]{0,1:T(8,128)}")  # doctest: +SKIP
    Layout(major_to_minor=(1, 0), tiling=((8, 128),), sub_byte_element_size_in_bits=0)

    Raises:
        UnsupportedError: jax is not installed, or has no word for a part of the layout.
        NotALayoutError, OverlapError: XLA has no such layout, see `tla.xla_bridge.from_layout`.
    """
    jax = jax_module("to_layout")
    return to_jax_format(layout, jax.sharding.SingleDeviceSharding(jax.devices()[0])).layout


def from_format(format: Any, dims: Sequence[int], dtype: Any) -> XlaShape:
    """Return the XLA shape of an array of these dims in jax's ``Format`` or ``Layout``.

    >>> from types import SimpleNamespace
    >>> of_jax = SimpleNamespace(major_to_minor=(1, 0), tiling=((8, 128),))
    >>> of_jax.sub_byte_element_size_in_bits = 0
    >>> print(from_format(of_jax, (3, 5), "f32"))
    f32[3,5]{0,1:T(8,128)}

    A format with a sharding gives the part of one device. A format without a layout is row-major.

    Args:
        dtype: The element type, as jax, numpy or XLA names it.

    Raises:
        ArgumentError: it is neither a ``Format`` nor a ``Layout``, or has another rank.
    """
    is_layout = hasattr(format, "major_to_minor")
    if not is_layout and not hasattr(format, "layout"):
        raise ArgumentError(f"expected a Format or Layout of jax, got a {type(format).__name__}")
    layout = format if is_layout else format.layout
    order: tuple[int, ...] = tuple(dims) if layout is None else layout.major_to_minor
    if len(order) != len(dims):
        what = f"the layout has {len(order)} dims, the array {len(dims)}"
        raise ArgumentError(f"{what}: {order} and {tuple(dims)}")
    return read_jax(
        SimpleNamespace(
            shape=tuple(dims),
            dtype=known_dtype(dtype),
            format=SimpleNamespace(layout=layout),
            sharding=getattr(format, "sharding", None),
        )
    )


def known_dtype(dtype: Any) -> Any:
    """Return an element type as numpy or XLA names it; a class of jax has one.

    Raises:
        KindError, UnsupportedError: XLA has no such type.
    """
    dtype = getattr(dtype, "dtype", dtype)
    return dtype if type_of(dtype) is not None else element_type(dtype).name


def shardings(program: Any, advice: Iterable[Advice]) -> tuple[Any, Any]:
    """Return the ``in_shardings`` and ``out_shardings`` of `jax.jit` that take advice.

    They are trees like the arguments and the results of the function. An array with advice has its
    ``Format``, every other one its sharding; an argument that the function does not use has None. What
    is advised on a donation is not a layout, and is left out.

    >>> shardings(compiled, copies(module).advice)  # doctest: +SKIP

    Args:
        program: The ``jax.stages.Compiled`` from whose module the advice is.

    Raises:
        ArgumentError: it is not compiled, or has no such parameter or result.
        UnsupportedError: it takes keyword arguments, for which jax has no ``in_shardings``; or jax has
            no word for an advised layout.
    """
    jax = jax_module("shardings")
    formats = jax_module("shardings", "jax.experimental.layout")
    if not hasattr(program, "input_formats"):
        what = f"shardings takes a jax.stages.Compiled, not a {type(program).__name__}"
        raise ArgumentError(what, "A jitted function is compiled by `function.lower(*args).compile()`.")
    positional, keywords = program.input_formats
    if jax.tree.leaves(keywords):
        what = "jax.jit has no in_shardings for keyword arguments"
        raise UnsupportedError(what, "Give all arguments by position.")
    ins, in_tree = jax.tree.flatten(positional)
    outs, out_tree = jax.tree.flatten(program.output_formats)
    used = [i for i, each in enumerate(ins) if each.sharding is not None]
    places: tuple[Sequence[int], ...] = (used, range(len(outs)))
    taken: list[list[Any]] = [[each.sharding for each in side] for side in (ins, outs)]

    def take(side: int, number: int, layout: XlaShape) -> None:
        if number >= len(places[side]):
            what = f"the program has no {'result' if side else 'parameter'} {number}"
            raise ArgumentError(what, "Take the advice from the module of the same program.")
        at = places[side][number]
        taken[side][at] = formats.Format(formats.Layout(**jax_fields(layout)), taken[side][at])

    for each in advice:
        if each.what == "donation":
            continue
        if each.for_parameter is not None:
            take(0, each.for_parameter, each.layout)
        if each.for_result is not None:
            take(1, each.for_result[0] if each.for_result else 0, each.layout)
    return jax.tree.unflatten(in_tree, taken[0]), jax.tree.unflatten(out_tree, taken[1])
