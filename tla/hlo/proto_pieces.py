# SPDX-License-Identifier: Apache-2.0
"""The parts of attributes as XLA prints them, from messages: shapes, shardings, windows, groups.

Source: shape_util.cc, layout.cc, hlo_sharding.cc, window_util.cc, hlo_op_metadata.cc.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..errors import ParseError, UnsupportedError
from ..xla_bridge import numbered
from .lexing import end_of_brackets, escaped
from .literals import ELEMENT_TYPES
from .schema import ProtoError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .schema import Message

OTHERWISE: Final = "The text of the module has it, and is read: compiled.as_text()."
_UNBOUNDED: Final = -(1 << 63)
_LEVELS: Final = "DCSH"
_SHARDINGS: Final = ("replicated", "maximal", "tuple", "tiled", "manual", "unknown", "unreduced")


def braces(texts: Iterable[object]) -> str:
    return f"{{{','.join(map(str, texts))}}}"


def named(names: Sequence[str], number: int, what: str) -> str:
    if not 0 <= number < len(names):
        summary = f"{what} {number} is not known: the protocol buffer is of a newer XLA"
        raise UnsupportedError(summary, OTHERWISE)
    return names[number]


def shape_text(shape: Message) -> str:
    """The text of a shape with its layout, as XLA prints it."""
    type_ = named(ELEMENT_TYPES, shape.element_type, "element type")
    if type_ == "tuple":
        return f"({numbered(map(shape_text, shape.tuple_shapes))})"
    if type_ == "b":
        return f"b({shape_text(shape.tuple_shapes[0])})" if shape.tuple_shapes else "b()"
    bounded = list(shape.is_dynamic_dimension) or [0] * len(shape.dimensions)
    if len(bounded) != len(shape.dimensions):
        what = f"{len(shape.dimensions)} dims, and {len(bounded)} facts on which are dynamic"
        raise ProtoError(f"a shape has {what}")
    dims = ",".join(
        "?" if dim == _UNBOUNDED else f"<={dim}" if dynamic else f"{dim}"
        for dim, dynamic in zip(shape.dimensions, bounded, strict=True)
    )
    layout = (
        _layout(shape.layout) if shape.HasField("layout") and type_ not in ("token", "opaque") else ""
    )
    return f"{type_}[{dims}]{'' if layout == '{}' and not dims else layout}"


def _layout(layout: Message) -> str:
    parts: list[str] = []
    if any(layout.dim_level_types):
        parts.append(f"D({','.join(_LEVELS[level] for level in layout.dim_level_types)})")
    if layout.tiles:
        tiles = (
            ",".join("*" if d == _UNBOUNDED else f"{d}" for d in t.dimensions) for t in layout.tiles
        )
        parts.append("T" + "".join(f"({tile})" for tile in tiles))
    if layout.tail_padding_alignment_in_elements > 1:
        parts.append(f"L({layout.tail_padding_alignment_in_elements})")
    for sign, type_ in (("#", layout.index_primitive_type), ("*", layout.pointer_primitive_type)):
        if type_:
            parts.append(f"{sign}({named(ELEMENT_TYPES, type_, 'element type')})")
    if layout.element_size_in_bits:
        parts.append(f"E({layout.element_size_in_bits})")
    if layout.memory_space:
        parts.append(f"S({layout.memory_space})")
    if layout.split_configs:
        splits = (f"({s.dimension}:{','.join(map(str, s.split_indices))})" for s in layout.split_configs)
        parts.append("SC" + "".join(splits))
    if layout.HasField("physical_shape"):
        parts.append(f"P({shape_text(layout.physical_shape)})")
    if layout.dynamic_shape_metadata_prefix_bytes:
        parts.append(f"M({layout.dynamic_shape_metadata_prefix_bytes})")
    order = ",".join(map(str, layout.minor_to_major))
    return f"{{{order}{':' if parts else ''}{''.join(parts)}}}"


def raw_text(text: str | bytes) -> str:
    """A text as the value of an attribute: bare if it is one pair of braces, else in quotes."""
    try:
        if isinstance(text, bytes):
            text = text.decode()
        bare = text.startswith("{") and end_of_brackets(text, 0) == len(text)
    except (ParseError, UnicodeDecodeError):
        bare = False
    return str(text) if bare else escaped(text)


def frontend_text(attributes: Message) -> str:
    pairs = sorted((each.key, each.value) for each in attributes.map)
    return braces(f"{key}={raw_text(value)}" for key, value in pairs) if pairs else ""


def metadata_text(metadata: Message) -> str:
    texts: list[str] = []
    for name in ("op_type", "op_name", "source_file"):
        if text := getattr(metadata, name):
            texts.append(f"{name}={escaped(text)}")
    for name in ("source_line", "source_end_line", "source_column", "source_end_column"):
        if number := getattr(metadata, name):
            texts.append(f"{name}={number}")
    if metadata.profile_type:
        texts.append(f"profile_type={braces(metadata.profile_type)}")
    if metadata.deduplicated_name:
        texts.append(f"deduplicated_name={escaped(metadata.deduplicated_name)}")
    if metadata.scheduling_name:
        texts.append(f"scheduling_name={escaped(metadata.scheduling_name)}")
    if metadata.stack_frame_id:
        texts.append(f"stack_frame_id={metadata.stack_frame_id}")
    return f"{{{' '.join(texts)}}}" if texts else ""


def _iota(dims: Iterable[int], perm: Iterable[int]) -> str:
    perm = list(perm)
    moved = f"T({','.join(map(str, perm))})" if perm != sorted(perm) else ""
    return f"<=[{','.join(map(str, dims))}]{moved}"


def sharding_text(sharding: Message) -> str:
    """The text of a sharding, in braces."""
    if sharding.HasField("named_sharding"):
        return _named_sharding(sharding.named_sharding)
    kind = named(_SHARDINGS, sharding.type, "sharding type")
    if kind == "tuple":
        return f"{{{numbered(map(sharding_text, sharding.tuple_shardings))}}}"
    words = kind
    if kind == "maximal":
        words = f"maximal device={sharding.tile_assignment_devices[0]}"
    elif kind == "tiled":
        dims = ",".join(map(str, sharding.tile_assignment_dimensions))
        devices = ",".join(map(str, sharding.tile_assignment_devices))
        if sharding.iota_reshape_dims:
            devices = _iota(sharding.iota_reshape_dims, sharding.iota_transpose_perm)
        words = f"devices=[{dims}]{devices}"
        words += " last_tile_dim_replicate" if sharding.replicate_on_last_tile_dim else ""
        if sharding.last_tile_dims:
            types = (named(_SHARDINGS, each, "sharding type") for each in sharding.last_tile_dims)
            words += f" last_tile_dims={{{', '.join(types)}}}"
    if sharding.is_shard_group:
        words += f" shard_{'like' if sharding.shard_group_type else 'as'} {sharding.shard_group_id}"
    metadata = [metadata_text(each) or "{}" for each in sharding.metadata]
    if metadata:
        words += f" metadata={metadata[0] if len(metadata) == 1 else braces(metadata)}"
    return f"{{{words}}}"


def window_text(window: Message) -> str:
    dims = window.dimensions
    texts = [f"size={'x'.join(str(d.size) for d in dims)}"]
    for name, field, default in (
        ("stride", "stride", 1),
        ("pad", "", 0),
        ("lhs_dilate", "base_dilation", 1),
        ("rhs_dilate", "window_dilation", 1),
        ("rhs_reversal", "window_reversal", 0),
    ):
        if not field:
            if any(d.padding_low or d.padding_high for d in dims):
                texts.append(f"pad={'x'.join(f'{d.padding_low}_{d.padding_high}' for d in dims)}")
        elif any(getattr(d, field) != default for d in dims):
            texts.append(f"{name}={'x'.join(str(getattr(d, field)) for d in dims)}")
    return f"{{{' '.join(texts)}}}"


def dim_labels_text(numbers: Message) -> str:
    def labels(spatial: Sequence[int], **letters: int) -> str:
        found = {at: name[0] for name, at in letters.items()}
        found.update({at: str(i) for i, at in enumerate(spatial)})
        return "".join(found.get(i, "?") for i in range(len(spatial) + 2))

    n = numbers
    lhs = labels(n.input_spatial_dimensions, b=n.input_batch_dimension, f=n.input_feature_dimension)
    rhs = labels(
        n.kernel_spatial_dimensions,
        i=n.kernel_input_feature_dimension,
        o=n.kernel_output_feature_dimension,
    )
    out = labels(n.output_spatial_dimensions, b=n.output_batch_dimension, f=n.output_feature_dimension)
    return f"{lhs}_{rhs}->{out}"


def _mesh(mesh: Message) -> str:
    axes = ",".join(f"'{axis.name}'={axis.size}" for axis in mesh.axes)
    devices = ",".join(map(str, mesh.device_ids))
    if mesh.HasField("iota_transform"):
        moved = mesh.iota_transform
        devices = _iota(moved.reshape_dims, moved.transpose_perm).removeprefix("<=")
    return f"mesh[{axes}]" + (f", device_ids=({devices})" if devices else "")


def _axes(axes: Iterable[Message], mesh: Message) -> str:
    return braces(
        f"'{mesh.axes[axis.mesh_axis_index].name}'"
        + (f":({part.pre_size}){part.size}" if axis.HasField("sub_axis_info") else "")
        for axis in axes
        for part in (axis.sub_axis_info,)
    )


def _named_sharding(sharding: Message) -> str:
    mesh = sharding.mesh
    dims = ", ".join(
        _axes(dim.axes, mesh)
        if dim.is_closed
        else f"{_axes(dim.axes, mesh)[:-1]}{', ' if dim.axes else ''}?}}"
        for dim in sharding.dim_shardings
    )
    words = [_mesh(mesh), f"[{dims}]"]
    for name in ("replicated", "unreduced", "manual"):
        if axes := getattr(sharding, f"{name}_axes"):
            words.append(f"{name}={_axes(axes, mesh)}")
    return f"{{{', '.join(words)}}}"


def groups_text(line: Message) -> str:
    """The replica groups of a collective, from the one of the places that has them."""
    if line.HasField("mesh_axes_replica_group_list"):
        listed = line.mesh_axes_replica_group_list
        return f"{_mesh(listed.mesh)} {_axes(listed.axes, listed.mesh)}"
    iota = line.iota_collective_device_list
    if not line.HasField("iota_collective_device_list"):
        iota = line.collective_device_list.iota_replica_group_list
    if iota.iota_reshape_dims:
        grid = f"[{iota.num_replica_groups},{iota.num_devices_per_group}]"
        return grid + _iota(iota.iota_reshape_dims, iota.iota_transpose_perm)
    groups = line.collective_device_list.replica_groups or line.replica_groups
    return braces(braces(group.replica_ids) for group in groups)


def aliases_text(entries: Iterable[Message]) -> str:
    texts = [
        f"{braces(e.output_shape_index)}: ({e.operand_index}, {braces(e.operand_shape_index)})"
        for e in entries
    ]
    return f"{{{', '.join(texts)}}}" if texts else ""
