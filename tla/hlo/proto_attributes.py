# SPDX-License-Identifier: Apache-2.0
"""The attributes of an instruction that its opcode has, as XLA prints them.

Source: hlo_instructions.cc, ``PrintExtraAttributesImpl`` of each class; held against jaxlib.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from .lexing import escaped
from .literals import literal_text
from .proto_pieces import (
    aliases_text,
    braces,
    dim_labels_text,
    groups_text,
    named,
    shape_text,
    sharding_text,
    window_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .schema import Message

_ALGORITHMS: Final = (
    "",
    *("dot_any_f8_any_f8_f32", "dot_any_f8_any_f8_f32_fast_accum", "dot_f16_f16_f16", "dot_f16_f16_f32"),
    *("dot_bf16_bf16_bf16", "dot_bf16_bf16_f32", "dot_bf16_bf16_f32_x3", "dot_bf16_bf16_f32_x6"),
    *("dot_tf32_tf32_f32", "dot_tf32_tf32_f32_x3", "dot_f32_f32_f32", "dot_f64_f64_f64"),
    "dot_bf16_bf16_f32_x9",
)


def _slices(line: Message) -> str:
    slices = line.slice_dimensions
    steps = any(s.stride != 1 for s in slices)
    texts = (f"[{s.start}:{s.limit}" + (f":{s.stride}]" if steps else "]") for s in slices)
    return f"{{{', '.join(texts)}}}"


def _padding(line: Message) -> str:
    dims = line.padding_config.dimensions
    inside = any(d.interior_padding for d in dims)
    return "x".join(
        f"{d.edge_padding_low}_{d.edge_padding_high}" + (f"_{d.interior_padding}" if inside else "")
        for d in dims
    )


# --- the attributes of an instruction, by its opcode in the order of the text ---


def _flag(path: str) -> Callable[[Message], str]:
    found = attrgetter(path)
    return lambda line: "true" if found(line) else ""


def _ints(path: str, always: bool = True) -> Callable[[Message], str]:
    found = attrgetter(path)
    return lambda line: braces(found(line)) if always or found(line) else ""


def _number(path: str, least: int | None = None) -> Callable[[Message], str]:
    """The text of an int; with ``least`` only of one that is at least that."""
    found = attrgetter(path)
    return lambda line: "" if least is not None and found(line) < least else str(found(line))


def _one_of(path: str, *names: str) -> Callable[[Message], str]:
    """The name of a number, if it is not empty."""
    found = attrgetter(path)
    return lambda line: named(names, found(line), path)


def _precision(line: Message) -> str:
    config = line.precision_config.operand_precision
    levels = ("default", "high", "highest")
    return braces(named(levels, each, "precision") for each in config) if any(config) else ""


def accuracy_text(line: Message) -> str:
    accuracy = line.result_accuracy
    if accuracy.HasField("tolerance"):
        t = accuracy.tolerance
        return f"{{tolerance={{atol={t.atol:g},rtol={t.rtol:g},ulps={t.ulps}}}}}"
    return "{mode=highest}" if accuracy.mode else ""


def _replication(line: Message) -> str:
    leaves = line.parameter_replication.replicated_at_leaf_buffers
    return braces("true" if leaf else "false" for leaf in leaves) if leaves else ""


def _config(data: bytes) -> str:
    return escaped(data) if data else ""


def origin_text(line: Message) -> str:
    """What a value was in the program that was compiled: a tree of names, as deep as its tuples."""
    tree: dict[int, Any] = {}
    for element in line.original_value.elements:
        array, at = element.original_array, tree
        place = f" {braces(array.shape_index)}" if array.shape_index else ""
        name = f"{{{escaped(array.instruction_name)}{place}}}" if array.instruction_name else "{}"
        for i in element.shape_index:
            at = at.setdefault(i, {})
        at[-1] = name
    return f"{{{_branch(tree)}}}" if tree else ""


def _branch(tree: dict[int, Any]) -> str:
    if -1 in tree:
        return str(tree[-1])
    return f"({', '.join(_branch(tree[i]) for i in sorted(tree))})"


def statistics_text(viz: Message) -> str:
    texts = [f"{each.stat_name}={each.stat_val:g}" for each in viz.statistics]
    return braces([f"visualizing_index={viz.stat_index_to_visualize}", *texts]) if texts else ""


_GATHER: Final = "gather_dimension_numbers"
_SCATTER: Final = "scatter_dimension_numbers"
_DOT: Final = "dot_dimension_numbers"
_RAGGED: Final = "ragged_dot_dimension_numbers"
_TRIANGULAR: Final = "triangular_solve_options"

TEXTS: Final[Mapping[str, Callable[[Message], str]]] = {
    "epsilon": lambda line: f"{line.epsilon:g}",
    "feature_index": _number("feature_index"),
    "dimensions": _ints("dimensions"),
    "split": _ints("dimensions", always=False),
    "is_stable": _flag("is_stable"),
    "is_reverse": _flag("is_reverse"),
    "num_carries": _number("num_carries"),
    "is_associative": _one_of("is_associative", "", "true", "false"),
    "fft_type": _one_of("fft_type", "FFT", "IFFT", "RFFT", "IRFFT"),
    "fft_length": _ints("fft_length"),
    "cross_program_prefetch_index": lambda line: (
        str(line.cross_program_prefetch_index) if line.HasField("cross_program_prefetch_index") else ""
    ),
    "direction": attrgetter("comparison_direction"),
    "left_side": _flag(f"{_TRIANGULAR}.left_side"),
    "lower": lambda line: (
        "true" if line.cholesky_options.lower or line.triangular_solve_options.lower else ""
    ),
    "unit_diagonal": _flag(f"{_TRIANGULAR}.unit_diagonal"),
    "transpose_a": _one_of(f"{_TRIANGULAR}.transpose_a", "", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"),
    "channel_id": _number("channel_id", 1),
    "is_host_transfer": _flag("is_host_transfer"),
    "replica_groups": groups_text,
    "constrain_layout": _flag("constrain_layout"),
    "use_global_device_ids": _flag("use_global_device_ids"),
    "source_target_pairs": lambda line: braces(
        braces((pair.source, pair.target)) for pair in line.source_target_pairs
    ),
    "index": _number("tuple_index"),
    "slice": _slices,
    "dynamic_slice_sizes": _ints("dynamic_slice_sizes"),
    "padding": _padding,
    "iota_dimension": lambda line: str(line.dimensions[0]),
    "kind": attrgetter("fusion_kind"),
    "output_to_operand_aliasing": lambda line: aliases_text(line.output_operand_aliasing),
    "window": lambda line: window_text(line.window) if line.window.dimensions else "",
    "dim_labels": lambda line: (
        dim_labels_text(line.convolution_dimension_numbers)
        if line.HasField("convolution_dimension_numbers")
        else ""
    ),
    "feature_group_count": _number("feature_group_count", 2),
    "batch_group_count": _number("batch_group_count", 2),
    "padding_type": _one_of("padding_type", "", "PADDING_VALID", "PADDING_SAME"),
    "custom_call_target": lambda line: escaped(line.custom_call_target),
    "operand_layout_constraints": lambda line: (
        f"{{{', '.join(map(shape_text, line.operand_shapes_with_layout))}}}"
        if line.constrain_layout
        else ""
    ),
    "custom_call_has_side_effect": _flag("custom_call_has_side_effect"),
    "literal": lambda line: (
        f"{shape_text(line.literal.shape)} {literal_text(line.literal)}"
        if line.HasField("literal")
        else ""
    ),
    "schedule": _one_of("custom_call_schedule", "", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"),
    "api_version": _one_of(
        "custom_call_api_version",
        *("", "", "API_VERSION_STATUS_RETURNING", "API_VERSION_STATUS_RETURNING_UNIFIED"),
        "API_VERSION_TYPED_FFI",
    ),
    **{
        f"{side}_{what}_dims": _ints(f"{_DOT}.{side}_{what}_dimensions", always=what == "contracting")
        for side in ("lhs", "rhs")
        for what in ("batch", "contracting")
    },
    **{
        f"ragged_{side}_{what}": _ints(
            f"{_RAGGED}.{_DOT}.{side}_{what}_dimensions", what == "contracting"
        )
        for side in ("lhs", "rhs")
        for what in ("batch", "contracting")
    },
    "lhs_ragged_dims": _ints(f"{_RAGGED}.lhs_ragged_dimensions"),
    "rhs_group_dims": _ints(f"{_RAGGED}.rhs_group_dimensions", always=False),
    "operand_precision": _precision,
    "algorithm": _one_of("precision_config.algorithm", *_ALGORITHMS),
    **{
        name: _ints(f"{_GATHER}.{name}", always="batching" not in name)
        for name in ("offset_dims", "collapsed_slice_dims", "start_index_map")
    },
    **{
        name: _ints(f"{_GATHER}.{name}", always=False)
        for name in ("operand_batching_dims", "start_indices_batching_dims")
    },
    "slice_sizes": _ints("gather_slice_sizes"),
    **{
        name: _ints(f"{_SCATTER}.{name}")
        for name in ("update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims")
    },
    **{
        name: _ints(f"{_SCATTER}.{name}", always=False)
        for name in ("input_batching_dims", "scatter_indices_batching_dims")
    },
    "index_vector_dim": lambda line: str(
        getattr(line, _GATHER if line.opcode == "gather" else _SCATTER).index_vector_dim
    ),
    "indices_are_sorted": _flag("indices_are_sorted"),
    "unique_indices": _flag("unique_indices"),
    "distribution": _one_of("distribution", "rng_invalid", "rng_uniform", "rng_normal"),
    "rng_algorithm": _one_of("rng_algorithm", "rng_default", "rng_three_fry", "rng_philox"),
    "delta": _number("delta"),
    "exponent_bits": _number("exponent_bits"),
    "mantissa_bits": _number("mantissa_bits"),
    "outfeed_shape": lambda line: shape_text(line.outfeed_shape),
    "infeed_config": lambda line: _config(line.infeed_config),
    "outfeed_config": lambda line: _config(line.outfeed_config),
    "k": _number("k"),
    "largest": lambda line: "true" if line.largest else "false",
    "parameter_replication": _replication,
    "domain": lambda line: (
        f'{{kind="sharding", entry={sharding_text(line.domain_exit_sharding)}, '
        f"exit={sharding_text(line.domain_entry_sharding)}}}"
    ),
}
"""How each attribute is printed: "" where XLA leaves it out."""

_OF_GROUPS: Final = "channel_id replica_groups constrain_layout"
_OF_WINDOW: Final = "window dim_labels feature_group_count batch_group_count"
_ORDER: Final = {
    "batch-norm-training batch-norm-inference batch-norm-grad": "epsilon feature_index",
    "broadcast concatenate reduce reverse transpose map": "dimensions",
    "get-dimension-size set-dimension-size": "dimensions",
    "scan": "dimensions is_reverse num_carries is_associative",
    "sort": "dimensions is_stable",
    "fft": "fft_type fft_length",
    "copy-start": "cross_program_prefetch_index",
    "compare": "direction",
    "triangular-solve": "left_side lower unit_diagonal transpose_a",
    "cholesky": "lower",
    "send send-done recv recv-done": "channel_id is_host_transfer",
    "all-gather all-gather-start": f"{_OF_GROUPS} dimensions use_global_device_ids",
    "all-reduce all-reduce-start": f"{_OF_GROUPS} use_global_device_ids",
    "reduce-scatter": f"{_OF_GROUPS} use_global_device_ids dimensions",
    "all-to-all": f"{_OF_GROUPS} split",
    "collective-broadcast ragged-all-to-all": _OF_GROUPS,
    "collective-permute collective-permute-start": "channel_id source_target_pairs",
    "get-tuple-element": "index",
    "slice": "slice",
    "dynamic-slice": "dynamic_slice_sizes",
    "pad": "padding",
    "iota": "iota_dimension",
    "dot": "lhs_batch_dims lhs_contracting_dims rhs_batch_dims rhs_contracting_dims operand_precision"
    " algorithm",
    "ragged-dot": "ragged_lhs_batch ragged_lhs_contracting ragged_rhs_batch ragged_rhs_contracting"
    " lhs_ragged_dims rhs_group_dims operand_precision algorithm",
    "convolution": f"{_OF_WINDOW} operand_precision algorithm",
    "reduce-window select-and-scatter": "window",
    "gather": "offset_dims collapsed_slice_dims start_index_map operand_batching_dims"
    " start_indices_batching_dims index_vector_dim slice_sizes indices_are_sorted",
    "scatter": "update_window_dims inserted_window_dims scatter_dims_to_operand_dims input_batching_dims"
    " scatter_indices_batching_dims index_vector_dim indices_are_sorted unique_indices",
    "rng": "distribution",
    "rng-bit-generator": "rng_algorithm",
    "rng-get-and-update-state": "delta",
    "reduce-precision": "exponent_bits mantissa_bits",
    "infeed": "infeed_config",
    "outfeed": "outfeed_shape outfeed_config",
    "custom-call": f"{_OF_WINDOW} operand_precision padding_type custom_call_target"
    " operand_layout_constraints custom_call_has_side_effect literal output_to_operand_aliasing schedule"
    " api_version",
    "fusion": "kind output_to_operand_aliasing",
    "call": "output_to_operand_aliasing",
    "parameter": "parameter_replication",
    "topk": "k largest",
    "domain": "domain",
}
PRINTED: Final = {each: names.split() for ops, names in _ORDER.items() for each in ops.split()}

SHOWN: Final = {
    "rng_algorithm": "algorithm",
    "split": "dimensions",
    **{
        f"ragged_{side}_{w}": f"{side}_{w}_dims"
        for side in ("lhs", "rhs")
        for w in ("batch", "contracting")
    },
}
"""The names of attributes whose texts depend on the opcode."""
