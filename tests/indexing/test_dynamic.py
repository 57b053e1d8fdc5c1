"""dynamic-slice and dynamic-update-slice against numpy, and the maps of several of them."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from cases import over, shapes_as_written, share

from tla.errors import UnsupportedError
from tla.hlo import read_instruction
from tla.indexing import compose
from tla.indexing.dependences import output_to_input

from .agreement import agree, reader
from .truth import pairs

if TYPE_CHECKING:
    from .truth import Pairs

np = pytest.importorskip("numpy")


def box(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(product(*map(range, shape)))


def text(shape: tuple[int, ...], kind: str = "f32") -> str:
    return f"{kind}[{','.join(map(str, shape))}]"


def numbered(shape: tuple[int, ...]) -> Any:
    return np.array(np.arange(int(np.prod(shape))).reshape(shape))


def starts_of(rng: random.Random, shape: tuple[int, ...], as_vector: bool) -> tuple[str, dict[str, Any]]:
    """The text of start operands, and random values for them, many of them far outside."""
    values = [rng.randint(-3, n + 3) for n in shape]
    if as_vector:
        return f"s32[{len(shape)}] %at", {"at": np.array(values, dtype=int)}
    names = [f"of{k}" for k in range(len(shape))]
    return ", ".join(f"s32[] %{name}" for name in names), {
        name: np.array(value) for name, value in zip(names, values, strict=True)
    }


def starts_truth(out: tuple[int, ...], rank: int, as_vector: bool) -> list[Pairs]:
    """Each start is read for each element."""
    if as_vector:
        return [{(o, (k,)) for o in box(out) for k in range(rank)}]
    return [{(o, ()) for o in box(out)} for _ in range(rank)]


def clipped(values: dict[str, Any], as_vector: bool, sizes: Any, window: Any) -> list[int]:
    given = list(values["at"]) if as_vector else [int(v) for v in values.values()]
    return [min(max(v, 0), n - w) for v, n, w in zip(given, sizes, window, strict=True)]


@over("seed", range(share(240)))
def test_dynamic_slice_reads_the_slice_moved_inside(seed: int) -> None:
    rng = random.Random(seed)
    shape = tuple(rng.randint(1, 5) for _ in range(rng.randint(0, 3)))
    window = tuple(rng.randint(0 if rng.random() < 0.1 else 1, n) for n in shape)
    as_vector = rng.random() < 0.3
    operands, values = starts_of(rng, shape, as_vector)
    at = clipped(values, as_vector, shape, window)
    ids = numbered(shape)
    cut = ids[tuple(slice(a, a + w) for a, w in zip(at, window, strict=True))]
    true = {(o, tuple(map(int, np.argwhere(ids == cut[o])[0]))) for o in box(window)}
    given = ", ".join(filter(None, [f"{text(shape)} %x", operands]))
    sizes = ",".join(map(str, window))
    line = f"%y = {text(window)} dynamic-slice({given}), dynamic_slice_sizes={{{sizes}}}"
    agree(line, values, [true, *starts_truth(window, len(shape), as_vector)])


@over("seed", range(share(240)))
def test_dynamic_update_slice_splits_its_box(seed: int) -> None:
    rng = random.Random(seed)
    shape = tuple(rng.randint(1, 5) for _ in range(rng.randint(0, 3)))
    window = tuple(rng.randint(0 if rng.random() < 0.1 else 1, n) for n in shape)
    as_vector = rng.random() < 0.3
    operands, values = starts_of(rng, shape, as_vector)
    at = clipped(values, as_vector, shape, window)
    result = np.array(-1 - numbered(shape))  # the source is below 0, the update is not
    result[tuple(slice(a, a + w) for a, w in zip(at, window, strict=True))] = numbered(window)
    flat = dict(enumerate(box(window)))
    source = {(o, o) for o in box(shape) if result[o] < 0}
    update = {(o, flat[int(result[o])]) for o in box(shape) if result[o] >= 0}
    given = ", ".join(filter(None, [f"{text(shape)} %x, {text(window)} %u", operands]))
    line = f"%y = {text(shape)} dynamic-update-slice({given})"
    agree(line, values, [source, update, *starts_truth(shape, len(shape), as_vector)])
    pieces = output_to_input(read_instruction(line))[0]
    assert sum(len(pairs([m], reader(values))) for m in pieces) == len(source), "they are disjoint"


def test_the_maps_as_text() -> None:
    (data, *starts) = output_to_input(
        read_instruction(
            "%ds = s32[1,2,32] dynamic-slice(s32[2,2,258] %src, s32[] %of1, s32[] %of2, s32[] %of3),"
            " dynamic_slice_sizes={1,2,32}"
        )
    )
    assert [str(m) for m in data] == [
        "(d0, d1, d2){rt0, rt1, rt2} -> (d0 + rt0, d1 + rt1, d2 + rt2), domain: "
        "d0 in [0, 0], d1 in [0, 1], d2 in [0, 31], rt0 in [0, 1], rt1 in [0, 0], rt2 in [0, 226]"
    ]
    whole = "(d0, d1, d2) -> (), domain: d0 in [0, 0], d1 in [0, 1], d2 in [0, 31]"
    assert [[str(m) for m in maps] for maps in starts] == [[whole]] * 3

    source, update, *starts = output_to_input(
        read_instruction(
            "%dus = s32[20,30] dynamic-update-slice(s32[20,30] %src, s32[5,10] %upd, "
            "s32[] %of1, s32[] %of2)"
        )
    )
    box_text = "domain: d0 in [0, 19], d1 in [0, 29]"
    assert [str(m) for m in source] == [
        f"(d0, d1){{rt0}} -> (d0, d1), {box_text}, rt0 in [0, 15], d0 - rt0 in [-15, -1]",
        f"(d0, d1){{rt0}} -> (d0, d1), {box_text}, rt0 in [0, 15], d0 - rt0 in [5, 19]",
        f"(d0, d1){{rt0, rt1}} -> (d0, d1), {box_text}, rt0 in [0, 15], rt1 in [0, 20], "
        "d0 - rt0 in [0, 4], d1 - rt1 in [-20, -1]",
        f"(d0, d1){{rt0, rt1}} -> (d0, d1), {box_text}, rt0 in [0, 15], rt1 in [0, 20], "
        "d0 - rt0 in [0, 4], d1 - rt1 in [10, 29]",
    ]
    assert [str(m) for m in update] == [
        f"(d0, d1){{rt0, rt1}} -> (d0 - rt0, d1 - rt1), {box_text}, rt0 in [0, 15], rt1 in [0, 20], "
        "d0 - rt0 in [0, 4], d1 - rt1 in [0, 9]"
    ]
    assert [[str(m) for m in maps] for maps in starts] == [[f"(d0, d1) -> (), {box_text}"]] * 2


def test_without_values_the_source_is_read_wherever_a_start_leaves_it() -> None:
    line = "%y = f32[6,7] dynamic-update-slice(f32[6,7] %x, f32[2,3] %u, s32[] %a, s32[] %b)"
    source, update, *_ = output_to_input(read_instruction(line))
    assert pairs(source) == {(o, o) for o in box((6, 7))}
    assert len(pairs(update)) == 150  # no pair leads out of the update


@over("seed", range(share(120)))
def test_nested_slices_move_each_start_on_its_own(seed: int) -> None:
    """The inner slice begins where its own start is moved to, and each variable bears its own name."""
    rng = random.Random(seed)
    rank = rng.randint(1, 2)
    shape = tuple(rng.randint(3, 7) for _ in range(rank))
    middle = tuple(rng.randint(2, n) for n in shape)
    small = tuple(rng.randint(1, n) for n in middle)
    lines, values = [], {}
    for name, given, out in (("inner", shape, middle), ("outer", middle, small)):
        operand = "x" if name == "inner" else "inner"
        names = [f"{name}{k}" for k in range(rank)]
        starts = ", ".join(f"s32[] %{start}" for start in names)
        sizes = ",".join(map(str, out))
        lines.append(
            f"%{name} = {text(out)} dynamic-slice({text(given)} %{operand}, {starts}), "
            f"dynamic_slice_sizes={{{sizes}}}"
        )
        values.update({start: np.array(rng.randint(-4, 9)) for start in names})
    ((inner,), *_), ((outer,), *_) = (output_to_input(read_instruction(line)) for line in lines)
    both = compose(outer, inner)
    assert [v.source.instruction for v in both.runtime if v.source] == [
        *(f"inner{k}" for k in range(rank)),
        *(f"outer{k}" for k in range(rank)),
    ]

    ids = numbered(shape)
    cut = ids
    for name, out in (("inner", middle), ("outer", small)):
        at = [min(max(int(values[f"{name}{k}"]), 0), cut.shape[k] - w) for k, w in enumerate(out)]
        cut = cut[tuple(slice(a, a + w) for a, w in zip(at, out, strict=True))]
    true = {(o, tuple(map(int, np.argwhere(ids == cut[o])[0]))) for o in box(small)}
    assert pairs([both], reader(values)) == true


def test_one_start_for_two_slices_is_one_variable() -> None:
    (inner,), *_ = output_to_input(
        read_instruction("%a = f32[6] dynamic-slice(f32[9] %x, s32[] %i), dynamic_slice_sizes={6}")
    )
    (same,), *_ = output_to_input(
        read_instruction("%b = f32[3] dynamic-slice(f32[6] %a, s32[] %i), dynamic_slice_sizes={3}")
    )
    both = compose(same, inner)  # [0, 3] is where both are moved to: one number
    assert len(both.runtime) == 1
    (smaller,), *_ = output_to_input(
        read_instruction("%b = f32[2] dynamic-slice(f32[6] %a, s32[] %i), dynamic_slice_sizes={2}")
    )
    both = compose(smaller, inner)  # moved to [0, 3] and to [0, 4]: two numbers, of one name
    assert [str(v.source.clamp) for v in both.runtime if v.source] == ["[0, 3]", "[0, 4]"]
    for i in range(-3, 9):
        at = min(max(i, 0), 3) + min(max(i, 0), 4)
        assert pairs([both], reader({"i": np.array(i)})) == {((k,), (at + k,)) for k in range(2)}


@over("seed", range(share(60)))
def test_a_slice_of_an_update(seed: int) -> None:
    """A slice at one place of an update at another reads from both, and never out of the update."""
    rng = random.Random(seed)
    shape = tuple(rng.randint(3, 6) for _ in range(2))
    window, out = (tuple(rng.randint(1, n) for n in shape) for _ in range(2))
    starts = ", ".join(f"s32[] %a{k}" for k in range(2)), ", ".join(f"s32[] %b{k}" for k in range(2))
    updated = read_instruction(
        f"%u = {text(shape)} dynamic-update-slice({text(shape)} %x, {text(window)} %w, {starts[0]})"
    )
    sizes = ",".join(map(str, out))
    sliced = read_instruction(
        f"%y = {text(out)} dynamic-slice({text(shape)} %u, {starts[1]}), dynamic_slice_sizes={{{sizes}}}"
    )
    values = {f"{name}{k}": np.array(rng.randint(-2, 7)) for name in "ab" for k in range(2)}
    (cut,), *_ = output_to_input(sliced)
    source, update, *_ = output_to_input(updated)

    a = [
        min(max(int(values[f"a{k}"]), 0), n - w)
        for k, (n, w) in enumerate(zip(shape, window, strict=True))
    ]
    b = [
        min(max(int(values[f"b{k}"]), 0), n - w) for k, (n, w) in enumerate(zip(shape, out, strict=True))
    ]
    from_source, from_update = set(), set()
    for o in box(out):
        y, x = o[0] + b[0], o[1] + b[1]
        v, u = y - a[0], x - a[1]
        if 0 <= v < window[0] and 0 <= u < window[1]:
            from_update.add((o, (v, u)))
        else:
            from_source.add((o, (y, x)))
    read = reader(values)
    assert pairs([compose(cut, m) for m in source], read) == from_source
    assert pairs([compose(cut, m) for m in update], read) == from_update


def test_arrays_without_elements() -> None:
    empty = "%y = f32[3,0] dynamic-update-slice(f32[3,0] %x, f32[2,0] %u, s32[] %a, s32[] %b)"
    assert output_to_input(read_instruction(empty)) == [[], [], [], []]
    nothing = "%y = f32[3] dynamic-update-slice(f32[3] %x, f32[0] %u, s32[] %a)"
    source, update, start = output_to_input(read_instruction(nothing))
    assert [str(m) for m in source] == ["(d0) -> (d0), domain: d0 in [0, 2]"]
    assert not update
    assert len(start) == 1


def test_a_bounded_dim_counts_as_its_bound() -> None:
    line = "%y = f32[<=4] dynamic-slice(f32[<=6] %x, s32[] %a), dynamic_slice_sizes={4}"
    ((m,), _) = output_to_input(read_instruction(line))
    assert str(m) == "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 2]"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            "%y = f32[4] dynamic-slice(f32[3] %x, s32[] %a), dynamic_slice_sizes={4}",
            "the rule is that the slice is no larger than its operand; it has f32[3], s32[], "
            "dynamic_slice_sizes={4}",
        ),
        (
            "%y = f32[2,2] dynamic-slice(f32[3,3] %x, s32[] %a), dynamic_slice_sizes={2,2}",
            "the rule is that it has 2 starts, ints of one type; it has f32[3,3], s32[]",
        ),
        (
            "%y = f32[2] dynamic-slice(f32[3] %x, s32[1,1] %a), dynamic_slice_sizes={2}",
            "the rule is that it has 1 starts, ints of one type; it has f32[3], s32[1,1]",
        ),
        (
            "%y = f32[2] dynamic-update-slice(f32[2] %x)",
            "the rule is that its attributes have a number for each dim; it has f32[2]",
        ),
        (
            "%y = f32[2] dynamic-update-slice(f32[3] %x, f32[1] %u, s32[] %a)",
            "its operands make f32[3], and its result is f32[2]",
        ),
        ("%y = f32[?] dynamic-slice(f32[?] %x, s32[] %a)", "f32[?]{0} has a dim of unknown size"),
    ],
)
@shapes_as_written
def test_what_is_refused(line: str, why: str) -> None:
    with pytest.raises(UnsupportedError) as error:
        output_to_input(read_instruction(line))
    assert error.value.reason == why
    assert str(error.value).startswith(("instruction y: op dynamic-", "dynamic-"))
