# SPDX-License-Identifier: Apache-2.0
"""The messages of an ``.hlo.pb``, as far as they are read: their fields, by number.

A line of the table is a message, then its fields as ``name=number:type``. Without a type it is an int,
as bools and enums are on the wire; ``*`` is a list. ``Opaque`` is known and not read.

Source: xla's hlo.proto and xla_data.proto, as of jaxlib 0.10.2.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ..errors import TlaError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterator

Message: TypeAlias = Any
"""A message of protobuf, whose fields are its attributes."""

_MESSAGES: Final = """
HloProto hlo_module=1:HloModuleProto buffer_assignment=3:BufferAssignmentProto
HloModuleProto name=1:str entry_computation_name=2:str computations=3:HloComputationProto*
    host_program_shape=4:ProgramShapeProto id=5 entry_computation_id=6 schedule=7:HloScheduleProto
    input_output_alias=8:InputOutputAlias cross_program_prefetches=10:Opaque* is_dynamic=11
    spmd_output_sharding=12:Opaque profile_info=13:Opaque* spmd_parameters_shardings=14:Opaque*
    device_assignment=15:Opaque use_auto_spmd_partitioning=16 stack_frame_index=17:StackFrameIndex
    buffer_donor=18:BufferDonor frontend_attributes=19:FrontendAttributes
    original_value_recovery_table=20:Opaque device_type=21:str payloads=22:bytes* pjrt_id=23
HloComputationProto name=1:str instructions=2:HloInstructionProto* program_shape=4:ProgramShapeProto
    id=5 root_id=6 is_fusion_computation=7 execution_thread=8:str
HloInstructionProto name=1:str opcode=2:str shape=3:ShapeProto metadata=7:OpMetadata
    literal=8:LiteralProto parameter_number=9 fusion_kind=11:str tuple_index=13 dimensions=14*
    window=15:Window convolution_dimension_numbers=16:ConvolutionDimensionNumbers
    slice_dimensions=17:SliceDimensions* exponent_bits=18 mantissa_bits=19 dynamic_slice_sizes=20*
    padding_config=21:PaddingConfig outfeed_config=22:bytes distribution=23 epsilon=24:float
    feature_index=25 channel_id=26 infeed_config=27:bytes custom_call_target=28:str
    outfeed_shape=29:ShapeProto dot_dimension_numbers=30:DotDimensionNumbers fft_type=31 fft_length=32*
    gather_dimension_numbers=33:GatherDimensionNumbers gather_slice_sizes=34* id=35 operand_ids=36*
    control_predecessor_ids=37* called_computation_ids=38* sharding=40:OpSharding
    backend_config=43:bytes all_reduce_id=45 is_host_transfer=47
    scatter_dimension_numbers=48:ScatterDimensionNumbers replica_groups=49:ReplicaGroup*
    feature_group_count=50 precision_config=51:PrecisionConfig source_target_pairs=52:SourceTarget*
    domain_entry_sharding=54:OpSharding domain_exit_sharding=55:OpSharding constrain_layout=56
    operand_shapes_with_layout=57:ShapeProto* batch_group_count=58
    triangular_solve_options=59:TriangularSolveOptions is_stable=60
    parameter_replication=61:ParameterReplication cholesky_options=62:CholeskyOptions
    comparison_direction=63:str custom_call_has_side_effect=65 delta=66 indices_are_sorted=67
    frontend_attributes=68:FrontendAttributes unique_indices=69 rng_algorithm=70
    use_global_device_ids=71 comparison_type=72:str is_cross_program_prefetch=73
    output_operand_aliasing=74:OutputOperandAliasing* padding_type=75 custom_call_schedule=76
    custom_call_api_version=77 async_execution_thread=79:str cross_program_prefetch_index=80:optional
    k=81 largest=85 collective_device_list=87:CollectiveDeviceList original_value=88:OriginalValue
    is_composite=89 ragged_dot_dimension_numbers=90:RaggedDotDimensionNumbers
    result_accuracy=91:ResultAccuracy iota_collective_device_list=92:IotaReplicaGroupList
    mesh_axes_replica_group_list=93:MeshAxesReplicaGroupList is_reverse=94
    num_carries=95 is_associative=96 backend_config_payload=99:Payload statistics_viz=82:StatisticsViz
    sparsity_config=98:Empty
