"""Random symbolic ints with a truth of their own: trees of operators, and the ints they give.

A tree is a nested tuple: ``("+", ("name", "i"), ("int", 3))``. Its truth is Python's arithmetic of the
tree as written; the engine has no part in it. What the engine makes of a tree is read back from the
nodes of the expression by `source_of_value`, not by the printers that are tested.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from random import Random
from typing import Any, NamedTuple

from tla.numbers import (
    Condition,
    Expr,
    Symbol,
    Value,
    ceil_divided,
    greatest,
    least,
    sym,
)
from tla.numbers.nodes import Least, Quotient, Remainder

Tree = tuple[Any, ...]
Point = tuple[int, ...]

# --- unknowns and their boxes -----------------------------------------------------------------


class Unknown(NamedTuple):
    """What is declared of a name, and the values at which it is tried.

    Attributes:
        below: The name of another unknown, before it in the list, that it is less than; or "".
    """

    name: str
    divisor: int
    low: int | None
    high: int | None
    values: tuple[int, ...]
    below: str = ""

    def symbol(self, others: dict[str, Any]) -> Any:
        high = others[self.below] - 1 if self.below else self.high
        return sym(self.name, divisible_by=self.divisor, min=self.low, max=high)

    def __str__(self) -> str:
        high = f"{self.below} - 1" if self.below else self.high
        return f"{self.name}=sym({self.name!r}, {self.divisor}, {self.low}, {high})"


def symbols_of(unknowns: Sequence[Unknown]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for unknown in unknowns:
        made[unknown.name] = unknown.symbol(made)
    return made


def box_of(unknowns: Sequence[Unknown]) -> list[Point]:
    """Every point of the unknowns' values that their facts allow."""
    names = [u.name for u in unknowns]
    bounded = [(i, names.index(u.below)) for i, u in enumerate(unknowns) if u.below]
    return [
        point
        for point in product(*(u.values for u in unknowns))
        if all(point[i] < point[j] for i, j in bounded)
    ]


