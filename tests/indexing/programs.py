"""Random small computations, and what their results depend on, by running their definitions.

Each value is an array of sets: for an element, which elements of the parameters it is made from. A set
is a row of bools, so an array of them is a numpy array with one more dim than the value has.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

MOST = 24
"""How many elements an array has at most."""


class Made(NamedTuple):
    """A value: its name and its sets; of an index the number that it holds, too."""

    name: str
    sets: Any

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(self.sets.shape[:-1])

    @property
    def shape(self) -> str:
        return f"f32[{','.join(map(str, self.sizes))}]"


@dataclass
class Program:
    """A computation that is being made: its lines, and the arrays that there are."""

    random: Random
    lines: list[str] = field(default_factory=list)
    parameters: list[tuple[int, ...]] = field(default_factory=list)
    starts: dict[str, int] = field(default_factory=dict)
    values: list[Made] = field(default_factory=list)
    computations: list[str] = field(default_factory=list)

    @property
    def width(self) -> int:
        """How many elements of parameters there may be."""
        return 3 * MOST + 10

    def begin(self) -> None:
        sizes = [self.sizes() for _ in range(self.random.randint(1, 2))]
        for each in [*sizes, ()]:
            self.parameter(each)

    def sizes(self) -> tuple[int, ...]:
        while True:
            found = tuple(self.random.choices([1, 2, 3, 4, 5, 6], k=self.random.randint(1, 3)))
            if np.prod(found) <= MOST:
                return found

    def parameter(self, sizes: tuple[int, ...], type_: str = "f32") -> Made:
        number = len(self.parameters)
        begin = sum(int(np.prod(each)) for each in self.parameters)
        count = int(np.prod(sizes))
        sets = np.zeros((count, self.width), bool)
        sets[np.arange(count), begin + np.arange(count)] = True
        made = Made(f"p{number}", sets.reshape(*sizes, -1))
        shape = made.shape.replace("f32", type_)
        self.lines.append(f"p{number} = {shape} parameter({number})")
        self.parameters.append(sizes)
        if type_ == "f32":
            self.values.append(made)
        return made

    def start(self) -> Made:
        """A scalar int that the program is given: where a slice begins, inside or not."""
        made = self.parameter((), "s32")
        self.starts[made.name] = self.random.randint(-2, 7)
        return made

    def add(self, sets: Any, opcode: str, operands: list[Made], attributes: str = "") -> Made:
        made = Made(f"v{len(self.lines)}", sets)
        written = ", ".join(each.name for each in operands)
        self.lines.append(f"{made.name} = {made.shape} {opcode}({written}){attributes}")
        self.values.append(made)
        return made

    def zero(self) -> Made:
        made = Made(f"c{len(self.lines)}", np.zeros((self.width,), bool))
        self.lines.append(f"{made.name} = f32[] constant(0)")
        return made

    def any(self, ranks: Callable[[int], bool] = bool) -> Made:
        """A value, rather one of the last."""
        fit = [v for v in self.values if ranks(len(v.sizes))]
        return self.random.choice(fit[-3:])

    def step(self) -> None:
        STEPS[self.random.choice(list(STEPS))](self)

    def text(self) -> str:
        scalar = "a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b)"
        before = "\n".join(self.computations)
        return f"HloModule m\nadd {{ {scalar} }}\n{before}\nENTRY e {self.body()}\n"

    def body(self) -> str:
        *lines, root = self.lines
        return "{\n" + "\n".join(f"  {line}" for line in [*lines, f"ROOT {root}"]) + "\n}"

    def truth(self, made: Made, number: int) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
        """The pairs of an element of a value and an element of a parameter it is made from."""
        begin = sum(int(np.prod(each)) for each in self.parameters[:number])
        sizes = self.parameters[number]
        return {
            (at, index)
            for at in np.ndindex(*made.sizes)
            for k, index in enumerate(np.ndindex(*sizes))
            if made.sets[at][begin + k]
        }


# --- ops by their definitions -----------------------------------------------------------------


def _scalar(p: Program) -> Made:
    """A scalar to begin or to fill with, made from a parameter or from nothing."""
    given = p.random.choice([v for v in p.values if not v.sizes])
    return p.random.choice([given, p.zero()])


def _unary(p: Program) -> None:
    x = p.any(lambda _: True)
    p.add(x.sets.copy(), p.random.choice(["negate", "exponential", "tanh"]), [x])


def _binary(p: Program) -> None:
    x = p.any()
    y = p.random.choice([v for v in p.values if v.sizes == x.sizes])
    p.add(x.sets | y.sets, p.random.choice(["add", "multiply", "subtract"]), [x, y])


def _transpose(p: Program) -> None:
    x = p.any()
    order = p.random.sample(range(len(x.sizes)), len(x.sizes))
    sets = np.transpose(x.sets, (*order, len(order)))
    p.add(sets, "transpose", [x], f", dimensions={{{','.join(map(str, order))}}}")


def _reverse(p: Program) -> None:
    x = p.any()
    k = p.random.randrange(len(x.sizes))
    p.add(np.flip(x.sets, k), "reverse", [x], f", dimensions={{{k}}}")


def _reshape(p: Program) -> None:
    x = p.any()
    count = int(np.prod(x.sizes))
    divisors = [n for n in range(1, count + 1) if count % n == 0]
    first = p.random.choice(divisors)
    second = p.random.choice([n for n in divisors if (count // first) % n == 0])
    sizes = [n for n in (first, second, count // first // second) if n > 1 or p.random.random() < 0.3]
    p.add(x.sets.reshape(*sizes, -1), "reshape", [x])


def _slice(p: Program) -> None:
    x = p.any()
    parts: list[tuple[int, int, int]] = []
    for n in x.sizes:
        low = p.random.randrange(n)
        parts.append((low, p.random.randint(low + 1, n), p.random.choice([1, 1, 2, 3])))
    sets = x.sets[tuple(slice(*part) for part in parts)]
    texts = ", ".join(f"[{low}:{high}:{step}]" for low, high, step in parts)
    p.add(sets, "slice", [x], f", slice={{{texts}}}")


def _broadcast(p: Program) -> None:
    x = p.any(lambda rank: rank < 3)
    room = MOST // int(np.prod(x.sizes))
    new = p.random.choice([n for n in (1, 2, 3, 4) if n <= max(room, 1)])
    at = p.random.randint(0, len(x.sizes))
    sets = np.repeat(np.expand_dims(x.sets, at), new, axis=at)
    kept = [k for k in range(len(x.sizes) + 1) if k != at]
    p.add(sets, "broadcast", [x], f", dimensions={{{','.join(map(str, kept))}}}")


def _reduce(p: Program) -> None:
    x = p.any()
    init = _scalar(p)
    dims = p.random.sample(range(len(x.sizes)), p.random.randint(1, len(x.sizes)))
    sets = x.sets.any(axis=tuple(dims)) | init.sets
    p.add(sets, "reduce", [x, init], f", dimensions={{{','.join(map(str, dims))}}}, to_apply=add")


def _pad(p: Program) -> None:
    x = p.any()
    value = _scalar(p)
    parts: list[tuple[int, int, int]] = []
    for n in x.sizes:
        while True:
            low, high, inside = (
                p.random.randint(-2, 2),
                p.random.randint(-2, 2),
                p.random.choice([0, 0, 1]),
            )
            size = low + high + n + (n - 1) * inside
            if 1 <= size <= n + 2:
                break
        parts.append((low, high, inside))
    sizes = [a + b + n + (n - 1) * i for n, (a, b, i) in zip(x.sizes, parts, strict=True)]
    if np.prod(sizes) > MOST:
        return
    sets = np.empty((*sizes, p.width), bool)
    sets[...] = value.sets
    for at in np.ndindex(*x.sizes):
        to = tuple(low + k * (inside + 1) for k, (low, _, inside) in zip(at, parts, strict=True))
        if all(0 <= k < n for k, n in zip(to, sizes, strict=True)):
            sets[to] = x.sets[at]
    texts = "x".join(f"{a}_{b}_{i}" for a, b, i in parts)
    p.add(sets, "pad", [x, value], f", padding={texts}")


def _concatenate(p: Program) -> None:
    x = p.any()
    k = p.random.randrange(len(x.sizes))
    fit = [v for v in p.values if len(v.sizes) == len(x.sizes)]
    rest = [v for v in fit if np.delete(v.sizes, k).tolist() == np.delete(x.sizes, k).tolist()]
    parts = [x, *p.random.choices(rest, k=p.random.randint(1, 2))]
    sets = np.concatenate([each.sets for each in parts], axis=k)
    if sets[..., 0].size <= MOST:
        p.add(sets, "concatenate", parts, f", dimensions={{{k}}}")


def _select(p: Program) -> None:
    x = p.any()
    y = p.random.choice([v for v in p.values if v.sizes == x.sizes])
    low = p.zero()
    p.add(x.sets | y.sets, "clamp", [low, x, y])


def _starts(p: Program, x: Made, window: list[int]) -> tuple[list[Made], list[int]]:
    """Where a window begins along each dim: the scalars that say it, and the places in the array."""
    given: list[Made] = []
    moved: list[int] = []
    for n, w in zip(x.sizes, window, strict=True):
        if p.random.random() < 0.4 or len(p.starts) > 5:
            number = p.random.randint(-1, 6)
            given.append(Made(f"c{len(p.lines)}", np.zeros((p.width,), bool)))
            p.lines.append(f"{given[-1].name} = s32[] constant({number})")
        else:
            given.append(p.start())
            number = p.starts[given[-1].name]
        moved.append(min(max(number, 0), n - w))
    return given, moved


def _dynamic_slice(p: Program) -> None:
    x = p.any()
    window = [p.random.randint(1, n) for n in x.sizes]
    given, at = _starts(p, x, window)
    sets = x.sets[tuple(slice(a, a + w) for a, w in zip(at, window, strict=True))].copy()
    for each in given:
        sets |= each.sets
    texts = ",".join(map(str, window))
    p.add(sets, "dynamic-slice", [x, *given], f", dynamic_slice_sizes={{{texts}}}")


def _dynamic_update_slice(p: Program) -> None:
    x = p.any()
    fit = [v for v in p.values if len(v.sizes) == len(x.sizes)]
    fit = [v for v in fit if all(a <= b for a, b in itertools.zip_longest(v.sizes, x.sizes))]
    update = p.random.choice(fit)
    given, at = _starts(p, x, list(update.sizes))
    sets = x.sets.copy()
    sets[tuple(slice(a, a + w) for a, w in zip(at, update.sizes, strict=True))] = update.sets
    for each in given:
        sets |= each.sets
    p.add(sets, "dynamic-update-slice", [x, update, *given])


def _call(p: Program) -> None:
    """A computation within it: what its parameters are made from is what the operands are made from."""
    x, y = p.any(), p.random.choice([v for v in p.values if not v.sizes])
    inner = Program(p.random, computations=p.computations)
    for i, each in enumerate((x, y)):
        inner.lines.append(f"p{i} = {each.shape} parameter({i})")
        inner.values.insert(0, Made(f"p{i}", each.sets))
    inner.starts = dict.fromkeys("abcdef", 0)  # enough of them: it has no other parameters
    for _ in range(p.random.randint(1, 3)):
        inner.step()
    _unary(inner)
    name = f"f{len(p.computations)}"
    p.computations.append(f"{name} {inner.body()}")
    kind = p.random.choice([("call", "to_apply"), ("fusion", "kind=kLoop, calls")])
    p.add(inner.values[-1].sets, kind[0], [x, y], f", {kind[1]}={name}")


STEPS: dict[str, Callable[[Program], None]] = {
    "unary": _unary,
    "binary": _binary,
    "transpose": _transpose,
    "reverse": _reverse,
    "reshape": _reshape,
    "slice": _slice,
    "broadcast": _broadcast,
    "reduce": _reduce,
    "pad": _pad,
    "concatenate": _concatenate,
    "select": _select,
    "dynamic-slice": _dynamic_slice,
    "dynamic-update-slice": _dynamic_update_slice,
    "call": _call,
}


def program(random: Random, steps: int) -> Program:
    """A computation of some steps, whose last value is its root."""
    made = Program(random)
    made.begin()
    for _ in range(steps):
        made.step()
    _unary(made)
    return made
