# SPDX-License-Identifier: Apache-2.0
"""The steps of an operation in sentences with their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..algebra import (
    CoalesceStep,
    ComplementStep,
    CompositionStep,
    InverseStep,
    is_left_alone,
    modes_of,
    tiler_text,
)
from ..layouts import is_layout, text_of
from ..numbers import SymbolicInt, is_tuple, known_divides, known_eq, known_lt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .derivation import Derivation


def sentences_of(derivation: Derivation) -> tuple[str, ...]:
    """Return one sentence for each step, or for each operation of which this one is made."""
    if derivation.steps:
        say: Callable[[Any], Iterator[str]] = _STEPS[type(derivation.steps[0])]
        if say is _complement:
            return tuple(_complement(derivation.steps, derivation.arguments[1:]))
        return tuple(say(derivation.steps))
    if not is_layout(derivation.arguments[0]):  # the outer function of a composition
        return (f"{derivation.arguments[0]} is no layout: it stays, applied to each offset of B.",)
    if len(derivation.arguments) > 1 and is_left_alone(derivation.arguments[1]):
        return (f"{tiler_text(derivation.arguments[1])} leaves the layout as it is.",)
    if len(derivation.arguments) > 1 and is_tuple(derivation.arguments[1]):
        return tuple(_by_mode(derivation))
    kind = derivation.operation.rpartition("_")[2]
    if derivation.operation == "logical_divide":
        return tuple(_divide(derivation))
    if derivation.operation == "logical_product":
        return tuple(_product(derivation))
    if derivation.operation in ("blocked_product", "raked_product"):
        return (_pair_sentence(derivation),)
    return (_form_sentence(derivation, kind),) if derivation.parts else ()


def law_of(derivation: Derivation) -> str:
    """Return the law of the result of an operation; "" if it has none."""
    if not is_layout(derivation.arguments[0]):
        return ""
    return _LAWS.get(derivation.operation, "")


_LAWS: Final = {
    "coalesce": "the fewest modes with the same offset at each index",
    "complement": "it steps through the offsets that the layout leaves free",
    "composition": "C = A o B: C(i) = A(B(i)) for each coordinate i of B",
    "left_inverse": "from an offset back to the index: L(A(i)) is i, or an index with the same offset",
    "right_inverse": "an index for each offset of an interval: A(R(x)) = x",
    "logical_divide": "each mode becomes (inside a tile, from tile to tile)",
    "zipped_divide": "all that is inside a tile in mode 0, all that runs over tiles in mode 1",
    "tiled_divide": "all that is inside a tile in mode 0, then one mode for each way over tiles",
    "flat_divide": "one mode for each way inside a tile, then one for each way over tiles",
    "logical_product": "each mode becomes (inside the block, from copy to copy)",
    "zipped_product": "the block in mode 0, what runs over its copies in mode 1",
    "tiled_product": "the block in mode 0, then one mode for each way over its copies",
    "flat_product": "one mode for each way inside the block, then one for each way over its copies",
    "blocked_product": "the copies stand side by side, each block whole",
    "raked_product": "the copies are interleaved: neighbours come from different copies",
}


def number(x: Any) -> str:
    """Return an int as text, without the mark of a static one."""
    if is_tuple(x):
        return text_of(x)
    return str(int(x)) if isinstance(x, int) and not isinstance(x, SymbolicInt) else str(x)


def factor(x: Any) -> str:
    """Return an int as a factor of a product: a number, a name, or an expression in brackets."""
    text = number(x)
    return text if text.isdecimal() or text.isidentifier() else f"({text})"


def _times(x: Any, y: Any) -> str:
    """``3 * 8 = 24``."""
    return f"{factor(x)} * {factor(y)} = {number(x * y)}"


def _over(x: Any, y: Any) -> str:
    """``6 / 3 = 2``."""
    return f"{factor(x)} / {factor(y)} = {number(x // y)}"


# --- composition ------------------------------------------------------------------------------


def _composition(steps: Sequence[CompositionStep]) -> Iterator[str]:
    before: int | None = None
    for step in steps:
        is_rest = step.mode == before and step.action != "run"
        before = step.mode
        head = (
            f"{'The rest of mode' if is_rest else 'Mode'} {step.mode} of B, {step.shape}:{step.stride},"
        )
        yield f"{head} {_COMPOSITION[step.action](step)}"


def every(step: Any) -> str:
    """``every 3rd index``."""
    if known_eq(step, 1) is True:
        return "every index"
    text = number(step)
    if not text.isdecimal():
        return f"one index in {factor(step)}"
    last = "th" if text[-2:-1] == "1" else {"1": "st", "2": "nd", "3": "rd"}.get(text[-1], "th")
    return f"every {text}{last} index"


def _passes(step: CompositionStep) -> str:
    e, n = step.stride, step.left_shape
    return (
        f"takes {every(e)}. It steps over the whole of A's mode {step.left}, {n}:{step.left_stride}."
        f" Along the next mode of A it takes {every(e // n)}, as {_over(e, n)}."
    )


def _splits(step: CompositionStep) -> str:
    s, e, n, d = step.shape, step.stride, step.left_shape, step.left_stride
    assert step.taken is not None
    count = step.taken.shape
    return (
        f"takes {every(e)}. A's mode {step.left}, {n}:{d}, has {_over(n, e)} of them,"
        f" {_times(e, d)} apart: {step.taken}. The next mode of A repeats them {_over(s, count)} times."
    )


def _fits(step: CompositionStep) -> str:
    s, e, n, d = step.shape, step.stride, step.left_shape, step.left_stride
    if step.left is None:
        return f"does not move. It stays at offset 0: {step.taken}."
    if known_eq(s, 0) is True:
        return f"has no index: {step.taken}."
    if known_lt(s, 2) is True:
        return f"has one index, with the stride {_times(e, d)}: {step.taken}."
    if n is None:
        where = f"A's last mode, of stride {number(d)}, has no end"
    else:
        where = f"The last one, {_times(s - 1, e)}, is inside A's mode {step.left}, {n}:{d}"
    return f"takes {every(e)}. {where}, so all {number(s)} fit, {_times(e, d)} apart: {step.taken}."


def _runs(step: CompositionStep) -> str:
    assert step.taken is not None
    e, t = number(step.stride), number(step.taken.stride)
    return f"takes {every(step.stride)}. A is linear there, and A({e}) = {t}: {step.taken}."


_COMPOSITION: Final[dict[str, Callable[[CompositionStep], str]]] = {
    "pass": _passes,
    "split": _splits,
    "fit": _fits,
    "run": _runs,
}


# --- coalesce, complement, inverses -----------------------------------------------------------


def _coalesce(steps: Sequence[CoalesceStep]) -> Iterator[str]:
    last: Any = None
    for step in steps:
        of = f"{step.shape}:{step.stride}"
        now = modes_of(step.so_far)[-1]
        if step.action == "skip":
            yield f"{of} has one coordinate and never moves: it is left out. So far {step.so_far}."
            continue
        if last is None or (step.action == "keep" and known_eq(last.shape, 1) is True):
            yield f"{of} is the first that moves. So far {step.so_far}."
        elif step.action == "merge":
            yield (
                f"{of} goes on where {last} ends, at {_times(last.shape, last.stride)}: the two are"
                f" one, {now}. So far {step.so_far}."
            )
        else:
            yield (
                f"{of} does not go on where {last} ends, at {_times(last.shape, last.stride)}: it"
                f" stays a mode. So far {step.so_far}."
            )
        last = now


def _complement(steps: Sequence[ComplementStep], target: tuple[Any, ...] = ()) -> Iterator[str]:
    *below, last = steps
    for step in below:
        s, d, end = step.shape, step.stride, number(step.end)
        begins, filled = f"{s}:{d} begins at {number(d)}", f"Filled up to {_times(s, d)}."
        if known_eq(d, step.end) is True:
            yield f"{begins}, where the offsets filled so far end: no gap. {filled}"
            continue
        is_whole = known_divides(step.end, d) is True
        count = _over(d, step.end) if is_whole else f"{number(d)} // {end} = {number(step.gap)}"
        if step.taken is None:
            yield f"{begins}, those before end at {end}: {count}, no other whole block fits. {filled}"
        else:
            yield f"{begins}; below it fit {count} blocks of {end}: it takes {step.taken}. {filled}"
    end, gap = last.end, last.gap
    takes = "it is filled" if last.taken is None else f"it takes {last.taken}"
    if not target or target[0] is None:
        yield f"Nothing is asked for above {number(end)}: {'no mode' if last.taken is None else takes}."
    elif is_tuple(target[0]):
        blocks = f"{number(gap)} blocks of {number(end)}"
        yield f"The range of {tiler_text(target[0])} holds {blocks}, in each mode rounded up: {takes}."
    else:
        n = number(target[0])
        if known_divides(end, target[0]) is True:
            yield f"The range of {n} holds {_over(target[0], end)} blocks of {number(end)}: {takes}."
        else:
            blocks = f"{number(gap)} blocks of {number(end)}"
            sure = "" if known_divides(end, target[0]) is False else "perhaps "
            yield f"The range of {n} takes {blocks} to cover, the last of them {sure}not whole: {takes}."


def _inverse(steps: Sequence[InverseStep]) -> Iterator[str]:
    for step in steps:
        s, d, p = step.shape, step.stride, step.index
        if s is None:
            assert step.taken is not None
            least = number(step.taken.shape)
            yield f"Offsets below {least}, the least stride, add nothing to the index: {step.taken}."
            continue
        if step.taken is not None:
            count = step.taken.shape
            why = ""
            if known_lt(count, s) is True:
                why = f", for {number(count)} of its {number(s)} steps until the next mode begins"
            elif step.end is None and known_lt(s, count) is True:
                why = f", up to {number(count)} steps, where the next mode begins"
            head = f"{s}:{d} adds {number(d)} to the offset where it adds {number(p)} to the index"
            yield f"{head}{why}. The inverse has {step.taken}."
        elif step.end is not None and known_lt(step.end, d) is True:
            end = number(step.end)
            yield (
                f"{s}:{d} is left out. It begins at offset {number(d)}, the modes before it end at"
                f" {end}, and no index has the offset {end}."
            )
        elif known_lt(d, 0) is True:
            yield f"{s}:{d} is left out. Its stride is negative, and the interval begins at 0."
        else:
            yield f"{s}:{d} is left out. The modes before it reach its offsets."


_STEPS: Final[dict[type, Callable[[Any], Iterator[str]]]] = {
    CoalesceStep: _coalesce,
    CompositionStep: _composition,
    ComplementStep: _complement,
    InverseStep: _inverse,
}


# --- operations made of others ---------------------------------------------------------------


def _divide(derivation: Derivation) -> Iterator[str]:
    layout, by = derivation.arguments
    rest, _both = derivation.parts
    tile, over = modes_of(derivation.result)
    yield f"The tile {by} picks {number(by.size)} of the {number(layout.size)} indices of A."
    yield (
        f"Its complement in {number(layout.size)} is {rest.result}: it runs over"
        f" {number(rest.result.size)} tiles."
    )
    yield f"A o (tile, complement): {tile} inside a tile, {over} from tile to tile."


def _product(derivation: Derivation) -> Iterator[str]:
    block, over = derivation.arguments
    rest, copies = derivation.parts
    target = _times(block.size, over.cosize)
    yield f"The block {block} holds {number(block.size)} elements."
    yield f"In a range of {target} it leaves {rest.result} free: its complement."
    yield (
        f"The {number(over.size)} copies are taken from what is free as {over} says:"
        f" {rest.result} o {over} = {copies.result}."
    )


def _form_sentence(derivation: Derivation, kind: str) -> str:
    whole = derivation.parts[0].result
    inside = "inside a tile" if kind == "divide" else "inside a block"
    over = "the tiles" if kind == "divide" else "the copies"
    return f"The logical form is {whole}; what is {inside} comes first, what runs over {over} after it."


def _pair_sentence(derivation: Derivation) -> str:
    block, copies = modes_of(derivation.parts[0].result)
    first, second = "the block's", "the copies'"
    if derivation.operation == "raked_product":
        first, second = second, first
    return f"Block {block}, copies {copies}: each mode of the result is {first} mode, then {second}."


def _by_mode(derivation: Derivation) -> Iterator[str]:
    layout, tilers = derivation.arguments
    if derivation.operation.startswith(("zipped", "tiled", "flat")):
        yield _form_sentence(derivation, derivation.operation.rpartition("_")[2])
        return
    modes = modes_of(layout)
    parts = iter(derivation.parts)
    for i, (mode, tiler) in enumerate(zip(modes, tilers)):  # noqa: B905 (modes past the tilers follow)
        if is_left_alone(tiler):
            yield f"Mode {i}, {mode}, stays as it is."
        else:
            yield f"Mode {i}, {mode}, by {tiler_text(tiler)}: {next(parts).result}."
    past = range(len(tilers), len(modes))
    if past:
        names = " and ".join(map(str, past))
        many, verb = ("s", "") if len(past) > 1 else ("", "s")
        what = f"drop{verb} out" if derivation.operation == "composition" else f"stay{verb}"
        yield f"Mode{many} {names} {what}: there is no tiler for {'them' if many else 'it'}."
