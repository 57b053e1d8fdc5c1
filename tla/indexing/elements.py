"""Elements of instructions that are known before the program runs.

`Elements` follows what moves elements back to where they are made, through the maps of the ops, and
reckons with ints:

=============================  ================================================================
what makes it                  the element at some indices, which are expressions
=============================  ================================================================
constant                       its number, where all that may be meant grow in equal steps
iota                           an index
broadcast, slice, pad, ...     that of an operand, where its map is known to lead to it
add, maximum, compare, ...     what the op makes of the operands', where it fits into the type
fusion, call                   that of the root of what it calls
=============================  ================================================================
"""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ..errors import UnsupportedError
from ..numbers import Condition, Expr, Interval, Value, bounds_of, greatest, key_of, least, rebind
from .constraints import lies_in
from .ops import Op, maps_of
from .variables import REPLICA, dim, rt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..hlo import Instruction
    from ..numbers import Symbol
    from .maps import IndexingMap

ValueOf: TypeAlias = "Callable[[str], Instruction | None]"
"""The instruction of a name, None where it is not known."""

Values: TypeAlias = "Sequence[Value]"

_DEEPEST: Final = 60
"""How many instructions may lie between a value and the constants it is made of."""

_MOST_STEPS: Final = 5_000
"""How many elements are looked at for one map."""

_MOST_NUMBERS: Final = 1 << 16
"""How many numbers of a constant are compared."""

# fmt: off
_MOVING: Final = {
    "bitcast": 1, "broadcast": 1, "concatenate": None, "copy": 1, "copy-done": None, "copy-start": 1,
    "dynamic-slice": 1, "dynamic-update-slice": 2, "gather": 1, "get-tuple-element": None,
    "opt-barrier": None, "pad": 2, "reshape": 1, "reverse": 1, "slice": 1, "transpose": 1, "tuple": None,
}
# fmt: on
"""Ops whose elements are each an element of one operand, and of how many operands at most: the others
are read to know which."""

_CALLS: Final = ("call", "fusion")


