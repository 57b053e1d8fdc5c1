"""The padding of memory as an array."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from tla import LimitError, UnsupportedError
from tla.xla_bridge import XlaShape, padding_mask

from .naive import memory_of
from .rows import array
from .strategies import xla_shapes


@given(xla_shapes())
def test_the_mask_is_true_where_no_element_lies(shape: XlaShape) -> None:
    mask = padding_mask(shape)
    assert mask.dtype == np.bool_
    assert mask.tolist() == (memory_of(shape) < 0).tolist()


def test_tail_padding() -> None:
    assert padding_mask(array("f32[3]{0:T(2)L(6)}")).tolist() == [False] * 3 + [True] * 3


def test_scalars_and_empty_arrays() -> None:
    assert padding_mask(array("f32[]")).tolist() == [False]
    assert padding_mask(array("f32[]{:T(4)}")).tolist() == [False, True, True, True]
    assert padding_mask(array("f32[0,3]{1,0:T(8,128)}")).tolist() == []


def test_too_large_for_a_table() -> None:
    shape = array("f32[1000,1000]{1,0:T(8,128)}")
    with pytest.raises(LimitError, match="1024000 elements, too many for a table") as caught:
        padding_mask(shape, limit=10**6)
    assert "`element_at`" in str(caught.value)
    assert padding_mask(shape, limit=1024000).sum() == 24000


def test_unknown_sizes() -> None:
    with pytest.raises(UnsupportedError, match="depends on unknown sizes"):
        padding_mask(array("f32[?]"))
