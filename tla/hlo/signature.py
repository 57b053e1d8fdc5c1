# SPDX-License-Identifier: Apache-2.0
"""The parameters and results of a program in StableHLO, as they will lie in the memory of a TPU.

>>> text = "func.func @main(%x: tensor<300x3xf32>) -> tensor<3xbf16> {"
>>> print(hlo_of_signature(text))
HloModule main, entry_computation_layout={(f32[300,3]{0,1:T(4,128)})->bf16[3]{0:T(256)(128)(2,1)}}
<BLANKLINE>
ENTRY main {
  x = f32[300,3]{0,1:T(4,128)} parameter(0)
  ROOT result = bf16[3]{0:T(256)(128)(2,1)} custom-call(x), custom_call_target="main"
}

The body is not read. An array with a sharding has the dims of one device, as in the compiled module; a
result without one is whole here, although the partitioner may split it. A layout that the program asks
for, ``mhlo.layout_mode``, is taken; every other one is the default of the chip. So padding shows before
anything is compiled.

Source: StableHLO's and MLIR's assembly formats; the attributes that jax writes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from ..errors import ParseError, TlaError, UnsupportedError
from ..ground import shortened
from ..xla_bridge import (
    XlaShape,
    default_layout,
    laid_out,
    packed_bits,
    parse_array,
    parse_sharding,
    remade,
    tilings_of_order,
)
from .lexing import end_of_brackets, escaped

if TYPE_CHECKING:
    from ..xla_bridge import Chip

_FUNCTION: Final = re.compile(r'func\.func\s+(?:(?:public|private|nested)\s+)?@"?([\w$.-]+)"?\s*(?=\()')
_NAMED: Final = re.compile(r"%([\w$.-]+)\s*:\s*")
_BLANK: Final = re.compile(r"\s*")
_LOCATION: Final = re.compile(r"\s*(?:loc)?")
_ARROW: Final = re.compile(r"\s*->\s*")
_COMMA: Final = re.compile(r"\s*,?\s*")
_TENSOR: Final = re.compile(
    r"tensor<((?:[\d?]+x)*)(complex<f(?:32|64)>|[a-z]\w*)\s*"
    r"(?:,\s*#\w+\.(?:type_extensions<\s*bounds\s*=\s*\[([\d?,\s]*)\]\s*>|bounds<([\d?,\s]*)>)\s*)?>"
)
_TYPE: Final = re.compile(r"[!\w.]+(?:<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)?")
_MESH: Final = re.compile(
    r"sdy\.mesh\s+@([\w$.-]+)\s*=\s*(<\[[^\]]*\](?:,\s*device_ids\s*=\s*\[[\d,\s]*\])?>)"
)
_SHARDY: Final = re.compile(r"sdy\.sharding\s*=\s*(#sdy\.sharding<(?:[^<>]|<[^<>]*>)*>)")
_OF_MESH: Final = re.compile(r"<@([\w$.-]+)")
_STRING: Final = r"\s*=\s*\"((?:[^\"\\]|\\.)*)\""
_ELEMENTS: Final = {"i1": "pred", "complex<f32>": "c64", "complex<f64>": "c128"}
_HOST: Final = {"pinned_host": 5, "unpinned_host": 5}
_COMPILED: Final = "The compiled module has all of it: compiled.as_text()."


_BEGINS: Final = re.compile(
    r"(?:\s|//[^\n]*|#\w+\s*=[^\n]*)*"
    r"(?:(?:builtin\.)?module\b\s*(?:@|\{|attributes\b)|func\.func\b)"
)


class _Value(NamedTuple):
    """A parameter or result: its name, its type, and its attributes as text."""

    name: str
    type: str
    attributes: str

    def attribute(self, name: str, pattern: str = _STRING) -> str:
        """The text of an attribute, "" if there is none."""
        match = re.search(re.escape(name) + pattern, self.attributes)
        return match[1] if match else ""


def is_mlir(text: str) -> bool:
    """Whether a text is of MLIR, by how it begins.

    >>> is_mlir("module @jit_f {"), is_mlir("HloModule jit_f")
    (True, False)
    """
    return _BEGINS.match(text) is not None


def hlo_of_signature(text: str, chip: str | Chip = "v5e") -> str:
    """Return the text of an HLO module with the parameters and results of a StableHLO program.

    Of several functions it is ``main``, or the first one. One custom call stands for the whole body.

    Raises:
        UnsupportedError: there is no function, or a type in its signature is no tensor of known size.
        ParseError: brackets of the signature are not closed.
    """
    found = [*_FUNCTION.finditer(text)]
    head = next((each for each in found if each[1] == "main"), found[0] if found else None)
    if head is None:
        raise UnsupportedError("the text has no function func.func @main(...)", _COMPILED)
    meshes = dict(_MESH.findall(text))
    parameters, at = _values(text, head.end())
    results: list[_Value] = []
    arrow = _ARROW.match(text, at)
    if arrow:
        at = arrow.end()
        results = _values(text, at)[0] if text.startswith("(", at) else [_value(text, at)[0]]
    formals = [f"{_shape(each, meshes, chip)}" for each in parameters]
    made = [f"{_shape(each, meshes, chip)}" for each in results]
    names = [each.name or f"p{i}" for i, each in enumerate(parameters)]
    aliases = [
        f"{{{out if len(results) > 1 else ''}}}: ({i}, {{}}, may-alias)"
        for i, each in enumerate(parameters)
        if (out := each.attribute("tf.aliasing_output", r"\s*=\s*(\d+)"))
    ]
    result = made[0] if len(made) == 1 else f"({', '.join(made)})"
    alias = f"input_output_alias={{ {', '.join(aliases)} }}, " if aliases else ""
    lines = [
        f"HloModule {head[1]}, {alias}entry_computation_layout={{({', '.join(formals)})->{result}}}",
        "",
        "ENTRY main {",
    ]
    for i, (name, shape, each) in enumerate(zip(names, formals, parameters, strict=True)):
        label = each.attribute("jax.arg_info") or each.attribute("loc", r"\(\"((?:[^\"\\]|\\.)*)\"")
        said = f", metadata={{op_name={escaped(label)}}}" if label else ""
        lines.append(f"  {name} = {shape} parameter({i}){said}")
    target = f'custom-call({", ".join(names)}), custom_call_target="{head[1]}"'
    lines += [f"  ROOT result = {result} {target}", "}"]
    return "\n".join(lines)


def _values(text: str, at: int) -> tuple[list[_Value], int]:
    """The parameters or results in parentheses, and the place after them."""
    end = end_of_brackets(text, at)
    at = _past(_BLANK, text, at + 1)
    found: list[_Value] = []
    while at < end - 1:
        value, at = _value(text, at)
        start = at
        while (bracket := _past(_LOCATION, text, at)) < end - 1 and text[bracket] in "{(":
            at = end_of_brackets(text, bracket)
        found.append(value._replace(attributes=text[start:at]))
        at = _past(_COMMA, text, at)
    return found, end


def _value(text: str, at: int) -> tuple[_Value, int]:
    """A parameter or result: perhaps its name, and its type."""
    name = _NAMED.match(text, at)
    at = name.end() if name else at
    type_ = _TYPE.match(text, at)
    if type_ is None:
        raise ParseError("expected a type such as tensor<8x128xf32>", text, at)
    label = (name and name[1]) or ""
    return _Value(f"arg{label}" if label[:1].isdigit() else label, type_[0], ""), type_.end()


def _past(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _refuse(value: _Value, why: str) -> NoReturn:
    raise UnsupportedError(f"{shortened(value.type)} {why}", _COMPILED)


def _shape(value: _Value, meshes: dict[str, str], chip: str | Chip) -> XlaShape:
    """The shape of a parameter or result on one device."""
    match = _TENSOR.fullmatch(value.type)
    if match is None:
        _refuse(value, "is no tensor that lies in memory")
    dims = match[1].split("x")[:-1]
    bounds = [each.strip() for each in (match[3] or match[4] or "").split(",")]
    for i, dim in enumerate(dims):
        if dim == "?":
            if i >= len(bounds) or bounds[i] in ("", "?"):
                _refuse(value, "has a dim of no known size")
            dims[i] = f"<={bounds[i]}"
    type_ = (
        _ELEMENTS.get(match[2]) or re.sub(r"^ui(?=\d)", "u", re.sub(r"^i(?=\d)", "s", match[2])).lower()
    )
    try:
        whole = parse_array(f"{type_}[{','.join(dims)}]")
        return _laid_out(value, _of_one_device(value, whole, meshes), chip)
    except TlaError as error:
        _refuse(value, f"is not read: {error.summary}")


def _of_one_device(value: _Value, whole: XlaShape, meshes: dict[str, str]) -> XlaShape:
    text = value.attribute("mhlo.sharding")
    shardy = _SHARDY.search(value.attributes)
    mesh = None
    if not text and shardy:
        text = shardy[1]
        named = _OF_MESH.search(text)
        mesh = meshes.get(named[1]) if named else None
    if not text:
        return whole
    return XlaShape(whole.element_type, parse_sharding(text, mesh).shard_shape(whole))


def _laid_out(value: _Value, shape: XlaShape, chip: str | Chip) -> XlaShape:
    asked = value.attribute("mhlo.layout_mode")
    if not asked.startswith("{"):
        found = default_layout(shape, chip)
    else:
        found = parse_array(str(shape).partition("{")[0] + asked)
        if not found.tiles:
            order = found.minor_to_major
            bits = packed_bits(shape.element_type, chip)
            found = laid_out(shape, order, tilings_of_order(shape, order, chip)[0], bits)
    space = _HOST.get(value.attribute("mhlo.memory_kind"), 0)
    return remade(found, memory_space=space) if space else found