StatisticsViz stat_index_to_visualize=1 statistics=2:Statistic*
Statistic stat_name=1:str stat_val=2:double
Opaque
Empty
Payload value=1:bytes id=2
SliceDimensions start=1 limit=2 stride=3
ProgramShapeProto parameters=1:ShapeProto* result=2:ShapeProto parameter_names=3:str*
HloScheduleProto sequences=1:ScheduledComputation*
ScheduledComputation key=1 value=2:InstructionSequence
InstructionSequence instruction_ids=1*
InputOutputAlias entries=1:AliasEntry*
AliasEntry output_shape_index=1* parameter_number=2 parameter_shape_index=3* kind=4
BufferDonor entries=1:DonorEntry*
DonorEntry parameter_number=1 parameter_shape_index=2*
StackFrameIndex file_names=1:str* function_names=2:str* file_locations=3:FileLocation*
    stack_frames=4:StackFrame*
FileLocation file_name_id=1 function_name_id=2 line=3 column=4 end_line=5 end_column=6
StackFrame file_location_id=1 parent_frame_id=2
FrontendAttributes map=1:FrontendAttribute*
FrontendAttribute key=1:str value=2:str
ShapeProto element_type=2 dimensions=3* tuple_shapes=4:ShapeProto* layout=5:LayoutProto
    is_dynamic_dimension=6*
LayoutProto minor_to_major=1* tiles=6:Tile* element_size_in_bits=7 memory_space=8
    dim_level_types=9* physical_shape=10:ShapeProto index_primitive_type=11 pointer_primitive_type=12
    dim_unique=13* dim_ordered=14* dynamic_shape_metadata_prefix_bytes=15
    tail_padding_alignment_in_elements=16 split_configs=17:SplitConfig*
Tile dimensions=1*
SplitConfig dimension=1 split_indices=2*
OpMetadata op_type=1:str op_name=2:str source_file=3:str source_line=4 profile_type=5*
    size_of_generated_code_in_bytes=8 size_of_memory_working_set_in_bytes=9 profile_info=10:Opaque
    deduplicated_name=12:str stack_frame_id=15 scheduling_name=16:str source_end_line=17
    source_column=18 source_end_column=19 metadata_payload=20:Payload
LiteralProto shape=1:ShapeProto preds=2* u8s=3:bytes s32s=4* s64s=5* u32s=6* u64s=7:unsigned*
    f32s=8:float* f64s=9:double* tuple_literals=10:LiteralProto* f16s=11:bytes c64s=12:float*
    bf16s=13:bytes sparse_indices=14* s8s=15:bytes u16s=16:bytes s16s=17:bytes c128s=18:double*
    f8e5m2s=19:bytes f8e4m3fns=20:bytes s4s=21:bytes u4s=22:bytes f8e4m3b11fnuzs=23:bytes
    f8e5m2fnuzs=24:bytes f8e4m3fnuzs=25:bytes s2s=26:bytes u2s=27:bytes f8e4m3s=28:bytes
    f8e3m4s=29:bytes s1s=30:bytes u1s=31:bytes f4e2m1fns=32:bytes f8e8m0fnus=33:bytes dynamic_sizes=34*
    f6e3m2fns=35:bytes f6e2m3fns=36:bytes
Window dimensions=1:WindowDimension*
WindowDimension size=1 stride=2 padding_low=3 padding_high=4 window_dilation=5 base_dilation=6
    window_reversal=7
