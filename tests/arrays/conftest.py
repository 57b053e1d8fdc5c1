"""Every test of moving data runs with numpy, and with the compiled executor where that is installed."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from tla.arrays.moving import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

EXECUTORS = ("numpy", "compiled") if find_spec("tla_layouts_fast") else ("numpy",)


@pytest.fixture(params=EXECUTORS, autouse=True)
def executor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if request.param == "numpy":
        monkeypatch.setitem(sys.modules, "tla_layouts_fast", None)
    compiled.cache_clear()
    yield
    compiled.cache_clear()
