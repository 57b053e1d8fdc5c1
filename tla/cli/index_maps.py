# SPDX-License-Identifier: Apache-2.0
"""The output of ``tla index`` on a map: facts for JSON, and lines of text."""

from __future__ import annotations

from math import prod
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import TlaError, UndecidedError, UnsupportedError
from ..ground import Panels
from ..indexing import (
    Leaf,
    Op,
    Operand,
    accesses_of,
    compose,
    computation_maps,
    from_layout,
    inverse,
    layout_and_offset,
    leaves,
    reached_maps,
    reads_figure,
    remove_unused_symbols,
    simplify,
    union,
)
from ..numbers import Expr, known_int
from ..xla_bridge import XlaBuffer, XlaShape
from .where import place_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..hlo import Computation, Instruction
    from ..indexing import Devices, IndexingMap, Memory
    from ..numbers import Value


class Shown(NamedTuple):
    """The parts of the output that the options ask for."""

    form: str = "2025"
    to_output: bool = False
    physical: bool = False
    relation: bool = False
    devices: Devices = None


def array_of(place: Any) -> Any:
    """Return the shape or layout of a text, as `from_layout` takes it."""
    return place.array if isinstance(place, XlaBuffer) else place_of(place)


# --- instructions -----------------------------------------------------------------------------


def instruction_facts(
    instruction: Instruction, shown: Shown, through: Computation | None = None
) -> dict[str, Any]:
    """Return the maps of an instruction, one access for each output and operand.

    Args:
        through: The computation of which the instruction is the root, to go on to its parameters.

    Raises:
        UnsupportedError: it has no exact map, or, with ``relation``, islpy is missing.
    """
    op = Op(instruction, shown.devices)
    operands = op.inputs if through is None else _parameters(through)
    outputs = op.outputs
    accesses: list[dict[str, Any]] = []
    for o, i, maps in _maps(instruction, shown, through, len(outputs)):
        start = operands[i] if shown.to_output else outputs[o]
        goal = outputs[o] if shown.to_output else operands[i]
        label = _label(shown, o, i, len(outputs), goal, through is not None)
        accesses.append(
            {
                "output": o,
                "operand": i,
                "from": _leaf_name(start),
                "to": _leaf_name(goal),
                "xla": str(goal.shape),
                **access_facts(maps, shown, goal.shape, label),
            }
        )
    return {
        "name": instruction.name,
        "opcode": instruction.opcode,
        "xla": str(instruction.shape),
        "accesses": accesses,
        "reason": None,
    }


def access_facts(
    maps: Sequence[IndexingMap], shown: Shown, shape: XlaShape, label: str
) -> dict[str, Any]:
    """Return the maps to an array, as `array_lines` takes them."""
    return {
        "label": label,
        "maps": [map_facts(m, shown, shape if shown.physical else None) for m in maps],
        "relation": _relation(maps, shape) if shown.relation and maps else None,
    }


def _parameters(computation: Computation) -> list[Leaf]:
    return [leaf for each in computation.parameters for leaf in leaves(each.name, each.shape)]


def _maps(
    instruction: Instruction, shown: Shown, through: Computation | None, outputs: int
) -> list[tuple[int, int, list[IndexingMap]]]:
    """The maps between each output and operand; of several outputs only where something is read."""
    devices = shown.devices
    if through is None:
        found = list(accesses_of(instruction, devices=devices))
    elif outputs == 1:
        found = [(0, i, union(m)) for i, m in enumerate(computation_maps(through, devices=devices))]
    else:
        found = [
            (o, i, union(m)) for o in range(outputs) for i, m in reached_maps(through, o, devices) if m
        ]
    if shown.to_output:
        found = [(o, i, [inverse(m) for m in maps]) for o, i, maps in found]
        if through is None:
            found.sort(key=itemgetter(1, 0))
    return found


def _leaf_name(leaf: Leaf) -> str:
    return f"%{leaf}"


def _label(shown: Shown, o: int, i: int, outputs: int, goal: Leaf, is_through: bool) -> str:
    output = "output" if outputs == 1 else f"output {o}"
    operand = f"{'parameter' if is_through else 'operand'} {i}"
    start, end = (operand, output) if shown.to_output else (output, operand)
    what = "offset in " if shown.physical else ""
    return f"{start} -> {what}{end}, {_leaf_name(goal)} {goal.shape}"


def array_lines(access: dict[str, Any]) -> list[str]:
    """Return the lines of one access: the output, the operand, and the maps."""
    lines = [access["label"]]
    lines += [f"  {line}" for facts in access["maps"] for line in map_lines(facts)]
    if not access["maps"]:
        lines.append("  not read")
    if access["relation"] is not None:
        lines += [f"  {line}" for line in _relation_lines(access["relation"])]
    return lines


# --- maps -------------------------------------------------------------------------------------


