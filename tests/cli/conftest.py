"""The fixture ``run``: a command in this process."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from tla.cli import main

from .running import Done

if TYPE_CHECKING:
    from .running import Run


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """``run("show", "(2,3):(3,1)")`` runs a command; ``stdin`` is what ``-`` reads."""

    def command(*arguments: str, stdin: bytes = b"") -> Done:
        monkeypatch.setenv("COLORTERM", "truecolor")  # rich keeps the first codes
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            code = main(arguments)
        except SystemExit as stop:  # the argument parser's way out
            code = int(str(stop.code))
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return command
