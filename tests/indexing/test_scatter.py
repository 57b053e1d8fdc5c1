"""Scatter in its general form against its definition, update by update."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from cases import over, share

from tla.errors import UnsupportedError
from tla.hlo import read_instruction
from tla.indexing.dependences import output_to_input

from .agreement import agree, reader
from .truth import pairs

if TYPE_CHECKING:
    from .truth import Index, Pairs

np = pytest.importorskip("numpy")


def listed(ints: Index) -> str:
    return f"{{{','.join(map(str, ints))}}}"


def shape(ints: Index) -> str:
    return f"[{','.join(map(str, ints))}]"


class Scatter(NamedTuple):
    """The numbers of a scatter, as its attributes name them; ``window`` is 1 along dims left out."""

    sizes: Index
    indices: Index
    window: Index
    window_dims: Index
    inserted: Index
    batching: Index
    along_batch: Index
    targets: Index
    along: int
    arrays: int = 1

    @property
    def updates(self) -> Index:
        through = [n for k, n in enumerate(self.window) if k not in self.inserted + self.batching]
        batch = [n for k, n in enumerate(self.indices) if k != self.along]
        return tuple(
            through.pop(0) if i in self.window_dims else batch.pop(0)
            for i in range(len(through) + len(batch))
        )

    @property
    def line(self) -> str:
        batching = (
            f"input_batching_dims={listed(self.batching)}, "
            f"scatter_indices_batching_dims={listed(self.along_batch)}, "
        )
        each = [f"f32{shape(self.sizes)}"] * self.arrays
        result = each[0] if self.arrays == 1 else f"({', '.join(each)})"
        operands = ", ".join(
            [
                *(f"{array} %x{i}" for i, array in enumerate(each)),
                f"s32{shape(self.indices)} %i",
                *(f"f32{shape(self.updates)} %u{i}" for i in range(self.arrays)),
            ]
        )
        return (
            f"%y = {result} scatter({operands}), update_window_dims={listed(self.window_dims)}, "
            f"inserted_window_dims={listed(self.inserted)}, "
            f"scatter_dims_to_operand_dims={listed(self.targets)}, "
            f"{batching if self.batching else ''}index_vector_dim={self.along}, to_apply=%f"
        )

    def starts(self, number: Index, values: Any) -> tuple[list[int], list[Index]]:
        """Where the window of an update begins, and the entries of indices that say so."""
        start = [0] * len(self.sizes)
        read: list[Index] = []
        for j, target in enumerate(self.targets):
            at = list(number)
            if self.along < len(self.indices):
                at.insert(self.along, j)
            start[target] = int(values[tuple(at)])
            read.append(tuple(at))
        for target, along in zip(self.batching, self.along_batch, strict=True):
            start[target] = number[along - (along > self.along)]
        return start, read

    def truth(self, values: Any) -> list[Pairs]:
        """Walk through the updates: those of a window that leaves the operand are not written."""
        updates: Pairs = set()
        for update in product(*map(range, self.updates)):
            number = tuple(x for i, x in enumerate(update) if i not in self.window_dims)
            offset = [x for i, x in enumerate(update) if i in self.window_dims]
            start, _read = self.starts(number, values)
            if all(0 <= s <= n - w for s, n, w in zip(start, self.sizes, self.window, strict=True)):
                full = [
                    s + (0 if k in self.inserted + self.batching else offset.pop(0))
                    for k, s in enumerate(start)
                ]
                updates.add((tuple(full), update))
        kept = {(o, o) for o in product(*map(range, self.sizes))}
        return [kept] * self.arrays + [self.read(values)] + [updates] * self.arrays

    def read(self, values: Any) -> Pairs:
        """Each output reads the vectors of the windows that lie on it for some values of the indices."""
        out: Pairs = set()
        if 0 in self.updates:
            return out
        numbers = product(*(range(n) for k, n in enumerate(self.indices) if k != self.along))
        for number in numbers:
            start, read = self.starts(number, values)
            spans = [
                range(n) if k in self.targets else range(s, s + w)
                for k, (s, n, w) in enumerate(zip(start, self.sizes, self.window, strict=True))
            ]
            out |= {(o, at) for o in product(*spans) for at in read}
        return out


def random_scatter(rng: random.Random) -> Scatter:
    rank = rng.choice((0, 1, 1, 2, 2, 2, 3))
    sizes = tuple(rng.randint(1, 4) for _ in range(rank))
    role = [rng.choice(("batching", "inserted", "through", "through")) for _ in range(rank)]
    batching = tuple(k for k in range(rank) if role[k] == "batching")
    inserted = tuple(k for k in range(rank) if role[k] == "inserted")
    window = tuple(
        rng.randint(0 if rng.random() < 0.05 else 1, n) if role[k] == "through" else 1
        for k, n in enumerate(sizes)
    )
    free = [k for k in range(rank) if k not in batching]
    targets = tuple(rng.sample(free, rng.randint(min(1, len(free)), len(free))))
    batch: list[tuple[int, int | None]] = [(rng.randint(1, 3), None) for _ in range(rng.randint(0, 2))]
    batch += [(sizes[k], k) for k in batching]
    rng.shuffle(batch)
    if len(targets) == 1 and rng.random() < 0.5:
        along = len(batch)
    else:
        along = rng.randint(0, len(batch))
        batch.insert(along, (len(targets), None))
    along_batch = tuple(next(i for i, (_, of) in enumerate(batch) if of == k) for k in batching)
    through = rank - len(batching) - len(inserted)
    numbering = len(batch) - (along < len(batch))
    return Scatter(
        sizes,
        tuple(n for n, _ in batch),
        window,
        tuple(sorted(rng.sample(range(through + numbering), through))),
        inserted,
        batching,
        along_batch,
        targets,
        along,
        rng.choice((1, 1, 2)),
    )


@over("seed", range(share(400)))
def test_scatter_is_its_definition(seed: int) -> None:
    rng = random.Random(seed)
    scatter = random_scatter(rng)
    flat = [rng.randint(-1, 4) for _ in range(int(np.prod(scatter.indices)))]
    values = np.array(flat, dtype=int).reshape(scatter.indices)
    for output in range(scatter.arrays):
        agree(scatter.line, {"i": values}, scatter.truth(values), output)


@over("seed", range(share(100)))
def test_adding_up_is_numpys(seed: int) -> None:
    """A scatter of windows, summed: with ones at one place after the other its map says it all."""
    rng = random.Random(seed)
    n, w, count = rng.randint(2, 6), rng.randint(1, 2), rng.randint(1, 3)
    at = [rng.randint(-2, n) for _ in range(count)]
    line = (
        f"%y = f32[{n}] scatter(f32[{n}] %x, s32[{count},1] %i, f32[{count},{w}] %u), "
        "update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, "
        "index_vector_dim=1, to_apply=%add"
    )
    x, u = (np.array([rng.randint(-99, 99) for _ in range(k)]) for k in (n, count * w))
    u = u.reshape(count, w)
    result = np.array(x)
    for j, start in enumerate(at):
        if 0 <= start <= n - w:
            result[start : start + w] += u[j]
    kept, _, added = output_to_input(read_instruction(line))
    read = reader({"i": np.array(at).reshape(count, 1)})
    for o in range(n):
        total = sum(int(x[i]) for out, i in pairs(kept, read) if out == (o,))
        total += sum(int(u[i]) for out, i in pairs(added, read) if out == (o,))
        assert total == result[o]


def test_the_maps_as_text() -> None:
    line = (
        "%y = f32[8,16] scatter(f32[8,16] %x, s32[5,1] %i, f32[5,16] %u), update_window_dims={1}, "
        "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%add"
    )
    (kept,), (told,), (added,) = output_to_input(read_instruction(line))
    domain = "domain: d0 in [0, 7], d1 in [0, 15]"
    assert str(kept) == f"(d0, d1) -> (d0, d1), {domain}"
    assert str(told) == f"(d0, d1)[s0, s1] -> (s0, s1), {domain}, s0 in [0, 4], s1 in [0, 0]"
    assert added.text(sources=True) == (
        f"(d0, d1)[s0]{{rt0}} -> (s0, d1), {domain}, s0 in [0, 4], rt0 in [0, 7], d0 - rt0 in [0, 0]\n"
        "runtime variables:\n"
        "  rt0: %i; (d0, d1)[s0]{rt0} -> (s0, 0)"
    )


def test_arrays_without_elements() -> None:
    line = (
        "%y = f32[4] scatter(f32[4] %x, s32[0] %i, f32[0] %u), update_window_dims={}, "
        "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%add"
    )
    kept, *others = output_to_input(read_instruction(line))
    assert [str(m) for m in kept] == ["(d0) -> (d0), domain: d0 in [0, 3]"]
    assert others == [[], []]
    empty = line.replace("f32[4]", "f32[0]")
    assert output_to_input(read_instruction(empty)) == [[], [], []]


_REST = "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%add"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            "%y = f32[4] scatter(f32[4] %x, s32[3] %i, f32[3] %u), update_window_dims={}, "
            f"inserted_window_dims={{}}, {_REST}",
            "the rule is that its attributes have a number for each dim; it has f32[4], s32[3], "
            "f32[3], update_window_dims={}, inserted_window_dims={}, "
            "scatter_dims_to_operand_dims={0}, index_vector_dim=1",
        ),
        (
            f"%y = f32[4] scatter(f32[4] %x, s32[3] %i, f32[3,5] %u), update_window_dims={{1}}, {_REST}",
            "it has no attribute inserted_window_dims",
        ),
        (
            "%y = f32[4] scatter(f32[4] %x, s32[3] %i, f32[2] %u), update_window_dims={}, "
            f"inserted_window_dims={{0}}, {_REST}",
            "the rule is that its updates lie in the operand; it has f32[4], s32[3], f32[2], "
            "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
            "index_vector_dim=1",
        ),
        (
            f"%y = f32[4] scatter(f32[4] %x, s32[3] %i), {_REST}",
            "the rule is that it takes arrays, indices, and as many updates; it has f32[4], s32[3]",
        ),
        (
            "%y = f32[4] scatter(f32[4] %x, s32[3] %i, f32[3] %u), index_vector_dim=x, to_apply=%add",
            "it has no attribute update_window_dims",
        ),
    ],
)
def test_what_is_refused(line: str, why: str) -> None:
    with pytest.raises(UnsupportedError) as error:
        output_to_input(read_instruction(line))
    assert error.value.reason == why
