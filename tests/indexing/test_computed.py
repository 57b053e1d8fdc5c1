"""Ops that run a computation of which something is known: scans, sorts, variadic reductions."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
from cases import share

from tla.hlo import read_module
from tla.indexing import output_to_input

from .marks import NONE, blank, check, indices, join, marked, text
from .test_reductions import maps_of

if TYPE_CHECKING:
    from collections.abc import Sequence

RANDOM = share(200)

Term = tuple[int, bool]
"""A parameter, as it is or reversed in all its dims."""


# --- scans ------------------------------------------------------------------------------------


def scan_line(arrays: Sequence[Any], outs: Sequence[Any], axis: int, carries: int, back: bool) -> str:
    made = ", ".join(text(out.shape) for out in outs)
    operands = ", ".join(f"{text(x.shape)} %x{i}" for i, x in enumerate(arrays))
    tail = f"dimensions={{{axis}}}, num_carries={carries}, is_reverse={str(back).lower()}"
    return f"({made}) scan({operands}), {tail}, to_apply=%body"


def run_scan(
    arrays: Sequence[Any],
    roots: Sequence[Sequence[Term]],
    shape: list[int],
    axis: int,
    carries: int,
    back: bool,
) -> list[Any]:
    """A scan as the loop that it is; each root is made from some parameters, element by element."""
    inputs, outputs = len(arrays) - carries, len(roots) - carries
    steps = arrays[0].shape[axis]
    carried = [x.copy() for x in arrays[inputs:]]
    outs = [blank([*shape[:axis], steps, *shape[axis:]]) for _ in range(outputs)]
    for step in range(steps - 1, -1, -1) if back else range(steps):
        at = (slice(None),) * axis + (step,)
        parameters = [x[at] for x in arrays[:inputs]] + carried
        made = []
        for terms in roots:
            out = blank(shape)
            for index in np.ndindex(*shape):
                mirrored = tuple(n - 1 - i for i, n in zip(index, shape, strict=True))
                out[index] = join(
                    *(_at(parameters[p], mirrored if turned else index) for p, turned in terms)
                )
            made.append(out)
        for out, new in zip(outs, made[:outputs], strict=True):
            out[at] = new if shape else new[()]
        carried = made[outputs:]
    return [*outs, *carried]


def _at(array: Any, index: tuple[int, ...]) -> frozenset[Any]:
    found: frozenset[Any] = array[index] if isinstance(array, np.ndarray) else array
    return found


def body_text(shape: list[int], parameters: int, roots: Sequence[Sequence[Term]]) -> str:
    one, dims = text(shape), ",".join(map(str, range(len(shape))))
    lines = [f"  p{i} = {one} parameter({i})" for i in range(parameters)]
    lines += [f"  q{i} = {one} reverse(p{i}), dimensions={{{dims}}}" for i in range(parameters)]
    lines += ["  zero = f32[] constant(0)", f"  start = {one} broadcast(zero), dimensions={{}}"]
    for r, terms in enumerate(roots):
        last = "start"
        for t, (p, turned) in enumerate(terms):
            lines.append(f"  s{r}.{t} = {one} add({last}, {'q' if turned else 'p'}{p})")
            last = f"s{r}.{t}"
        lines.append(f"  r{r} = {one} negate({last})")
    names = ", ".join(f"r{r}" for r in range(len(roots)))
    lines.append(f"  ROOT t = ({', '.join([one] * len(roots))}) tuple({names})")
    return "body {\n" + "\n".join(lines) + "\n}"


def test_scan_of_a_known_computation() -> None:
    draw = random.Random(20)
    for _ in range(RANDOM):
        shape = [draw.randint(1, 3) for _ in range(draw.choice((0, 0, 1, 1, 2)))]
        inputs, carries, outputs = draw.randint(1, 2), draw.randint(0, 2), draw.randint(1, 2)
        steps, axis, back = draw.randint(0, 4), draw.randint(0, len(shape)), draw.random() < 0.5
        roots: list[list[Term]] = []
        for r in range(outputs + carries):
            terms = [(p, draw.random() < 0.4) for p in range(inputs) if draw.random() < 0.6]
            own = inputs + r - outputs
            if r >= outputs:  # a carry is kept, or made anew
                terms += [(own, False)] if draw.random() < 0.6 else []
            else:
                terms += [(p, draw.random() < 0.3) for p in range(inputs, inputs + carries)]
            roots.append(draw.sample(terms, len(terms)))
        whole = [*shape[:axis], steps, *shape[axis:]]
        arrays = [marked(i, whole if i < inputs else shape) for i in range(inputs + carries)]
        outs = run_scan(arrays, roots, shape, axis, carries, back)
        module = read_module(
            f"HloModule m\n{body_text(shape, inputs + carries, roots)}\nENTRY e {{\n"
            + "\n".join(f"  x{i} = {text(x.shape)} parameter({i})" for i, x in enumerate(arrays))
            + f"\n  ROOT s = {scan_line(arrays, outs, axis, carries, back)}\n}}"
        )
        check(module.entry.root, outs, len(arrays))


def test_scan_of_an_unknown_computation() -> None:
    """It may make every element from all that it is handed."""
    draw = random.Random(21)
    for _ in range(RANDOM):
        axis, steps, back = 0, draw.randint(0, 4), draw.random() < 0.5
        inner = [[draw.randint(1, 3) for _ in range(draw.choice((0, 0, 1)))] for _ in range(6)]
        inputs, carries, outputs = draw.randint(1, 2), draw.randint(0, 2), draw.randint(1, 2)
        arrays = [marked(i, [steps, *inner[i]]) for i in range(inputs)]
        arrays += [marked(inputs + c, inner[2 + c]) for c in range(carries)]
        outs = [blank([steps, *inner[4 + o]]) for o in range(outputs)]
        carried = [x.copy() for x in arrays[inputs:]]
        for step in range(steps - 1, -1, -1) if back else range(steps):
            handed = join(*(join(x[step]) for x in arrays[:inputs]), *(join(*c.flat) for c in carried))
            for out in outs:
                for at in np.ndindex(*out.shape[1:]):
                    out[(step, *at)] = handed
            for c, carry in enumerate(carried):
                carried[c] = blank(carry.shape)
                for at in np.ndindex(*carry.shape):
                    carried[c][at] = handed
        results = [*outs, *carried]
        check(f"%s = {scan_line(arrays, results, axis, carries, back)}", results, len(arrays))


def test_carries_that_cross_count_as_unknown() -> None:
    body = (
        "body { p0 = f32[] parameter(0)  p1 = f32[] parameter(1)  p2 = f32[] parameter(2)\n"
        "  ROOT t = (f32[], f32[], f32[]) tuple(p1, p2, p0) }"
    )
    module = read_module(
        f"HloModule m\n{body}\nENTRY e {{\n"
        "  x = f32[5] parameter(0)  a = f32[] parameter(1)  b = f32[] parameter(2)\n"
        "  ROOT s = (f32[5], f32[], f32[]) scan(x, a, b), dimensions={0}, num_carries=2, to_apply=body }"
    )
    assert [[str(m) for m in maps] for maps in output_to_input(module.entry.root)] == [
        ["(d0)[s0] -> (s0), domain: d0 in [0, 4], s0 in [0, 4], d0 - s0 in [0, 4]"],
        ["(d0) -> (), domain: d0 in [0, 4]"],
        ["(d0) -> (), domain: d0 in [0, 4]"],
    ]


# --- sorts and reductions ---------------------------------------------------------------------


def test_sort_by_some_of_its_operands() -> None:
    draw = random.Random(22)
    for _ in range(RANDOM):
        shape, count = [draw.randint(1, 4) for _ in range(draw.randint(1, 2))], draw.randint(1, 3)
        axis = draw.randrange(len(shape))
        keys = draw.sample(range(count), draw.randint(1, count))
        lines = [f"  p{i} = f32[] parameter({i})" for i in range(2 * count)]
        last = "start"
        lines.append("  start = pred[] constant(false)")
        for k in keys:
            lines.append(f"  c{k} = pred[] compare(p{2 * k}, p{2 * k + 1}), direction=LT")
            lines.append(f"  o{k} = pred[] or({last}, c{k})")
            last = f"o{k}"
        lines.append(f"  ROOT r = pred[] not({last})")
        one = text(shape)
        made = one if count == 1 else f"({', '.join([one] * count)})"
        parameters = "\n".join(f"  x{i} = {one} parameter({i})" for i in range(count))
        names = ", ".join(f"x{i}" for i in range(count))
        module = read_module(
            "HloModule m\nless {\n" + "\n".join(lines) + f"\n}}\nENTRY e {{\n{parameters}\n"
            f"  ROOT s = {made} sort({names}), dimensions={{{axis}}}, to_apply=less\n}}"
        )
        arrays, outs = [marked(i, shape) for i in range(count)], [blank(shape) for _ in range(count)]
        for at in np.ndindex(*shape):
            line = [(*at[:axis], i, *at[axis + 1 :]) for i in range(shape[axis])]
            order = join(*(arrays[k][other] for k in keys for other in line)) if len(line) > 1 else NONE
            for x, out in zip(arrays, outs, strict=True):
                out[at] = join(order, *(x[other] for other in line))
        check(module.entry.root, outs, count)


def test_reduce_of_inputs_that_stay_apart() -> None:
    """With sums some of which take in another input: as an associative computation may."""
    draw = random.Random(23)
    for _ in range(RANDOM):
        shape, count = [draw.randint(0, 3) for _ in range(draw.randint(1, 3))], draw.randint(2, 3)
        reduced = draw.sample(range(len(shape)), draw.randint(1, len(shape)))
        kept = [k for k in range(len(shape)) if k not in reduced]
        taken = {0: [0], 1: draw.choice(([1], [0, 1])), 2: draw.choice(([2], [0, 2]))}
        lines = [f"  p{i} = f32[] parameter({i})" for i in range(2 * count)]
        for i in range(count):
            terms = [p for j in taken[i] for p in (j, count + j)]
            last = f"p{terms[0]}"
            for t, p in enumerate(terms[1:]):
                lines.append(f"  s{i}.{t} = f32[] add({last}, p{p})")
                last = f"s{i}.{t}"
            lines.append(f"  r{i} = f32[] negate({last})")
        each = ", ".join(["f32[]"] * count)
        lines.append(f"  ROOT t = ({each}) tuple({', '.join(f'r{i}' for i in range(count))})")
        arrays = [marked(i, shape) for i in range(count)] + [marked(count + i, ()) for i in range(count)]
        sizes = [shape[k] for k in kept]
        outs = [blank(sizes) for _ in range(count)]
        for at in np.ndindex(*sizes):
            sofar = [arrays[count + i][()] for i in range(count)]
            for index in indices(shape):
                if tuple(index[k] for k in kept) == at:
                    both = [join(sofar[i], arrays[i][index]) for i in range(count)]
                    sofar = [join(*(both[j] for j in taken[i])) for i in range(count)]
            for out, marks in zip(outs, sofar, strict=True):
                out[at] = marks
        made = ", ".join([text(sizes)] * count)
        parameters = "\n".join(f"  x{i} = {text(x.shape)} parameter({i})" for i, x in enumerate(arrays))
        names = ", ".join(f"x{i}" for i in range(2 * count))
        dims = ",".join(map(str, reduced))
        module = read_module(
            "HloModule m\nf {\n" + "\n".join(lines) + f"\n}}\nENTRY e {{\n{parameters}\n"
            f"  ROOT r = ({made}) reduce({names}), dimensions={{{dims}}}, to_apply=f\n}}"
        )
        check(module.entry.root, outs, 2 * count)


def test_a_running_sum_is_a_scan_up_to_its_place() -> None:
    line = "%s = (f32[9], f32[]) scan(f32[9] %x, f32[] %c), dimensions={0}, num_carries=1, to_apply=%add"
    assert maps_of(line) == [
        "(d0)[s0] -> (s0), domain: d0 in [0, 8], s0 in [0, 8], d0 - s0 in [0, 8]",
        "(d0) -> (), domain: d0 in [0, 8]",
    ]
    assert maps_of(line, 1) == ["()[s0] -> (s0), domain: s0 in [0, 8]", "() -> ()"]
