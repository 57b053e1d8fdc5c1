# SPDX-License-Identifier: Apache-2.0
"""Elements of instructions that are known before the program runs.

`Elements` goes back through the ops that move elements to the op that makes them, by the maps of the
ops. It computes with ints:

=============================  ================================================================
op                             the element at some indices, which are expressions
=============================  ================================================================
constant                       its number, if all possible numbers grow in equal steps
iota                           an index
broadcast, slice, pad, ...     that of an operand, if its map is known to lead to it
add, maximum, compare, ...     the result of the op on the operands' elements, if it fits the type
fusion, call                   that of the root of the called computation
=============================  ================================================================
"""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ..errors import KindError, UnsupportedError
from ..ground import described
from ..hlo import Instruction
from ..numbers import Condition, Expr, Interval, Value, bounds_of, greatest, key_of, least, rebind
from .constraints import lies_in
from .ops import Op, maps_of
from .variables import REPLICA, dim, rt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..numbers import Symbol
    from .maps import IndexingMap

ValueOf: TypeAlias = "Callable[[str], Instruction | None]"
"""The instruction of a name, or None if it is unknown."""

Values: TypeAlias = "Sequence[Value]"

_DEEPEST: Final = 60
"""The most instructions between a value and its constants."""

_MOST_STEPS: Final = 5_000
"""The most elements that one map may visit."""

_MOST_NUMBERS: Final = 1 << 16
"""The most numbers of a constant that are compared."""

# fmt: off
_MOVING: Final = {
    "bitcast": 1, "broadcast": 1, "concatenate": None, "copy": 1, "copy-done": None, "copy-start": 1,
    "dynamic-slice": 1, "dynamic-update-slice": 2, "gather": 1, "get-tuple-element": None,
    "opt-barrier": None, "pad": 2, "reshape": 1, "reverse": 1, "slice": 1, "transpose": 1, "tuple": None,
}
# fmt: on
"""Ops whose elements each equal an element of one operand, with the number of such operands at most. The
other operands decide which element that is."""

_CALLS: Final = ("call", "fusion")


class Elements:
    """The known elements of instructions."""

    def __init__(self, value_of: ValueOf) -> None:
        self.value_of = value_of
        self.steps: int = 0
        self.depth: int = 0
        self.known: dict[object, Value | None] = {}
        self.numbers: dict[str, list[int] | None] = {}

    def of(self, name: str, at: Values, path: tuple[int, ...] = ()) -> Value | None:
        """Return an element of an array, at indices that are expressions; None if it is unknown.

        Args:
            path: The place of the array in a tuple.
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
        except UnsupportedError:  # the result of an op without maps is unknown
            found = None
        finally:
            self.depth -= 1
        self.known[key] = found
        return found

    def instruction(self, name: str) -> Instruction | None:
        """The instruction of a name, or of a name within its caller."""
        found = self.value_of(name)
        if not isinstance(found, Instruction | None):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise KindError(f"the value of {name} is an Instruction or None, not {described(found)}")
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
        if opcode in _MOVING:
            return self._move(op, places.index(path), scope, at)
        bounds = _bounds(op.outputs[0].shape.element_type.name)
        if path or bounds is None:
            return None
        if opcode == "constant":
            return self._literal(name, op, at)
        if opcode == "iota":
            value: Value | None = at[op.ints("iota_dimension", None)[0]]
        else:
            value = self._compute(op, bounds, scope, at)
        return value if value is not None and lies_in(value, bounds) else None

    # --- ops that move elements ---

    def _move(self, op: Op, output: int, scope: str, at: Values) -> Value | None:
        """The element of an operand that the op moves to some indices."""
        sizes, maps = op.dims(output), maps_of(op, output)
        for leaf, each in list(zip(op.inputs, maps, strict=True))[: _MOVING[op.opcode]]:
            for m in each:
                place = self._through(m, sizes, scope, at)
                if place is not None:  # there is only one
                    same = leaf.shape.element_type == op.outputs[output].shape.element_type
                    return self.of(scope + leaf.name, place, leaf.path) if same else None
        return None

    def _through(self, m: IndexingMap, sizes: Sequence[int], scope: str, at: Values) -> Values | None:
        """The results of a map at an element; None if it is not known to have some."""
        if m.is_undefined or m.is_known_empty or m.ranges or m.replica is not None:
            return None
        into: dict[Symbol, Value] = {dim(i).symbols[0]: x for i, x in enumerate(at)}
        domain: list[tuple[Value, Interval]] = []
        for x, v, size in zip(at, m.dims, sizes, strict=True):
            if v.bounds.size < size:  # the map has no result at some elements
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
        """An element after a clamp, which may be known although the element is not."""
        if clamp is not None and clamp.is_point:
            return clamp.lower
        value = self.of(name, at)
        if value is None or clamp is None:
            return value
        return greatest(clamp.lower, least(value, clamp.upper))

    # --- constants ---

    def _literal(self, name: str, op: Op, at: Values) -> Value | None:
        """The number of a constant, if it grows in equal steps along each dim within the indices."""
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

    def _compute(self, op: Op, bounds: Interval, scope: str, at: Values) -> Value | None:
        """The result of an op on the elements of its operands, if it fits the type."""
        step = _STEPS.get(op.opcode)
        if step is None and op.opcode != "select":
            return None
        values: list[Value | None] = []
        sizes = op.dims()
        for leaf, (m,) in zip(op.inputs, maps_of(op, 0), strict=True):
            place = self._through(m, sizes, scope, at)
            values.append(None if place is None else self.of(scope + leaf.name, place, leaf.path))
        if step is None:
            return values[2 - values[0]] if values[0] in (0, 1) else None
        return None if None in values else step(op, bounds, values)


def _span(x: Value, size: int) -> range:
    """The possible values of an expression as an index along a dim of a size."""
    low, high = bounds_of(x)
    return range(max(0, low or 0), size if high is None else min(size, high + 1))


_NUMBER: Final = re.compile(r"-?\d+|true|false|[^\s{},]+")
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_WORDS: Final = {"true": "1", "false": "0"}


def _numbers(literal: str, count: int) -> list[int] | None:
    """The ints of a constant's text; None if the text leaves some out."""
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


