# SPDX-License-Identifier: Apache-2.0
"""A module in pieces: a large text is never held whole, a broken one is read to its break."""

from __future__ import annotations

import codecs
import os
import shutil
import tempfile
from io import BytesIO
from typing import IO, TYPE_CHECKING, Final

from ..hlo import hlo_of_signature, is_mlir, read_stream
from ..memory import stream_outline
from .common import InputError, is_proto, name_of, standard_input, text_of_proto
from .progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from ..hlo import ModuleError
    from ..memory import Outline

_PIECE: Final = 1 << 20
_SHOWS_PROGRESS: Final = 1 << 22
_BYTECODE: Final = b"ML\xefR"


class ModuleText:
    """A file, or standard input for ``-``, that can be read more than once; or a text with a name.

    Attributes:
        name: What messages call it.
        error: Why the last reading ended early: bytes that are not text.
    """

    def __init__(self, path: str, text: str | None = None) -> None:
        self.path = path
        self.name: str = name_of(path)
        self.error: InputError | None = None
        try:
            if text is None and is_proto(path):
                text = text_of_proto(path)
            if text is not None:
                self._file: IO[bytes] = BytesIO(text.encode())
            else:
                self._file = _keep(standard_input()) if path == "-" else _open(path)
            self._size = self._file.seek(0, os.SEEK_END)
        except (OSError, ValueError) as error:
            raise InputError.cannot("read", path, error) from None

    def as_hlo(self, chip: str | None) -> bool:
        """Replace StableHLO by HLO with its parameters and results; say whether it was StableHLO."""
        self._file.seek(0)
        head = self._file.read(_PIECE)
        if head.startswith(_BYTECODE):
            what = f"{self.name} is bytecode of MLIR"
            way = "Print it: lowered.as_text(); or what is compiled of it: compiled.as_text()."
            raise InputError(what, way, path=self.path)
        if not is_mlir(head.decode("utf-8", "replace").removeprefix("\ufeff")):
            return False
        text = hlo_of_signature("".join(self._decoded(lambda _: None)), chip or "v5e")
        if self.error is not None:
            raise self.error
        self.close()
        self._file = BytesIO(text.encode())
        return True

    def close(self) -> None:
        self._file.close()

    def outline(self, opcodes: Collection[str] = ()) -> Outline:
        """The outline of the module: a first reading, before that of the buffers."""
        return stream_outline(read_stream(self.pieces("outline"), opcodes))

    def problem(self, stopped: ModuleError | None) -> InputError | None:
        """Why the last reading ended before the text or the module did, and where; None if not."""
        if stopped is None:
            return self.error
        if self.error is not None:
            summary, details = self.error.summary, []
        else:
            stops = f"stops being a module in line {stopped.line}"
            what = f"{self.name} {stops if stopped.instructions else 'is no HLO module'}"
            summary = stopped.end_of(self.name) or what
            details = [] if summary.endswith(" is empty") else [str(stopped)]
        if stopped.instructions:
            details.append(f"{stopped.instructions} instructions before were read.")
        return InputError(summary, *details, path=self.path)

    def pieces(self, purpose: str = "reading") -> Iterator[str]:
        """The text, with a progress bar on standard error for a large one on a terminal."""
        if self._size < _SHOWS_PROGRESS:
            yield from self._decoded(lambda _: None)
            return
        with progress_bar(purpose, of_bytes=True) as progress:
            yield from self._decoded(lambda done: progress(done, self._size) if progress else None)

    def _decoded(self, advance: Callable[[int], None]) -> Iterator[str]:
        """The text up to the first byte that is no text; `error` names that byte."""
        self.error = None
        self._file.seek(0)
        decoder = codecs.getincrementaldecoder("utf-8")()
        size = 0
        while True:
            try:
                data = self._file.read(_PIECE)
            except OSError as error:
                self.error = InputError.cannot("read", self.path, error)
                return
            try:
                text = decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                # The decoder may have kept bytes of the piece before.
                at = size - (len(error.object) - len(data)) + error.start
                yield error.object[: error.start].decode()
                why = f"{self.name} is not text: byte {at} is not UTF-8"
                self.error = InputError(why, path=self.path)
                return
            if not size and text.startswith("\ufeff"):  # the mark of the byte order
                text = text[1:]
            if "\0" in text:
                yield text[: text.index("\0")]
                why = f"{self.name} is not text: it holds a zero byte"
                self.error = InputError(why, path=self.path)
                return
            yield text
            if not data:
                return
            size += len(data)
            advance(size)


def _open(path: str) -> IO[bytes]:
    """A file that can be read twice: the data of a pipe are copied to a temporary file."""
    file = open(path, "rb")  # noqa: SIM115  `close` does it
    if file.seekable():
        return file
    with file:
        return _keep(file)


def _keep(file: IO[bytes]) -> IO[bytes]:
    copy = tempfile.TemporaryFile()  # noqa: SIM115  `close` does it
    shutil.copyfileobj(file, copy)
    return copy
