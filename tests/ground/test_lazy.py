"""Doors: what a package gives when it is asked, and how."""

import pickle
import sys
from types import FunctionType
from typing import Any

import pytest

import tla
from tla.ground.lazy import lazy

NONSENSE = "nonsense"


def test_a_module_does_not_replace_the_function_of_its_name() -> None:
    for package, name in ((tla, "read"), (tla.algebra, "coalesce"), (tla.memory, "live")):
        assert type(getattr(package, name)) is FunctionType
        assert sys.modules[f"{package.__name__}.{name}"] is not getattr(package, name)


def test_a_room_is_pickled_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(tla.algebra)) is tla.algebra


def test_what_no_room_has_is_refused() -> None:
    with pytest.raises(AttributeError, match="module 'tla' has no attribute 'nonsense'"):
        getattr(tla, NONSENSE)


def test_names_for_the_house_are_not_public() -> None:
    doors: Any = tla.algebra
    assert "read_modes" not in doors.__all__
    assert "coalesce" in doors.__all__
    assert doors.read_modes
    assert {*doors.__all__} <= {*dir(doors)}


def test_a_package_without_its_source_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    spec: Any = tla.algebra.__spec__
    monkeypatch.setattr(spec, "origin", "__init__.pyc")
    with pytest.raises(ImportError, match="algebra needs its source"):
        lazy("tla.algebra")