# --- ops on ints --------------------------------------------------------------------

# A step takes the op, the bounds of its type, and the elements of its operands. The caller checks that
# the result fits into the bounds.
Step: TypeAlias = "Callable[[Op, Interval, list[Any]], Value | None]"

_TRUTHS: Final = Interval(0, 1)
_WIDEST: Final = 64
_SIGNS: Final = {"EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}


def _multiply(_op: Op, _bounds: Interval, of: list[Any]) -> Value | None:
    x, y = of
    product: Value | None = x * y if type(x) is not Expr or type(y) is not Expr else None
    return product


def _divide(op: Op, _bounds: Interval, of: list[Any]) -> Value | None:
    """The quotient of ints that are not negative, because XLA rounds towards 0."""
    x, y = of
    low = bounds_of(x)[0]
    if type(y) is Expr or y <= 0 or low is None or low < 0:
        return None
    value: Value = x // y if op.opcode == "divide" else x % y
    return value


def _shift(op: Op, _bounds: Interval, of: list[Any]) -> Value | None:
    x, y = of
    low = bounds_of(x)[0]
    if type(y) is Expr or not 0 <= y < _WIDEST:
        return None
    if op.opcode == "shift-right-logical" and (low is None or low < 0):
        return None
    value: Value = x * (1 << y) if op.opcode == "shift-left" else x // (1 << y)
    return value


def _compare(op: Op, _bounds: Interval, of: list[Any]) -> Value | None:
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


def _invert(_op: Op, bounds: Interval, of: list[Any]) -> Value | None:
    value: Value = (-1 if bounds.lower else bounds.upper) - of[0]
    return value


_STEPS: Final[dict[str, Step]] = {
    "abs": lambda _op, _bounds, of: greatest(of[0], -of[0]),
    "add": lambda _op, _bounds, of: of[0] + of[1],
    "and": _bitwise,
    "clamp": lambda _op, _bounds, of: least(greatest(of[0], of[1]), of[2]),
    "compare": _compare,
    "convert": lambda _op, _bounds, of: of[0],
    "divide": _divide,
    "maximum": lambda _op, _bounds, of: greatest(of[0], of[1]),
    "minimum": lambda _op, _bounds, of: least(of[0], of[1]),
    "multiply": _multiply,
    "negate": lambda _op, _bounds, of: -of[0],
    "not": _invert,
    "or": _bitwise,
    "remainder": _divide,
    "shift-left": _shift,
    "shift-right-arithmetic": _shift,
    "shift-right-logical": _shift,
    "subtract": lambda _op, _bounds, of: of[0] - of[1],
    "xor": _bitwise,
}
"""The results of ops on ints; None if a result is unknown."""