def unknown_of(
    rng: Random, name: str, kind: str, width: int, below: Unknown | None = None, divisor: int = 1
) -> Unknown:
    """One unknown; an end that is open is tried near the other end and far from it."""
    if kind == "bounded":
        low = rng.randint(-4, 3)
        low, high = low * divisor, (low + rng.randint(0, width)) * divisor
        return Unknown(name, divisor, low, high, tuple(range(low, high + 1, divisor)))
    if kind == "below":
        assert below is not None
        return Unknown(name, 1, 0, None, tuple(range(max(below.values))), below.name)
    if kind in ("positive", "natural"):
        low = 1 if kind == "positive" else 0
        first = -(-low // divisor)
        steps = [*range(first, first + width), rng.randint(20, 40)]
        return Unknown(name, divisor, low, None, tuple(n * divisor for n in steps))
    if kind == "negative":
        return Unknown(name, divisor, None, -1, tuple(-n * divisor for n in (*range(1, width + 1), 31)))
    steps = [*range(-(width // 2), width // 2 + 1), -rng.randint(20, 40), rng.randint(20, 40)]
    return Unknown(name, divisor, None, None, tuple(n * divisor for n in steps))


def unknowns(rng: Random, count: int) -> list[Unknown]:
    """Some unknowns of mixed kinds, whose box has some 300 points at most."""
    width = {1: 12, 2: 8, 3: 4, 4: 2}[count]
    kinds = ["bounded", "natural", "positive", "any", "negative"]
    found: list[Unknown] = []
    for name in "nijk"[:count]:
        above = [u for u in found if u.low == 1 and u.high is None and u.divisor == 1]
        if above and rng.random() < 0.4:
            near = unknown_of(rng, above[0].name, "positive", width)._replace(values=(1, 2, width + 2))
            found[found.index(above[0])] = near
            found.append(unknown_of(rng, name, "below", width, near))
            continue
        kind = (
            "positive" if name == "n" and rng.random() < 0.7 else rng.choices(kinds, [5, 3, 3, 2, 1])[0]
        )
        divisor = rng.choice([1, 1, 1, 2, 3, 4, 6, 8, 12, 16])
        found.append(unknown_of(rng, name, kind, width, divisor=divisor))
    return found


# --- trees --------------------------------------------------------------------------------------

BINARY = ("+", "-", "*", "//", "%", "ceil")


def size_of_tree(tree: Tree) -> int:
    """How many operators, names and numbers it has."""
    return 1 + sum(size_of_tree(part) for part in tree[1:] if isinstance(part, tuple))


def source_of_tree(tree: Tree) -> str:
    """The tree as Python, every operator in parentheses."""
    op, *parts = tree
    if op == "int":
        return f"({parts[0]})"
    if op == "name":
        return str(parts[0])
    texts = [source_of_tree(part) for part in parts]
    if op in ("min", "max"):
        return f"{op}({', '.join(texts)})"
    if op == "neg":
        return f"(-{texts[0]})"
    if op == "ceil":
        return f"(-((-{texts[0]}) // {texts[1]}))"
    return f"({texts[0]} {op} {texts[1]})"


def build(tree: Tree, symbols: dict[str, Any]) -> Any:
    """The tree by the engine's operators."""
    op, *parts = tree
    if op == "int":
        return parts[0]
    if op == "name":
        return symbols[parts[0]]
    values = [build(part, symbols) for part in parts]
    return _BUILD[op](*values)


_BUILD: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "ceil": ceil_divided,
    "min": least,
    "max": greatest,
    "neg": lambda a: -a,
}


class Draw:
    """Random trees over some unknowns; one object draws one expression.

    Args:
        affine: Whether products are by ints only, and divisors ints.
    """

    def __init__(self, rng: Random, unknowns: Sequence[Unknown], affine: bool) -> None:
        self.rng = rng
        self.unknowns = unknowns
        self.affine = affine
        self.drawn: list[Tree] = []
        self.numbers = rng.choice([(2, 4, 8), (2, 3, 6), (3, 4, 12), (2, 3, 4, 5, 6, 7, 8, 12)])
        self.positive: list[Tree] = [
            ("name", u.name) for u in unknowns if u.low is not None and u.low > 0
        ]
        self.natural: list[Tree] = [
            ("name", u.name) for u in unknowns if u.low is not None and u.low >= 0
        ]

    def name(self) -> Tree:
        return ("name", self.rng.choice(self.unknowns).name)

    def number(self) -> int:
        return self.rng.choice(self.numbers)

    def divisor(self) -> Tree:
        """An int other than 0, or an expression that is never 0."""
        if self.affine or not self.positive or self.rng.random() < 0.4:
            n = self.number()
            return ("int", -n if self.rng.random() < 0.1 else n)
        one = self.rng.choice(self.positive)
        pick = self.rng.random()
        if pick < 0.5:
            return one
        if pick < 0.7:
            return ("*", one, ("int", self.number()))
        if pick < 0.8:
            return ("*", one, self.rng.choice(self.positive))
        if pick < 0.88:
            return ("+", one, self.rng.choice(self.natural))
        if pick < 0.94:
            return ("ceil", one, ("int", self.number()))
        if pick < 0.97:
            return ("max", ("int", 1), self.name())
        return ("neg", one)

    def tree(self, depth: int) -> Tree:
        made = self._tree(depth)
        self.drawn.append(made)
        return made

    def _tree(self, depth: int) -> Tree:
        rng = self.rng
        if self.drawn and rng.random() < 0.2:
            return rng.choice(self.drawn)
        if depth == 0 or rng.random() < 0.1:
            return self.name() if rng.random() < 0.85 else ("int", rng.randint(-9, 20))
        op = rng.choices(
            ["+", "-", "*", "//", "%", "ceil", "min", "max", "neg", "product", "digits"],
            [6, 2, 5, 5, 5, 1, 1, 1, 1, 0 if self.affine else 2, 3],
        )[0]
        if op == "neg":
            return ("neg", self.tree(depth - 1))
        if op in ("min", "max"):
            count = rng.choice([2, 2, 3])
            return (op, *(self.tree(depth - 1) for _ in range(count)))
        if op in ("+", "-"):
            return (op, self.tree(depth - 1), self.tree(depth - 1))
        if op == "*":
            k = self.number() if rng.random() < 0.7 else rng.randint(-5, 5)
            return ("*", self.tree(depth - 1), ("int", k))
        if op == "product":
            return ("*", self.tree(depth - 1), self.tree(min(1, depth - 1)))
        if op == "digits":
            return self.digits(depth)
        return (op, self.tree(depth - 1), self.divisor())

    def digits(self, depth: int) -> Tree:
        """What layouts make: a quotient and a remainder, or an outer and an inner digit."""
        x, c = self.tree(depth - 1), self.divisor()
        whole: Tree = ("*", ("//", x, c), c)
        pick = self.rng.random()
        if pick < 0.3:
            return ("+", ("%", x, c), whole)
        if pick < 0.5:
            return ("-", x, whole)
        inside: Tree = ("+", ("*", x, c), ("%", self.tree(depth - 1), c))
        outer: Tree = ("*", c, ("int", self.number())) if self.rng.random() < 0.5 else c
        return (self.rng.choice(["//", "%"]), inside, outer)


# --- what the engine made, as a naive reader sees it ------------------------------------------------


def source_of_value(x: Any) -> str:
    """An expression as Python, from its nodes: every atom in parentheses, ``M/16`` as ``M//16``."""
    if type(x) is not Expr:
        return f"({int(x)})"
    products = [f"{k}*{'*'.join(map(source_of_atom, monomial))}" for monomial, k in x.terms.items()]
    return f"({'+'.join([*products, str(x.constant)])})"


def source_of_atom(atom: Any) -> str:
    if type(atom) is Symbol:
        return f"({atom.name}//{atom.divisor})" if atom.divisor != 1 else atom.name
    if type(atom) is Least:
        return f"min({', '.join(map(source_of_value, atom.parts))})"
    assert type(atom) in (Quotient, Remainder)
    sign = "//" if type(atom) is Quotient else "%"
    return f"({source_of_value(atom.dividend)}{sign}{source_of_value(atom.divisor)})"


def table_of(source: str, names: Sequence[str], box: Sequence[Point]) -> list[Any]:
    """The values of some Python source at every point of a box."""
    function = eval(f"lambda {', '.join(names)}: {source}", {"min": min, "max": max})
    return [function(*point) for point in box]


# --- cases ------------------------------------------------------------------------------------------


class Case(NamedTuple):
    """A tree, and the unknowns it speaks of."""

    unknowns: tuple[Unknown, ...]
    tree: Tree
    affine: bool

    @property
    def names(self) -> list[str]:
        return [u.name for u in self.unknowns]

    def built(self) -> Any:
        return build(self.tree, symbols_of(self.unknowns))

    def truth(self) -> list[int]:
        return table_of(source_of_tree(self.tree), self.names, box_of(self.unknowns))

    def __str__(self) -> str:
        return f"{source_of_tree(self.tree)}  with  {', '.join(map(str, self.unknowns))}"


def case_of(rng: Random, depth: int | None = None) -> Case:
    found = unknowns(rng, rng.choices([1, 2, 3, 4], [1, 6, 5, 2])[0])
    affine = rng.random() < 0.6
    deep = rng.choices([1, 2, 3, 4], [1, 3, 4, 1])[0] if depth is None else depth
    return Case(tuple(found), Draw(rng, found, affine).tree(deep), affine)


def cases(seed: int, count: int, depth: int | None = None) -> Iterator[Case]:
    rng = Random(seed)
    return (case_of(rng, depth) for _ in range(count))


# --- smaller cases ----------------------------------------------------------------------------------


def smaller_trees(tree: Tree) -> Iterator[Tree]:
    """Trees with one step less: a part in the place of the whole, a number closer to 0."""
    op, *parts = tree
    if op == "int":
        n = parts[0]
        sign = -1 if n < 0 else 1
        closer = [0, sign, 2 * sign, sign * (abs(n) // 2), n - sign]
        yield from (("int", m) for m in dict.fromkeys(closer) if abs(m) < abs(n))
        if n < 0:
            yield ("int", -n)
        return
    if op == "name":
        yield ("int", 0)
        return
    yield from (part for part in parts)
    if op in ("min", "max") and len(parts) > 2:
        yield from ((op, *parts[:i], *parts[i + 1 :]) for i in range(len(parts)))
    for i, part in enumerate(parts):
        for less in smaller_trees(part):
            yield (op, *parts[:i], less, *parts[i + 1 :])


def smaller_unknowns(found: tuple[Unknown, ...]) -> Iterator[tuple[Unknown, ...]]:
    for i, u in enumerate(found):
        if not any(other.below == u.name for other in found):
            yield (*found[:i], *found[i + 1 :])
        if u.divisor > 1:
            values = tuple(sorted({v // u.divisor for v in u.values}))
            low = None if u.low is None else -(-u.low // u.divisor)
            high = None if u.high is None else u.high // u.divisor
            yield (*found[:i], Unknown(u.name, 1, low, high, values, u.below), *found[i + 1 :])
        if u.low is not None and u.high is not None and len(u.values) > 1:
            cut = u._replace(high=u.values[-2], values=u.values[:-1])
            yield (*found[:i], cut, *found[i + 1 :])
            cut = u._replace(low=u.values[1], values=u.values[1:])
            yield (*found[:i], cut, *found[i + 1 :])
        if u.low is not None and u.high is not None and u.low != 0:
            moved = u._replace(low=0, high=u.high - u.low, values=tuple(v - u.low for v in u.values))
            yield (*found[:i], moved, *found[i + 1 :])


def shrunk(case: Case, fails: Callable[[Case], bool], tries: int = 1500) -> Case:
    """A case that still fails and that no single step makes smaller."""

    def steps(case: Case) -> Iterator[Case]:
        yield from (case._replace(tree=tree) for tree in smaller_trees(case.tree))
        yield from (case._replace(unknowns=found) for found in smaller_unknowns(case.unknowns))

    todo = steps(case)
    for _ in range(tries):
        smaller = next(todo, None)
        if smaller is None:
            break
        try:
            failing = fails(smaller)
        except (KeyError, NameError, ZeroDivisionError):
            continue  # the step took away what the tree needs
        if failing:
            case, todo = smaller, steps(smaller)
    return case


# --- conditions -------------------------------------------------------------------------------------


def condition_holds(condition: Condition | bool, names: Sequence[str]) -> Callable[..., bool]:
    """A condition as a function of the names, read from its nodes."""
    if isinstance(condition, bool):
        return lambda *_point: condition
    source = f"{source_of_value(condition.left)} {condition.op} {source_of_value(condition.right)}"
    function: Callable[..., bool] = eval(
        f"lambda {', '.join(names)}: {source}", {"min": min, "max": max}
    )
    return function


def holds_value(value: Value, low: int | None, high: int | None) -> bool:
    """Whether an int lies in a range."""
    assert type(value) is int
    return (low is None or low <= value) and (high is None or value <= high)