PaddingConfig dimensions=1:PaddingDimension*
PaddingDimension edge_padding_low=1 edge_padding_high=2 interior_padding=3
GatherDimensionNumbers offset_dims=1* collapsed_slice_dims=2* start_index_map=3* index_vector_dim=4
    operand_batching_dims=5* start_indices_batching_dims=6*
ScatterDimensionNumbers update_window_dims=1* inserted_window_dims=2* scatter_dims_to_operand_dims=3*
    index_vector_dim=4 input_batching_dims=5* scatter_indices_batching_dims=6*
ConvolutionDimensionNumbers kernel_input_feature_dimension=3 kernel_output_feature_dimension=4
    kernel_spatial_dimensions=6* input_batch_dimension=7 input_feature_dimension=8
    output_batch_dimension=9 output_feature_dimension=10 input_spatial_dimensions=11*
    output_spatial_dimensions=12*
DotDimensionNumbers lhs_contracting_dimensions=1* rhs_contracting_dimensions=2* lhs_batch_dimensions=3*
    rhs_batch_dimensions=4*
RaggedDotDimensionNumbers dot_dimension_numbers=1:DotDimensionNumbers lhs_ragged_dimensions=2*
    rhs_group_dimensions=3*
TriangularSolveOptions left_side=1 lower=2 unit_diagonal=3 transpose_a=4
CholeskyOptions lower=1
ReplicaGroup replica_ids=1*
CollectiveDeviceList replica_groups=1:ReplicaGroup* iota_replica_group_list=2:IotaReplicaGroupList
IotaReplicaGroupList num_replica_groups=1 num_devices_per_group=2 iota_reshape_dims=3*
    iota_transpose_perm=4*
SourceTarget source=1 target=2
PrecisionConfig operand_precision=1* algorithm=2
ParameterReplication replicated_at_leaf_buffers=1*
OutputOperandAliasing output_shape_index=1* operand_index=2 operand_shape_index=3*
ResultAccuracy mode=1 tolerance=2:Tolerance
Tolerance atol=1:double rtol=2:double ulps=3
OriginalValue elements=1:OriginalElement* is_synthetic_call=2
OriginalElement shape_index=1* original_array=2:OriginalArray
OriginalArray instruction_name=1:str shape_index=2*
OpSharding type=1 tile_shape=2:ShapeProto tile_assignment_dimensions=3* tile_assignment_devices=4*
    tuple_shardings=5:OpSharding* replicate_on_last_tile_dim=6 metadata=7:OpMetadata* last_tile_dims=8*
    iota_reshape_dims=9* iota_transpose_perm=10* is_shard_group=11 shard_group_id=12 shard_group_type=13
    named_sharding=14:NamedSharding
NamedSharding mesh=2:Mesh dim_shardings=3:DimensionSharding* replicated_axes=4:AxisRef*
    unreduced_axes=5:AxisRef* metadata=6:OpMetadata* manual_axes=7:AxisRef*
DimensionSharding axes=1:AxisRef* is_closed=2
Mesh axes=1:MeshAxis* device_ids=2* iota_transform=3:IotaTransform
MeshAxis name=1:str size=2
IotaTransform reshape_dims=1* transpose_perm=2*
AxisRef mesh_axis_index=1 sub_axis_info=2:SubAxis
SubAxis pre_size=1 size=2
MeshAxesReplicaGroupList mesh=1:Mesh axes=2:AxisRef*
BufferAssignmentProto logical_buffers=1:LogicalBuffer* buffer_aliases=2:Opaque*
    buffer_allocations=3:BufferAllocation* heap_simulator_traces=4:Opaque*
    peak_buffers=5:Opaque*
LogicalBuffer id=1 size=2 defined_at=3:Location color=4
Location instruction_name=2:str shape_index=3* instruction_id=4
BufferAllocation index=1 size=2 is_thread_local=3 is_entry_computation_parameter=5 parameter_number=6
    maybe_live_out=7 color=8 assigned=9:Assigned* parameter_shape_index=10* is_tuple=11 is_constant=12
    is_parameter_aliased_with_output=13
