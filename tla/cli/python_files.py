# SPDX-License-Identifier: Apache-2.0
"""Python files that a command names, as ``FILE.py:NAME``: loaded, and their errors shown."""

from __future__ import annotations

import runpy
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .common import InputError
from .messages import complain

if TYPE_CHECKING:
    from types import TracebackType

_PACKAGE: Final = str(Path(__file__).parents[1])


def names_of_file(file: str, run_name: str) -> dict[str, Any]:
    """Return what a Python file defines, with ``__name__`` as given.

    Raises:
        InputError: there is no such file. What the file itself raises gets a note.
    """
    path = Path(file)
    if not path.is_file():
        raise InputError.cannot("read", file, FileNotFoundError(2, "No such file or directory"))
    sys.path.insert(0, str(path.resolve().parent))
    try:
        return runpy.run_path(file, run_name=run_name)
    except Exception as error:
        error.add_note(f"while {file} was loaded")
        raise
    finally:
        del sys.path[0]


def complain_of(error: Exception) -> None:
    """Print the traceback of an error that a file or its function raised, from there on."""
    complain("".join(traceback.format_exception(error.with_traceback(_own(error)))).rstrip())


def _own(error: BaseException) -> TracebackType | None:
    """The traceback of an error from the function, or from the file, on."""
    here = error.__traceback__
    while here is not None and here.tb_frame.f_code.co_filename.startswith(_PACKAGE):
        here = here.tb_next
    return here or error.__traceback__
