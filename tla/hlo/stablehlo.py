# SPDX-License-Identifier: Apache-2.0
"""StableHLO as text of HLO, for the questions that do not need layouts.

>>> print(hlo_of_stablehlo('''
... %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<10x20xf32>) -> tensor<20x10xf32>
... '''))
ENTRY main {
  arg0 = f32[10,20] parameter(0)
  ROOT v0 = f32[20,10] transpose(arg0), dimensions={1,0}
}

It has one instruction for each op of the pretty form, named as the value: ``%0`` is ``v0``. A value that
no line makes is a parameter. What a reduction does to its elements is left out.

Source: the StableHLO specification; StablehloOps.td and AssemblyFormat.cpp for the pretty form.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ..errors import UnsupportedError
from .opcodes import is_opcode

if TYPE_CHECKING:
    from collections.abc import Callable

_DIALECT: Final = r"(?:stablehlo|mhlo|func)\."
_OP = re.compile(
    rf"%(?P<name>[\w$.-]+)(?::\d+)?\s*=\s*(?:{_DIALECT})?(?P<op>\w+)(?P<body>.*?)\s:\s*(?P<types>[(!t].*)"
)
_FUNCTION = re.compile(r"func\.func\s+(?:\w+\s+)?@(?P<name>[\w$.-]+)\((?P<arguments>.*)\)\s*(?:->.*)?\{")
_ARGUMENT = re.compile(r"%([\w$.-]+):\s*(tensor<[^>]*>+)")
_RETURN = re.compile(r"(?:func\.)?return\b(.*?)(?:\s:\s(.*))?$")
_VALUE = re.compile(r"%([\w$.-]+)(?:#(\d+))?")
_TYPE = re.compile(r"tensor<((?:\w+x)*?)(complex<f(?:32|64)>|[a-z]\w*)[^<>]*>")
_SKIPPED = re.compile(r"(module\b.*\{|\}\)?|//.*|#loc.*|)$")

_ELEMENTS: Final = {"i1": "pred", "complex<f32>": "c64", "complex<f64>": "c128"}
_NAMES: Final = {
    "broadcast_in_dim": "broadcast",
    "dot_general": "dot",
    "optimization_barrier": "opt-barrier",
}


def hlo_of_stablehlo(text: str) -> str:
    """Return the text of an HLO module that does what a text of StableHLO does.

    Raises:
        UnsupportedError: a line is no op in the pretty form, or has a region or dims of no known size.
    """
    functions = _Functions()
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        try:
            functions.add(line)
        except _NotReadError as error:
            raise UnsupportedError(
                f"line {number} of the StableHLO is not read: {error}", line
            ) from None
    return functions.text()


class _NotReadError(Exception):
    pass


class _Function:
    """The lines of a function, the types of its values and the functions that it calls."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.types: dict[str, str] = {}
        self.parameters: list[str] = []
        self.calls: list[str] = []
        self.root: list[str] = []

    def add(self, name: str, shape: str, op: str, operands: list[str], rest: str = "") -> None:
        self.types[name] = shape
        self.lines.append(f"{name} = {shape} {op}({', '.join(operands)}){rest}")

    def value(self, name: str, part: str, shape: str) -> str:
        """The instruction of a value; a new parameter, or the part of a tuple, if there is none."""
        name = _named(name)
        if name not in self.types:
            self.types[name] = shape
            self.parameters.append(name)
        if not part:
            return name
        if (one := f"{name}.{part}") not in self.types:
            self.add(one, shape, "get-tuple-element", [name], f", index={part}")
        return one

    def text(self, head: str) -> str:
        parameters = [
            f"{name} = {self.types[name]} parameter({i})" for i, name in enumerate(self.parameters)
        ]
        lines, root = [*parameters, *self.lines], self.root
        if len(root) > 1:
            shapes = ", ".join(self.types[name] for name in root)
            lines.append(f"ROOT results = ({shapes}) tuple({', '.join(root)})")
        elif lines:
            last = root[0] if root else lines[-1].split()[0]
            lines = [f"ROOT {line}" if line.split()[0] == last else line for line in lines]
        return "\n".join([f"{head} {{", *(f"  {line}" for line in lines), "}"])


class _Functions:
    """The functions of a module, by their names."""

    def __init__(self) -> None:
        self.found: dict[str, _Function] = {}

    def add(self, line: str) -> None:
        """Read a line."""
        if match := _FUNCTION.match(line):
            self.found[match["name"]] = new = _Function()
            for name, shape in _ARGUMENT.findall(match["arguments"]):
                new.value(name, "", _shapes(shape)[0])
            return
        if _SKIPPED.match(line):
            return
        if not self.found:
            self.found["main"] = _Function()
        here = [*self.found.values()][-1]
        if match := _RETURN.match(line):
            values, shapes = _VALUE.findall(match[1]), _shapes(match[2]) if match[2] else []
            here.root = [
                here.value(name, part, of) for (name, part), of in zip(values, shapes, strict=False)
            ]
        elif match := _OP.match(line):
            _instruction(here, match["name"], match["op"], match["body"], match["types"])
        else:
            raise _NotReadError("it is no op in the pretty form")

    def text(self) -> str:
        """The text, with each function behind those that it calls."""
        entry = "main" if "main" in self.found else next(iter(self.found), "")
        seen: set[str] = set()
        texts: list[str] = []

        def write(name: str) -> None:
            if name in self.found and name not in seen:
                seen.add(name)
                for other in self.found[name].calls:
                    write(other)
                texts.append(self.found[name].text("ENTRY main" if name == entry else name))

        write(entry)
        return "\n".join(texts)