class Elements:
    """The elements of instructions, as far as they are known."""

    def __init__(self, value_of: ValueOf) -> None:
        self.value_of = value_of
        self.steps: int = 0
        self.depth: int = 0
        self.known: dict[object, Value | None] = {}
        self.numbers: dict[str, list[int] | None] = {}

    def of(self, name: str, at: Values, path: tuple[int, ...] = ()) -> Value | None:
        """Return an element of an array, at indices that are expressions; None if it is not known.

        Args:
            path: Where in a tuple the array lies.
        """
        key = name, path, tuple(map(key_of, at))
        if key in self.known:
            return self.known[key]
        self.steps += 1
        if self.steps > _MOST_STEPS or self.depth >= _DEEPEST:
            return None
        self.depth += 1
        try:
            found = self._element(name, at, path)
        except UnsupportedError:  # an op without maps makes nothing that is known
            found = None
        finally:
            self.depth -= 1
        self.known[key] = found
        return found

    def instruction(self, name: str) -> Instruction | None:
        """The instruction of a name, or of a name within the one that calls it."""
        found = self.value_of(name)
        scope, slash, inner = name.rpartition("/")
        if found is not None or not slash:
            return found
        call = self.instruction(scope)
        of_name = [
            each
            for computation in (call.computations if call is not None else ())
            for each in computation.instructions
            if each.name == inner
        ]
        return of_name[0] if len(of_name) == 1 else None

    def _element(self, name: str, at: Values, path: tuple[int, ...]) -> Value | None:
        instruction = self.instruction(name)
        if instruction is None:
            return None
        scope = name.removesuffix(instruction.name)  # of its operands too
        if scope + instruction.name != name or (scope and not scope.endswith("/")):
            return None
        opcode = instruction.opcode
        if opcode in _CALLS:
            if not instruction.computations:
                return None
            return self.of(f"{name}/{instruction.computations[0].root.name}", at, path)
        if opcode == "parameter":
            call = self.instruction(scope[:-1]) if scope else None
            number = instruction.parameter_number
            if call is None or call.opcode not in _CALLS or number is None:
                return None
            outer = scope[:-1].removesuffix(call.name)
            return self.of(outer + call.operands[number].name, at, path)
        op = Op(instruction)
        places = [leaf.path for leaf in op.outputs]
        if path not in places or len(op.dims(places.index(path))) != len(at):
            return None
        if opcode == "select":
            return self._selected(op, scope, at)
        if opcode in _MOVING:
            return self._moved(op, places.index(path), scope, at)
        bounds = _bounds(op.outputs[0].shape.element_type.name)
        if path or bounds is None:
            return None
        if opcode == "constant":
            return self._literal(name, op, at)
        if opcode == "iota":
            value: Value | None = at[op.ints("iota_dimension", None)[0]]
        else:
            value = self._computed(op, bounds, scope, at)
        return value if value is not None and lies_in(value, bounds) else None

    # --- ops that move elements ---

    def _moved(self, op: Op, output: int, scope: str, at: Values) -> Value | None:
        """The element of an operand that is moved to some indices."""
        sizes, maps = op.dims(output), maps_of(op, output)
        for leaf, each in list(zip(op.inputs, maps, strict=True))[: _MOVING[op.opcode]]:
            for m in each:
                place = self._through(m, sizes, scope, at)
                if place is not None:  # there is just one
                    same = leaf.shape.element_type == op.outputs[output].shape.element_type
                    return self.of(scope + leaf.name, place, leaf.path) if same else None
        return None

    def _selected(self, op: Op, scope: str, at: Values) -> Value | None:
        """The element of the operand that a pred of a known value chooses."""
        sizes = op.dims()
        which, *values = (
            (scope + leaf.name, self._through(m, sizes, scope, at))
            for leaf, (m,) in zip(op.inputs, maps_of(op, 0), strict=True)
        )
        chosen = None if which[1] is None else self.of(which[0], which[1])
        if chosen not in (0, 1):
            return None
        name, place = values[1 - chosen]
        return None if place is None else self.of(name, place)

    def _through(self, m: IndexingMap, sizes: Sequence[int], scope: str, at: Values) -> Values | None:
        """Where a map leads to from an element; None if it is not known to lead anywhere."""
        if m.is_undefined or m.is_known_empty or m.ranges or m.replica is not None:
            return None
        into: dict[Symbol, Value] = {dim(i).symbols[0]: x for i, x in enumerate(at)}
        domain: list[tuple[Value, Interval]] = []
        for x, v, size in zip(at, m.dims, sizes, strict=True):
            if v.bounds.size < size:  # there are elements from which the map leads nowhere
                domain.append((x, v.bounds))
        for i, variable in enumerate(m.runtime):
            source = variable.source
            if source is None or source.instruction == REPLICA:
                return None
            indices = [rebind(x, into) for x in source.indices]
            value = self.read(scope + source.instruction, indices, source.clamp)
            if value is None:
                return None
            into[rt(i).symbols[0]] = value
            domain.append((value, variable.bounds))
        domain += [(rebind(x, into), bounds) for x, bounds in m.constraints]
        if all(lies_in(x, bounds) for x, bounds in domain):
            return [rebind(x, into) for x in m.results]
        return None

    def read(self, name: str, at: Values, clamp: Interval | None) -> Value | None:
        """An element moved into an interval, which may be known though the element is not."""
        if clamp is not None and clamp.is_point:
            return clamp.lower
        value = self.of(name, at)
        if value is None or clamp is None:
            return value
        return greatest(clamp.lower, least(value, clamp.upper))

    # --- constants ---

    def _literal(self, name: str, op: Op, at: Values) -> Value | None:
        """The number of a constant, if it grows in equal steps along each dim as far as it is read."""
        sizes = op.dims()
        if name not in self.numbers:
            self.numbers[name] = _numbers(op.instruction.literal or "", prod(sizes))
        numbers = self.numbers[name]
        spans = [_span(x, n) for x, n in zip(at, sizes, strict=True)]
        count = prod(map(len, spans))
        if numbers is None or not 0 < count <= _MOST_NUMBERS:
            return None
        strides = [prod(sizes[k + 1 :]) for k in range(len(sizes))]
        first = sum(span[0] * stride for span, stride in zip(spans, strides, strict=True))
        steps = [
            numbers[first + stride] - numbers[first] if len(span) > 1 else 0
            for span, stride in zip(spans, strides, strict=True)
        ]
        places = [(first, numbers[first])]  # in the text, and the number expected there
        for span, stride, step in zip(spans, strides, steps, strict=True):
            places = [(p + stride * i, x + step * i) for p, x in places for i in range(len(span))]
        if any(numbers[p] != x for p, x in places):
            return None
        value: Any = numbers[first]
        for x, span, step in zip(at, spans, steps, strict=True):
            value = value + (x - span[0]) * step
        return value  # type: ignore[no-any-return]

    # --- arithmetic ---

    def _computed(self, op: Op, bounds: Interval, scope: str, at: Values) -> Value | None:
        """What an op makes of the elements of its operands, of any size."""
        step = _STEPS.get(op.opcode)
        if step is None:
            return None
        values: list[Value] = []
        sizes = op.dims()
        for leaf, (m,) in zip(op.inputs, maps_of(op, 0), strict=True):
            place = self._through(m, sizes, scope, at)
            value = None if place is None else self.of(scope + leaf.name, place, leaf.path)
            if value is None:
                return None
            values.append(value)
        return step(op, bounds, values)