def map_facts(
    m: IndexingMap, shown: Shown, memory: Memory | None = None, given: bool = False
) -> dict[str, Any]:
    """Return a map as text and in parts.

    Args:
        memory: The array that the results index; the map then goes on to the offset in it.
        given: Whether the command line has the map itself, so that its relation belongs to it.
    """
    if memory is not None and not m.is_undefined:
        m = remove_unused_symbols(simplify(compose(m, from_layout(memory)), "replace"))
    facts: dict[str, Any] = {
        "text": m.text(shown.form, sources=shown.form != "old"),
        "reason": m.reason or None,
        "is_known_empty": m.is_known_empty,
        "results": [_expr(m, x, shown) for x in m.results],
        "dims": [_variable(v) for v in m.dims],
        "ranges": [_variable(v) for v in m.ranges],
        "runtime": [{**_variable(v), "source": _source(m, v.source, shown)} for v in m.runtime],
        "constraints": [
            {"expr": _expr(m, x, shown), "lower": b.lower, "upper": b.upper} for x, b in m.constraints
        ],
        "replica": None if m.replica is None else _expr(m, m.replica, shown),
        "layout": None,
        "offset": None,
        "relation": _relation([m], None) if given and shown.relation else None,
    }
    if memory is not None and not m.is_known_empty:
        try:
            layout, offset = layout_and_offset(m)
        except TlaError:
            return facts  # the map says it all
        facts["layout"], facts["offset"] = str(layout), _expr(m, offset, shown)
    return facts


def _variable(v: Any) -> dict[str, Any]:
    return {"name": v.name, "lower": v.bounds.lower, "upper": v.bounds.upper}


def _source(m: IndexingMap, source: Any, shown: Shown) -> dict[str, Any] | None:
    if source is None:
        return None
    return {
        "instruction": source.instruction,
        "indices": [_expr(m, x, shown) for x in source.indices],
        "clamp": None if source.clamp is None else [source.clamp.lower, source.clamp.upper],
    }


def _expr(m: IndexingMap, x: Value, shown: Shown) -> str:
    """An expression of a map, with the names of the map's text."""
    if type(x) is not Expr:
        return str(x)
    text = m.with_parts(results=[x], constraints=(), replica=None).text(shown.form)
    start = text.index("-> (") + 4
    domain = text.index("domain:", start)
    where = max(text.find("where", domain), 0)  # of parts that are written once
    return text[start : text.rindex(")", start, domain)] + (f" {text[where:]}" if where else "")


def map_lines(facts: dict[str, Any]) -> list[str]:
    """Return the lines of a map: its text, the elements that it reads, and its layout."""
    lines: list[str] = facts["text"].splitlines()
    if facts["reason"] is not None:
        lines = [f"not known: {facts['reason']}"]
    if facts["layout"] is not None:
        offset = facts["offset"]
        lines.append(f"layout {facts['layout']}" + (f", from offset {offset}" if offset != "0" else ""))
    if facts["relation"] is not None:
        lines += _relation_lines(facts["relation"])
    return lines


# --- relations --------------------------------------------------------------------------------


def _relation(maps: Sequence[IndexingMap], shape: XlaShape | None) -> dict[str, Any]:
    """The exact set of pairs, and their number; counts that are not decided are None."""
    from ..indexing import relation

    undefined = next((m for m in maps if m.is_undefined), None)
    if undefined is not None:
        raise UnsupportedError(f"what is read is not known: {undefined.reason}")
    pairs = relation(maps)
    elements = None
    if shape is not None and not (shape.is_unbounded_dynamic or pairs.has_replica):
        elements = prod(int(n) for n in shape.dimensions)
    return {
        "text": str(pairs),
        "pairs": _count(pairs),
        "points": _count(pairs.domain()),
        "elements": _count(pairs.image()),
        "elements_of": elements,
        "in_some_run": bool(pairs.runtime),
        "on_replicas": pairs.has_replica,
    }


def _count(points: Any) -> int | None:
    try:
        return int(points.count())
    except UndecidedError:
        return None


def _relation_lines(facts: dict[str, Any]) -> list[str]:
    counts = [
        f"{'?' if facts[name] is None else facts[name]} {name}"
        for name in ("pairs", "points", "elements")
    ]
    if facts["elements_of"] is not None:
        counts[-1] += f" of {facts['elements_of']}"
    else:
        counts[-1] += " on all replicas" if facts["on_replicas"] else ""
    run = ", over all values of what is read at run time" if facts["in_some_run"] else ""
    return [f"relation {facts['text']}", f"         {', '.join(counts)}{run}"]


# --- pictures ---------------------------------------------------------------------------------


def instruction_figure(
    instruction: Instruction, shown: Shown, through: Computation | None = None, side: int = 16
) -> Panels:
    """Return the result of an instruction and the elements that it reads of each operand, as figures.

    Args:
        through: As of `instruction_facts`.
        side: The most rows and columns shown.

    Raises:
        UnsupportedError: it has no exact map.
        UndecidedError: a size is unknown, or an element reads too many.
    """
    op = Op(instruction, shown.devices)
    operands = op.inputs if through is None else _parameters(through)
    operands_of: dict[int, list[Operand]] = {}
    for o, i, maps in _maps(instruction, shown, through, len(op.outputs)):
        operands_of.setdefault(o, []).append(array_operand(operands[i], maps))
    figures = [
        reads_figure(
            f"{_leaf_name(output)} = {output.shape} {instruction.opcode}",
            dims_of(output),
            operands_of.get(o, []),
            side,
            side,
        )
        for o, output in enumerate(op.outputs)
    ]
    return figures[0] if len(figures) == 1 else Panels(f"%{instruction.name}", tuple(figures))


def array_operand(leaf: Leaf, maps: Sequence[IndexingMap]) -> Operand:
    """Return an array that maps lead to, as a figure takes it."""
    return Operand(f"{_leaf_name(leaf)} {leaf.shape}", dims_of(leaf), tuple(maps))


def dims_of(leaf: Leaf) -> tuple[int, ...]:
    """Return the sizes of an array, which are known."""
    return tuple([known_int(n) for n in leaf.shape.dimensions])
