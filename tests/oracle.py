"""The facts that other systems state, as rows of the files in ``tests/data``."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import tla
from tla import ComposedLayout, Int, Layout, Swizzle

DATA = Path(__file__).parent / "data"


@cache
def _lines(file: str) -> list[Any]:
    return [json.loads(line) for line in (DATA / file).read_text().splitlines()]


def rows(file: str, op: str) -> list[Any]:
    """The rows of one operation; a file without any is a mistake of the test."""
    found = [row for row in _lines(file) if row["op"] == op]
    assert found, f"no {op} in {file}"
    return found


def value(x: Any) -> Any:
    """Lists as tuples, ``"_16"`` as a static int; the rest stays."""
    if isinstance(x, list):
        return tuple(value(i) for i in x)
    return Int(int(x[1:])) if isinstance(x, str) else x


def cute_layout(x: Any) -> Any:
    """A layout of the files of CuTe: ``[shape, stride]``, or seen through a swizzle; or a swizzle."""
    if isinstance(x, list):
        return Layout(*value(x))
    if "layout" not in x:
        return Swizzle(*x["swizzle"])
    return ComposedLayout(Swizzle(*x["swizzle"]), x["offset"], cute_layout(x["layout"]))


def printed(x: Any) -> str:
    """The text without marks of static ints, and with stride 0 where a mode has one coordinate."""
    if isinstance(x, ComposedLayout):
        return f"{x.outer} o {x.offset} o {printed(x.inner)}".replace("_", "")
    if isinstance(x, Swizzle):
        return str(x)
    stride = tla.transform_leaf(lambda n, d: 0 if n == 1 else d, x.shape, x.stride)
    return str(Layout(x.shape, stride)).replace("_", "")


def in_bytes(result: Any, width: int) -> Any:
    """A layout of shared memory in elements of so many bits, its swizzle too."""
    bits, base, shift = result["swizzle"]
    moved = base + 3 - (width.bit_length() - 1)
    return ComposedLayout(Swizzle(bits, moved, shift), 0, Layout(*value(result["layout"])))
