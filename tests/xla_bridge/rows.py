"""The oracle rows that the tests of the bridge share, and the places of all elements of a shape.

The rows come from two independent implementations that agree, and from XLA's own sizes.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tla.xla_bridge import XlaShape, parse_shape, physical_offset

if TYPE_CHECKING:
    from collections.abc import Sequence

_DATA = Path(__file__).parent.parent / "data"


def oracle(name: str) -> list[dict[str, Any]]:
    """The rows of a file of ``tests/data``."""
    return [json.loads(line) for line in (_DATA / name).read_text("utf-8").splitlines()]


TILED = oracle("xla_tiled_layouts.jsonl")
STRINGS = oracle("xla_shape_strings.jsonl")
OUT_OF_MEMORY = oracle("xla_oom_rows.jsonl")


def array(text: str) -> XlaShape:
    """The array shape that a text writes."""
    shape = parse_shape(text)
    assert isinstance(shape, XlaShape)
    return shape


def indices(dims: Sequence[int]) -> list[tuple[int, ...]]:
    """Every index, row major."""
    return list(product(*map(range, dims)))


def offsets(shape: XlaShape) -> list[int]:
    """The offset of every element, row major."""
    return [physical_offset(shape, index) for index in indices(shape.dimensions)]
