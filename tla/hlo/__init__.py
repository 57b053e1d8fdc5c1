# SPDX-License-Identifier: Apache-2.0
"""HLO modules as values: computations, instructions and attributes, with a reader and XLA's text."""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .frames import (
        FileLocation as FileLocation,
        SourceLine as SourceLine,
        SourceTables as SourceTables,
        StackFrame as StackFrame,
    )
    from .instruction import (
        Computation as Computation,
        Instruction as Instruction,
        Json as Json,
        Operand as Operand,
    )
    from .module import Alias as Alias, EntryLayout as EntryLayout, Module as Module
    from .naming import NoSuchNameError as NoSuchNameError
    from .opcodes import OPCODES as OPCODES, is_opcode as is_opcode, wrapped_opcode as wrapped_opcode
    from .proto import read_proto as read_proto
    from .reading import (
        read_instruction as read_instruction,
        read_module as read_module,
        read_stream as read_stream,
    )
    from .schema import ProtoError as ProtoError
    from .stream import (
        ComputationEnd as ComputationEnd,
        ComputationHead as ComputationHead,
        Event as Event,
        ModuleError as ModuleError,
        ModuleStream as ModuleStream,
    )

if TYPE_CHECKING:
    # for the rooms above
    from .inference import (
        Program as Program,
        ShapeInferenceError as ShapeInferenceError,
        differs as differs,
        infer_shape as infer_shape,
    )
    from .instruction import CALLING as CALLING, bare_shape as bare_shape, names_in as names_in
    from .opcodes import ELEMENTWISE as ELEMENTWISE
    from .proto import hlo_of_proto as hlo_of_proto
    from .proto_pieces import shape_text as shape_text
    from .replica_groups import in_order as in_order, read_groups as read_groups
    from .schema import parsed_proto as parsed_proto
    from .signature import hlo_of_signature as hlo_of_signature, is_mlir as is_mlir
    from .stablehlo import hlo_of_stablehlo as hlo_of_stablehlo

lazy(__name__, guard=True)
