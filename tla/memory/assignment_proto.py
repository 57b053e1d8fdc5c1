# SPDX-License-Identifier: Apache-2.0
"""The buffer assignment in a protocol buffer, ``*.hlo.pb`` of a dump folder.

Source: buffer_assignment.cc, ``BufferAllocation::ToString``; held against the texts of the same dumps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import TlaError
from ..hlo import ProtoError, parsed_proto, shape_text
from ..xla_bridge import parse_shape
from .assignment import Allocation, Assignment, PlacedValue

if TYPE_CHECKING:
    from ..xla_bridge import AnyShape


def read_proto_assignment(data: bytes) -> Assignment:
    """Return the allocations of an ``HloProto``: those of `read_assignment` of the same dump.

    >>> read_proto_assignment(b"")
    Traceback (most recent call last):
    tla.hlo.schema.ProtoError: the protocol buffer is empty: it has no module

    Raises:
        ProtoError: the bytes are no ``HloProto``, or have no buffer assignment.
        UnsupportedError: protobuf is not installed.
    """
    whole = parsed_proto(data)
    if not whole.HasField("buffer_assignment"):
        more = "Of the files of a dump *after_optimizations.hlo.pb has one."
        raise ProtoError("the protocol buffer has no buffer assignment", more)
    found = whole.buffer_assignment
    lines = {line.id: line for each in whole.hlo_module.computations for line in each.instructions}
    values: dict[int, PlacedValue] = {}
    for buffer in found.logical_buffers:
        at, index = buffer.defined_at, tuple(buffer.defined_at.shape_index)
        line = lines.get(at.instruction_id)
        name, shape = (line.name, _part(line.shape, index)) if line else (at.instruction_name, None)
        values[buffer.id] = PlacedValue(name, index, 0, 0, shape)

    def placed(assigned: Any) -> PlacedValue:
        value = values.get(assigned.logical_buffer_id)
        if value is None:
            what = f"no logical buffer {assigned.logical_buffer_id}, which an allocation holds"
            raise ProtoError(f"the buffer assignment has {what}")
        return value._replace(bytes=assigned.size, offset=assigned.offset)

    return Assignment(
        tuple(
            Allocation(each.index, each.size, each.color, _kind(each), tuple(map(placed, each.assigned)))
            for each in found.buffer_allocations
        )
    )


def _part(shape: Any, index: tuple[int, ...]) -> AnyShape | None:
    """A part of a shape; None for a text that is no shape, as in `read_assignment`."""
    try:
        for i in index:
            shape = shape.tuple_shapes[i]
        return parse_shape(shape_text(shape))
    except (TlaError, IndexError):
        return None


def _kind(allocation: Any) -> str:
    if allocation.is_entry_computation_parameter:
        return f"parameter {allocation.parameter_number}"
    if allocation.is_thread_local:
        return "thread-local"
    if allocation.is_constant:
        return "constant"
    return "maybe-live-out" if allocation.maybe_live_out else "preallocated-temp"
