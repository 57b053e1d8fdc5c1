# SPDX-License-Identifier: Apache-2.0
"""The opcodes of HLO, by their names in the text.

>>> len(OPCODES), is_opcode("add"), is_opcode("slice-start"), is_opcode("frob")
(133, True, True, False)

Source: hlo_opcode.h; hlo_parser.cc for an asynchronous wrapper, which has the wrapped opcode and a
suffix.
"""

from __future__ import annotations

from typing import Final

# fmt: off
OPCODES: Final[tuple[str, ...]] = (
    "abs", "acos", "acosh", "add", "add-dependency", "after-all", "all-gather", "all-gather-done",
    "all-gather-start", "all-reduce", "all-reduce-done", "all-reduce-start", "all-to-all", "and",
    "asin", "asinh", "async-done", "async-start", "async-update", "atan2", "atanh",
    "batch-norm-grad", "batch-norm-inference", "batch-norm-training", "bitcast", "bitcast-convert",
    "broadcast", "call", "cbrt", "ceil", "cholesky", "clamp", "collective-broadcast",
    "collective-permute", "collective-permute-done", "collective-permute-start", "compare",
    "complex", "concatenate", "conditional", "constant", "convert", "convolution", "copy",
    "copy-done", "copy-start", "cosh", "cosine", "count-leading-zeros", "custom-call", "divide",
    "domain", "dot", "dynamic-reshape", "dynamic-slice", "dynamic-update-slice", "erf",
    "exponential", "exponential-minus-one", "fft", "floor", "fusion", "gather",
    "get-dimension-size", "get-tuple-element", "imag", "infeed", "iota", "is-finite", "log",
    "log-plus-one", "logistic", "map", "maximum", "minimum", "mulhi", "multiply", "negate", "not",
    "opt-barrier", "or", "outfeed", "pad", "parameter", "partition-id", "popcnt", "power",
    "ragged-all-to-all", "ragged-dot", "real", "recv", "recv-done", "reduce", "reduce-precision",
    "reduce-scatter", "reduce-window", "remainder", "replica-id", "reshape", "reverse", "rng",
    "rng-bit-generator", "rng-get-and-update-state", "round-nearest-afz", "round-nearest-even",
    "rsqrt", "scaled-dot", "scan", "scatter", "select", "select-and-scatter", "send", "send-done",
    "set-dimension-size", "shift-left", "shift-right-arithmetic", "shift-right-logical", "sign",
    "sine", "sinh", "slice", "sort", "sqrt", "stochastic-convert", "subtract", "tan", "tanh",
    "topk", "transpose", "triangular-solve", "tuple", "while", "xor",
)

ELEMENTWISE: Final[tuple[str, ...]] = (
    "abs", "acos", "acosh", "add", "and", "asin", "asinh", "atan2", "atanh", "cbrt", "ceil", "clamp",
    "compare", "complex", "convert", "cosh", "cosine", "count-leading-zeros", "divide", "erf",
    "exponential", "exponential-minus-one", "floor", "imag", "is-finite", "log", "log-plus-one",
    "logistic", "map", "maximum", "minimum", "mulhi", "multiply", "negate", "not", "or", "popcnt",
    "power", "real", "reduce-precision", "remainder", "round-nearest-afz", "round-nearest-even",
    "rsqrt", "select", "shift-left", "shift-right-arithmetic", "shift-right-logical", "sign", "sine",
    "sinh", "sqrt", "stochastic-convert", "subtract", "tan", "tanh", "xor",
)
# fmt: on
"""The opcodes whose results have at each place what the elements of the operands there give."""

_ALL = frozenset(OPCODES)


def wrapped_opcode(opcode: str) -> str | None:
    """Return the opcode in the short form of an asynchronous one, or `None` for any other opcode.

    >>> wrapped_opcode("slice-start"), wrapped_opcode("copy-start"), wrapped_opcode("async-start")
    ('slice', None, None)
    """
    if opcode in _ALL:
        return None
    for suffix in ("-start", "-update", "-done"):
        if opcode.endswith(suffix) and opcode.removesuffix(suffix) in _ALL:
            return opcode.removesuffix(suffix)
    return None


def is_opcode(opcode: str) -> bool:
    """Whether an opcode is one of `OPCODES`, or the short form of an asynchronous one.

    >>> is_opcode("reduce-window"), is_opcode("add-start"), is_opcode("ad")
    (True, True, False)
    """
    return opcode in _ALL or wrapped_opcode(opcode) is not None