def _named(name: str) -> str:
    return f"v{name}" if name[0].isdigit() else name


def _shapes(types: str) -> list[str]:
    if "?" in types:
        raise _NotReadError("its dims have no known size")
    found: list[str] = []
    for dims, element in _TYPE.findall(types):
        name = _ELEMENTS.get(element) or re.sub(r"^ui", "u", re.sub(r"^i", "s", element)).lower()
        found.append(f"{name}[{dims[:-1].replace('x', ',')}]")
    if not found:
        raise _NotReadError(f"{types!r} is no type of a tensor")
    return found


def _instruction(here: _Function, name: str, op: str, body: str, types: str) -> None:
    """Add the instruction of an op."""
    name, opcode = _named(name), _NAMES.get(op, op.replace("_", "-"))
    before, arrow, after = types.rpartition("->")
    made = _shapes(after if arrow else types)
    shape = f"({', '.join(made)})" if arrow and "(" in after else made[-1]
    if op == "constant":
        here.add(name, shape, "constant", ["{...}"])
        return
    names = _VALUE.findall(body)
    given = _shapes(before) if arrow and names else [*made, *made[-1:] * len(names)]
    operands = [here.value(n, part, of) for (n, part), of in zip(names, given, strict=False)]
    if op == "call":
        here.calls.append(_found(_SYMBOL, body, "function"))
        here.add(name, shape, "call", operands, f", to_apply={here.calls[-1]}")
    elif op == "broadcast_in_dim":
        if not operands:
            raise _NotReadError("it has no operand")
        _broadcast(here, name, shape, operands[0], _ints(body, "dims"))
    elif not is_opcode(opcode) or (op not in _RULES and re.search(r"[={]", body)):
        raise _NotReadError(f"{op} is no op, or has attributes, that HLO is made of here")
    else:
        here.add(name, shape, opcode, operands, _RULES[op](body) if op in _RULES else "")


def _found(pattern: str, body: str, what: str) -> str:
    """The first group of a pattern, of something that an op must have."""
    match = re.search(pattern, body)
    if match is None:
        raise _NotReadError(f"it has no {what}")
    return match[1]


_SYMBOL: Final = r"@([\w$.-]+)"


def _ints(body: str, name: str) -> list[int]:
    numbers = _found(rf"\b{name}\s*=\s*(?:array<i64[:\s]*)?\[?([-\d,\s]*)", body, name)
    return [int(x) for x in numbers.split(",") if x.strip()]


def _broadcast(here: _Function, name: str, shape: str, operand: str, dims: list[int]) -> None:
    """HLO keeps the size of a dim in a broadcast: dims of size 1 that grow are left out before it."""
    (element, old), (_element, made) = (
        (of.split("[")[0], [n for n in of.split("[")[1][:-1].split(",") if n])
        for of in (here.types[operand], shape)
    )
    grown = {
        k
        for k, (n, d) in enumerate(zip(old, dims, strict=False))
        if n == "1" and d in range(len(made)) and made[d] != "1"
    }
    if grown:
        left = ",".join(n for k, n in enumerate(old) if k not in grown)
        here.add(f"{name}.operand", f"{element}[{left}]", "reshape", [operand])
        operand = f"{name}.operand"
    kept = [d for k, d in enumerate(dims) if k not in grown]
    here.add(name, shape, "broadcast", [operand], _braces("dimensions", kept))


def _braces(name: str, values: list[int]) -> str:
    return f", {name}={{{','.join(map(str, values))}}}"


def _dims(name: str, to: str = "dimensions") -> Callable[[str], str]:
    return lambda body: _braces(to, _ints(body, name))


def _slice(body: str) -> str:
    parts = _found(r"\[(.*)\]", body, "[start:limit, ...]").replace(" ", "").split(",")
    return f", slice={{{', '.join(f'[{part}]' for part in parts if part)}}}"


def _pad(body: str) -> str:
    low, high, interior = (_ints(body, name) for name in ("low", "high", "interior"))
    if not len(low) == len(high) == len(interior):
        raise _NotReadError(
            f"low, high and interior have {len(low)}, {len(high)} and {len(interior)} numbers"
        )
    parts = (f"{a}_{b}_{c}" for a, b, c in zip(low, high, interior, strict=True))
    return f", padding={'x'.join(parts)}"


def _dot(body: str) -> str:
    out = ""
    for name, to in (("batching_dims", "batch_dims"), ("contracting_dims", "contracting_dims")):
        match = re.search(rf"\b{name} = \[([\d, ]*)\] x \[([\d, ]*)\]", body)
        for side, dims in zip(("lhs", "rhs"), match.groups() if match else (), strict=False):
            out += f", {side}_{to}={{{dims.replace(' ', '')}}}"
    return out


def _word(name: str, pattern: str, of: str = "") -> Callable[[str], str]:
    return lambda body: f", {name}={_found(pattern, body, of or name)}"


_RULES: Final[dict[str, Callable[[str], str]]] = {
    "transpose": _dims("dims"), "reverse": _dims("dims"), "concatenate": _dims("dim"),
    "iota": _word("iota_dimension", r"\bdim\s*=\s*(\d+)", "dim"),
    "reduce": _dims("dimensions"), "slice": _slice, "pad": _pad, "dot_general": _dot,
    "dynamic_slice": _dims("sizes", "dynamic_slice_sizes"), "reduce_precision": lambda body: "",
    "compare": _word("direction", r"^\s*([A-Z]+)\b"),
    "custom_call": lambda body: f', custom_call_target="{_found(_SYMBOL, body, "target")}"',
    "get_tuple_element": _word("index", r"\[(\d+)\]"),
}  # fmt: skip
