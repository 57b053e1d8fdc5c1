# SPDX-License-Identifier: Apache-2.0
"""The one writer of files: what fails leaves the old file as it was, and nothing beside it."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import ExitStack, contextmanager, suppress
from errno import EACCES, EBUSY, EFBIG, EINVAL, EISDIR, ENOENT, EOPNOTSUPP, EPERM, EROFS
from mmap import mmap
from typing import IO, TYPE_CHECKING, Final

from ..ground import say
from .common import InputError

if TYPE_CHECKING:
    from collections.abc import Generator

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
    if is_standard_output(path):
        say(*text.split("\n"))
        return
    save_bytes(path, f"{text}\n".encode("utf-8", "backslashreplace"))


def save_bytes(path: str, data: bytes) -> None:
    """Write bytes to a file, as `save` does lines.

    Raises:
        InputError: the file cannot be written; what it held before is still there.
        BrokenPipeError: the reader of a pipe has left.
    """
    with mapped(path, len(data)) as memory:
        memory[:] = data


@contextmanager
def mapped(path: str, size: int) -> Generator[mmap | bytearray]:
    """Yield zeros that become the content of a file when the block ends; an error leaves the old one.

    They are the new file itself, beside the old one, and need no other memory. What is for a pipe, or a
    folder that takes no file, is held until the end.

    Raises:
        InputError: the file cannot be written, or its disk is too full; what it held is still there.
        BrokenPipeError: the reader of a pipe has left.
    """
    name = path
    with ExitStack() as stack:
        try:
            before = None if path == "-" else _status(path)
            is_stream = is_standard_output(path) or _is_stream(path, before)
            path = path if is_stream else os.path.realpath(path)
            file = None
            if not is_stream:
                try:
                    file = stack.enter_context(_replacing(path, before))
                except OSError as error:
                    if before is None or error.errno not in _NO_ROOM_BESIDE:
                        raise
            memory = reserved(file, size)
        except (OSError, ValueError) as error:
            raise InputError.cannot("write", name, error) from None
        yield memory
        try:
            if is_stream:
                _send(path, memory)
            elif file is None:
                _overwrite(path, memory)
            else:
                if isinstance(memory, mmap):
                    memory.flush()
                try:
                    stack.close()
                except OSError as error:
                    if before is None or error.errno not in _NO_ROOM_BESIDE:
                        raise
                    _overwrite(path, memory)
        except BrokenPipeError:
            raise
        except (OSError, ValueError) as error:
            raise InputError.cannot("write", name, error) from None


def reserved(file: IO[bytes] | None, size: int) -> mmap | bytearray:
    """Return zeros that are the content of a new file; None is memory alone.

    The disk has room for all of them: a full one is an error here, not a signal at a write.
    """
    if not size:
        return bytearray()
    if file is None:
        return mmap(-1, size)
    try:
        os.posix_fallocate(file.fileno(), 0, size)
    except OverflowError:
        raise OSError(EFBIG, os.strerror(EFBIG)) from None
    except (AttributeError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in (EINVAL, EOPNOTSUPP):
            raise
        for start in range(0, size, 1 << 20):
            file.write(bytes(min(1 << 20, size - start)))
        file.flush()
    return mmap(file.fileno(), size)


def _send(path: str, data: mmap | bytearray) -> None:
    """Write bytes to a pipe or device."""
    if is_standard_output(path):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    with open(path, "wb") as file:
        file.write(data)


def _is_stream(path: str, before: os.stat_result | None) -> bool:
    return before is not None and (not stat.S_ISREG(before.st_mode) or _is_descriptor(path))


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


def is_standard_output(path: str) -> bool:
    """Whether a path is standard output, ``-`` or another name of it."""
    if path == "-":
        return True
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


@contextmanager
def _replacing(path: str, before: os.stat_result | None) -> Generator[IO[bytes]]:
    """Yield a file beside another one, which it replaces when the block ends; an error removes it."""
    if before is not None:
        open(path, "r+b").close()  # a file that may not be written is not replaced
    beside = os.path.join(os.path.dirname(path), f".tla-{os.urandom(8).hex()}")
    try:
        with open(beside, "x+b") as file:
            if before is not None:
                if hasattr(os, "chown"):
                    os.chown(beside, before.st_uid, before.st_gid)
                os.chmod(beside, stat.S_IMODE(before.st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise


def _overwrite(path: str, data: bytes | bytearray | mmap) -> None:
    """Write into a file; what it held has its room there still, and comes back after a failure."""
    with open(path, "r+b", buffering=0) as file:
        old = file.read()
        try:
            _put(file.fileno(), data)
        except BaseException:
            _put(file.fileno(), old)
            raise


def _put(descriptor: int, data: bytes | bytearray | mmap) -> None:
    """Make bytes the content of an open file."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.ftruncate(descriptor, len(data))
