# SPDX-License-Identifier: Apache-2.0
"""The reader of modules as protocol buffers, the ``.hlo.pb`` of a dump folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import TlaError
from .proto_text import ModulePrinter
from .reading import read_module
from .schema import ProtoError, parsed_proto

if TYPE_CHECKING:
    from collections.abc import Collection

    from .module import Module


def read_proto(data: bytes, opcodes: Collection[str] = ()) -> Module:
    """Return the module of an ``HloProto`` or ``HloModuleProto``: that of its text, as XLA prints it.

    >>> read_proto(b"")
    Traceback (most recent call last):
    tla.hlo.schema.ProtoError: the protocol buffer is empty: it has no module

    A protocol buffer lacks what XLA keeps outside of it: ``num_partitions``, ``replica_count`` and
    ``allow_spmd_sharding_propagation_*`` of the header. Fields of a newer XLA are listed in an attribute
    ``unknown_fields``.

    Args:
        opcodes: The opcodes to accept besides `OPCODES`, for a module of a newer XLA.

    Raises:
        ProtoError: the bytes are no module, are cut short, or contradict themselves.
        ModuleError: the module breaks a rule. The error shows the line of its text.
        UnsupportedError: protobuf is not installed, or a newer XLA wrote a shape in fields not known.
    """
    return read_module(hlo_of_proto(data), opcodes)


def hlo_of_proto(data: bytes) -> str:
    """Return the text of the module of a protocol buffer; the errors are those of `read_proto`."""
    if not isinstance(data, bytes | bytearray | memoryview):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ProtoError(f"a protocol buffer is bytes, not a {type(data).__name__}")
    module = parsed_proto(bytes(data)).hlo_module
    try:
        return "".join(ModulePrinter(module).pieces())
    except (IndexError, ValueError) as error:
        if isinstance(error, TlaError):
            raise
        raise ProtoError(f"the protocol buffer of {module.name} contradicts itself: {error}") from None