Assigned logical_buffer_id=1 offset=2 size=3 element_type=4
"""

_FIELD: Final = re.compile(r"(\w+)=(\d+)(?::(\w+))?(\*?)")
_TYPES: Final = {"": 3, "optional": 3, "unsigned": 4, "str": 9, "bytes": 12, "float": 2, "double": 1}
_PACKAGE: Final = "tla.hlo"


@cache
def _classes() -> dict[str, Any]:
    """The class of each message, of a pool of our own: another library's may know the real ones."""
    try:
        descriptor: Any = import_module("google.protobuf.descriptor_pb2")
        factory: Any = import_module("google.protobuf.message_factory")
        pools: Any = import_module("google.protobuf.descriptor_pool")
    except ImportError:
        raise UnsupportedError(
            "a module as a protocol buffer needs protobuf, which is not installed",
            "It comes with the extra: pip install 'tla-layouts[proto]'",
            extra="proto",
        ) from None
    file = descriptor.FileDescriptorProto(name="tla/hlo.proto", package=_PACKAGE, syntax="proto3")
    for line in re.sub(r"\n +", " ", _MESSAGES).strip().splitlines():
        name, _, fields = line.partition(" ")
        message = file.message_type.add(name=name)
        for field, number, kind, many in _FIELD.findall(fields):
            type_ = _TYPES.get(kind, 11)
            added = message.field.add(name=field, number=int(number), type=type_, label=3 if many else 1)
            if type_ == 11:
                added.type_name = f".{_PACKAGE}.{kind}"
            if kind == "optional":
                added.proto3_optional, added.oneof_index = True, len(message.oneof_decl)
                message.oneof_decl.add(name=f"_{field}")
    pool = pools.DescriptorPool()
    pool.Add(file)
    types = pool.FindFileByName(file.name).message_types_by_name
    return {name: factory.GetMessageClass(found) for name, found in types.items()}


class ProtoError(TlaError, ValueError):
    """Bytes that are no protocol buffer of a module, or one that contradicts itself."""


def parsed_proto(data: bytes) -> Message:
    """Return the ``HloProto`` of bytes, which may be only the ``HloModuleProto`` in it.

    Raises:
        ProtoError: the bytes are neither.
        UnsupportedError: protobuf is not installed.
    """
    if not data:
        raise ProtoError("the protocol buffer is empty: it has no module")
    classes = _classes()
    for name in ("HloProto", "HloModuleProto"):
        message = classes[name]()
        try:
            message.ParseFromString(data)
        except import_module("google.protobuf.message").DecodeError:
            continue
        whole = message if name == "HloProto" else classes["HloProto"](hlo_module=message)
        if whole.hlo_module.computations:
            return whole
    if all(byte >= 32 or byte in b"\t\n\r" for byte in data[:512]):
        more = "It is text: give the file a name that ends in .hlo or .txt."
    else:
        more = "It is cut short, or of another kind: it has no HloProto and no HloModuleProto."
    raise ProtoError("the protocol buffer has no module", more)


def unknown_fields(message: Message, path: str = "", deep: bool = True) -> Iterator[str]:
    """Yield where a message has fields that the table lacks, as ``metadata.20``.

    Args:
        deep: Whether to look into lists of messages.
    """
    if message.DESCRIPTOR.name == "Opaque":
        return
    for field in import_module("google.protobuf.unknown_fields").UnknownFieldSet(message):
        yield f"{path}{field.field_number}"
    for field, value in message.ListFields():
        if field.message_type is not None:
            single = hasattr(value, "ListFields")
            for each in (value,) if single else value if deep else ():
                yield from unknown_fields(each, f"{path}{field.name}.", deep)