def _span(x: Value, size: int) -> range:
    """The indices along a dim of a size that an expression may have as its value."""
    low, high = bounds_of(x)
    return range(max(0, low or 0), size if high is None else min(size, high + 1))


_NUMBER: Final = re.compile(r"-?\d+|true|false|[^\s{},]+")
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_WORDS: Final = {"true": "1", "false": "0"}


def _numbers(literal: str, count: int) -> list[int] | None:
    """The ints of a constant's text; None where it leaves some out."""
    words: list[str] = _NUMBER.findall(_COMMENT.sub(" ", literal))
    try:
        numbers = [int(_WORDS.get(word, word)) for word in words]
    except ValueError:
        return None
    return numbers if len(numbers) == count else None


def _bounds(kind: str) -> Interval | None:
    """The values of an element type of ints; a pred is 0 or 1."""
    if kind == "pred":
        return _TRUTHS
    if kind[0] not in "su" or not kind[1:].isdigit():
        return None
    half = 1 << int(kind[1:]) - 1
    return Interval(-half, half - 1) if kind[0] == "s" else Interval(0, 2 * half - 1)


# --- what ops make of ints --------------------------------------------------------------------

# A step takes the op, the bounds of its type, and the elements of its operands. The caller sees to it
# that the result fits into the bounds.
Step: TypeAlias = "Callable[[Op, Interval, list[Any]], Value | None]"

_TRUTHS: Final = Interval(0, 1)
_WIDEST: Final = 64
_SIGNS: Final = {"EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}


def _multiplied(_op: Op, _bounds: Interval, of: list[Any]) -> Value | None:
    x, y = of
    product: Value | None = x * y if type(x) is not Expr or type(y) is not Expr else None
    return product


def _divided(op: Op, _bounds: Interval, of: list[Any]) -> Value | None:
    """Of what is not negative: XLA rounds towards 0."""
    x, y = of
    low = bounds_of(x)[0]
    if type(y) is Expr or y <= 0 or low is None or low < 0:
        return None
    value: Value = x // y if op.opcode == "divide" else x % y
    return value


def _shifted(op: Op, _bounds: Interval, of: list[Any]) -> Value | None:
    x, y = of
    low = bounds_of(x)[0]
    if type(y) is Expr or not 0 <= y < _WIDEST:
        return None
    if op.opcode == "shift-right-logical" and (low is None or low < 0):
        return None
    value: Value = x * (1 << y) if op.opcode == "shift-left" else x // (1 << y)
    return value


def _compared(op: Op, _bounds: Interval, of: list[Any]) -> Value | None:
    sign = _SIGNS.get(op.attribute("direction"))
    answer = None if sign is None else Condition(of[0], sign, of[1]).known()
    return None if answer is None else int(answer)


def _bitwise(op: Op, bounds: Interval, of: list[Any]) -> Value | None:
    x, y = of
    if type(x) is not Expr and type(y) is not Expr:
        bits: int = {"and": x & y, "or": x | y, "xor": x ^ y}[op.opcode]
        return bits
    if bounds != _TRUTHS or op.opcode == "xor":
        return None
    return least(x, y) if op.opcode == "and" else greatest(x, y)


def _inverted(_op: Op, bounds: Interval, of: list[Any]) -> Value | None:
    value: Value = (-1 if bounds.lower else bounds.upper) - of[0]
    return value


_STEPS: Final[dict[str, Step]] = {
    "abs": lambda _op, _bounds, of: greatest(of[0], -of[0]),
    "add": lambda _op, _bounds, of: of[0] + of[1],
    "and": _bitwise,
    "clamp": lambda _op, _bounds, of: least(greatest(of[0], of[1]), of[2]),
    "compare": _compared,
    "convert": lambda _op, _bounds, of: of[0],
    "divide": _divided,
    "maximum": lambda _op, _bounds, of: greatest(of[0], of[1]),
    "minimum": lambda _op, _bounds, of: least(of[0], of[1]),
    "multiply": _multiplied,
    "negate": lambda _op, _bounds, of: -of[0],
    "not": _inverted,
    "or": _bitwise,
    "remainder": _divided,
    "shift-left": _shifted,
    "shift-right-arithmetic": _shifted,
    "shift-right-logical": _shifted,
    "subtract": lambda _op, _bounds, of: of[0] - of[1],
    "xor": _bitwise,
}
"""What ops make of the ints they are given; None is what is not known."""
