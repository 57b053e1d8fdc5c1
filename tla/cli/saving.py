# SPDX-License-Identifier: Apache-2.0
"""The one writer of files: what fails leaves the old file as it was, and nothing beside it."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from errno import EACCES, EBUSY, EISDIR, ENOENT, EPERM, EROFS
from typing import Final

from ..ground import say
from .common import InputError

_NO_ROOM_BESIDE: Final = (EACCES, EBUSY, EPERM, EROFS)
"""The errors of a folder that takes no other file, or of a file that none can replace."""


def save(path: str, text: str) -> None:
    """Write lines to a file as UTF-8; ``-`` and another name of standard output are standard output.

    The text is written beside the file, which it then replaces, with its owner and mode; where it is a
    link, at the place that the link names. A pipe or device is written as it is.

    Raises:
        InputError: the file cannot be written; what it held before is still there.
        BrokenPipeError: the reader of a pipe has left.
    """
    if path == "-" or _is_standard_output(path):
        say(*text.split("\n"))
        return
    data = f"{text}\n".encode("utf-8", "backslashreplace")
    try:
        before = _status(path)
        if before is not None and (not stat.S_ISREG(before.st_mode) or _is_descriptor(path)):
            with open(path, "wb") as file:
                file.write(data)
        else:
            _replace(os.path.realpath(path), data, before)
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        raise InputError.cannot("write", path, error) from None


def expect_place(path: str) -> None:
    """Raise the error of a file that cannot be written, before work that takes long.

    Raises:
        InputError: the path is a folder, or lies in none.
    """
    folder = os.path.dirname(path) or "."
    for is_wrong, code in ((os.path.isdir(path), EISDIR), (not os.path.isdir(folder), ENOENT)):
        if is_wrong:
            raise InputError.cannot("write", path, OSError(code, os.strerror(code)))


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _is_standard_output(path: str) -> bool:
    with suppress(OSError, ValueError, AttributeError):  # closed, or a stand-in without a descriptor
        return os.path.samestat(os.stat(path), os.fstat(sys.stdout.fileno()))
    return False


def _is_descriptor(path: str) -> bool:
    """Whether a path is ``/dev/fd/3``, ``/dev/stderr``, or a link to one: an open file has no folder."""
    while os.path.islink(path):
        folder = os.path.realpath(os.path.dirname(path))
        if folder.startswith(("/proc/", "/dev/fd")):
            return True
        path = os.path.join(folder, os.readlink(path))
    return False


def _replace(path: str, data: bytes, before: os.stat_result | None) -> None:
    """Write beside a file and rename; write into the file if its folder takes no other one."""
    if before is not None:
        open(path, "r+b").close()  # a file that may not be written is not replaced
    beside = os.path.join(os.path.dirname(path), f".tla-{os.urandom(8).hex()}")
    try:
        try:
            with open(beside, "xb") as file:
                if before is not None:
                    if hasattr(os, "chown"):
                        os.chown(beside, before.st_uid, before.st_gid)
                    os.chmod(beside, stat.S_IMODE(before.st_mode))
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(beside)
            raise
    except OSError as error:
        if before is None or error.errno not in _NO_ROOM_BESIDE:
            raise
        _overwrite(path, data)


def _overwrite(path: str, data: bytes) -> None:
    """Write into a file; what it held has its room there still, and comes back after a failure."""
    with open(path, "r+b", buffering=0) as file:
        old = file.read()
        try:
            _put(file.fileno(), data)
        except BaseException:
            _put(file.fileno(), old)
            raise


def _put(descriptor: int, data: bytes) -> None:
    """Make bytes the content of an open file."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.ftruncate(descriptor, len(data))
