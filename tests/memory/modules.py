"""The real modules of tests/data/tpu_hlo, and what the compiler counted for each."""

from __future__ import annotations

import json
from pathlib import Path

from tla.hlo import Module, read_module

DIRECTORY = Path(__file__).parent.parent / "data" / "tpu_hlo"

NAMES = sorted(path.stem for path in DIRECTORY.glob("*.hlo"))


def text_of(name: str) -> str:
    return (DIRECTORY / f"{name}.hlo").read_text("utf-8")


def module_of(name: str) -> Module:
    return read_module(text_of(name))


def counted(name: str) -> dict[str, int]:
    """The compiler's byte counts: ``memory_analysis()``."""
    found: dict[str, int] = json.loads((DIRECTORY / f"{name}.json").read_text("utf-8"))
    return found


def chip_of(name: str) -> str:
    return name.split("_")[0]
