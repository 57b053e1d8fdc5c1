"""The texts that the fuzzer of readers and commands kept: none is a fault."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from limited import limited_memory

sys.path.append(str(Path(__file__).parent / "fuzz"))
texts: Any = import_module("texts")
KEPT: dict[str, list[str]] = texts.kept()


@pytest.mark.parametrize("name", KEPT)
def test_kept_texts(name: str) -> None:
    target = texts.targets()[name]
    with limited_memory(texts.MEGABYTES):
        faults = {text: fault for text in KEPT[name] if (fault := texts.fault_of(target, text))}
    assert faults == {}


def test_most_targets_have_kept_texts() -> None:
    """Those of a new command come with the next run of the fuzzer."""
    assert set(KEPT) <= set(texts.targets())
    assert len(KEPT) > 40


def test_faults_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs(_text: str) -> None:
        while True:
            pass

    assert texts.fault_of(hangs, "", 0.05).startswith("OutOfTimeError")
    assert texts.fault_of(int, "x").startswith("ValueError")
    assert texts.fault_of(texts.same(str, str.title), "x").startswith("FaultError")
    monkeypatch.setattr("tla.cli.main", lambda _arguments: print("\x1b[2J"))
    assert texts.fault_of(texts.targets()["tla show"], "4").startswith("FaultError exit code None")
    monkeypatch.setattr("tla.cli.main", lambda _arguments: print("\x1b[2J") or 0)
    assert texts.fault_of(texts.targets()["tla show"], "4").startswith("FaultError prints")


@pytest.mark.skipif(sys.platform != "linux", reason="Linux limits the memory of a process")
def test_too_much_memory_is_seen() -> None:
    with limited_memory(64):
        assert texts.fault_of(lambda text: text * 2**30, "x").startswith("MemoryError")
    assert texts.fault_of(lambda text: text * 2**20, "x") is None


@pytest.mark.parametrize("option", ["-o", "-ox", "--o=x", "--output", "--tu", "--jobs=2", "--j"])
def test_no_file_is_written_and_no_process_starts(option: str) -> None:
    assert texts.writes_or_forks(option)
    assert not texts.writes_or_forks("--offset")
    assert not texts.writes_or_forks("--")
