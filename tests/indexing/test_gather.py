"""Gather in its general form against its definition, element by element."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from cases import over, shapes_as_written, share

from tla.errors import UnsupportedError
from tla.hlo import read_instruction
from tla.indexing import compose
from tla.indexing.dependences import output_to_input

from .agreement import agree, reader
from .truth import pairs

if TYPE_CHECKING:
    from .truth import Index, Pairs

np = pytest.importorskip("numpy")


class Gather(NamedTuple):
    """The numbers of a gather, as its attributes name them."""

    sizes: Index
    indices: Index
    slice_sizes: Index
    offset_dims: Index
    collapsed: Index
    batching: Index
    along_batch: Index
    targets: Index
    along: int

    @property
    def out(self) -> Index:
        through = [n for k, n in enumerate(self.slice_sizes) if k not in self.collapsed + self.batching]
        batch = [n for k, n in enumerate(self.indices) if k != self.along]
        return tuple(
            through.pop(0) if i in self.offset_dims else batch.pop(0)
            for i in range(len(through) + len(batch))
        )

    @property
    def line(self) -> str:
        def listed(ints: Index) -> str:
            return f"{{{','.join(map(str, ints))}}}"

        def shape(ints: Index) -> str:
            return f"[{','.join(map(str, ints))}]"

        batching = (
            f"operand_batching_dims={listed(self.batching)}, "
            f"start_indices_batching_dims={listed(self.along_batch)}, "
        )
        return (
            f"%y = f32{shape(self.out)} gather(f32{shape(self.sizes)} %x, s32{shape(self.indices)} %i), "
            f"offset_dims={listed(self.offset_dims)}, collapsed_slice_dims={listed(self.collapsed)}, "
            f"start_index_map={listed(self.targets)}, {batching if self.batching else ''}"
            f"index_vector_dim={self.along}, slice_sizes={listed(self.slice_sizes)}"
        )

    def truth(self, values: Any) -> list[Pairs]:
        """The pairs by the steps of the definition."""
        data: Pairs = set()
        read: Pairs = set()
        rank = len(self.sizes)
        for out in product(*map(range, self.out)):
            number = [x for i, x in enumerate(out) if i not in self.offset_dims]
            offset = [x for i, x in enumerate(out) if i in self.offset_dims]
            start = [0] * rank
            for j, target in enumerate(self.targets):
                at = list(number)
                if self.along < len(self.indices):
                    at.insert(self.along, j)
                read.add((out, tuple(at)))
                most = self.sizes[target] - self.slice_sizes[target]
                start[target] = max(0, min(int(values[tuple(at)]), most))
            for target, along in zip(self.batching, self.along_batch, strict=True):
                start[target] = number[along - (along > self.along)]
            full = [0] * rank
            for k in range(rank):
                if k not in self.collapsed and k not in self.batching:
                    full[k] = offset.pop(0)
            data.add((out, tuple(s + o for s, o in zip(start, full, strict=True))))
        return [data, read]


def random_gather(rng: random.Random, sizes: Index | None = None) -> Gather:
    if sizes is None:
        sizes = tuple(rng.randint(1, 4) for _ in range(rng.choice((0, 1, 1, 2, 2, 2, 3))))
    rank = len(sizes)
    roles = ("batching", "collapsed", "through", "through")
    role = [rng.choice(roles) if n else "through" for n in sizes]
    batching = tuple(k for k in range(rank) if role[k] == "batching")
    collapsed = tuple(k for k in range(rank) if role[k] == "collapsed")
    slice_sizes = tuple(
        rng.randint(0 if n == 0 or rng.random() < 0.05 else 1, n) if role[k] == "through" else 1
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
    through = rank - len(batching) - len(collapsed)
    numbering = len(batch) - (along < len(batch))
    offset_dims = tuple(sorted(rng.sample(range(through + numbering), through)))
    return Gather(
        sizes,
        tuple(n for n, _ in batch),
        slice_sizes,
        offset_dims,
        collapsed,
        batching,
        along_batch,
        targets,
        along,
    )


def random_indices(rng: random.Random, shape: Index) -> Any:
    """Indices of which a half lies outside of any array here."""
    flat = [rng.randint(-3, 6) for _ in range(int(np.prod(shape)))]
    return np.array(flat, dtype=int).reshape(shape)


@over("seed", range(share(400)))
def test_gather_is_its_definition(seed: int) -> None:
    rng = random.Random(seed)
    gather = random_gather(rng)
    values = random_indices(rng, gather.indices)
    agree(gather.line, {"i": values}, gather.truth(values))


def test_take_along_an_axis_is_numpys() -> None:
    """The common forms, said with numpy's own words."""
    x = np.arange(4 * 5).reshape(4, 5)
    i = np.array([[3, 0, 9], [-1, 2, 2]])
    line = (
        "%y = f32[2,3,5] gather(f32[4,5] %x, s32[2,3] %i), offset_dims={2}, collapsed_slice_dims={0}, "
        "start_index_map={0}, index_vector_dim=2, slice_sizes={1,5}"
    )
    data, _ = output_to_input(read_instruction(line))
    taken = x[np.clip(i, 0, 3)]
    assert {(o, int(x[at])) for o, at in pairs(data, reader({"i": i}))} == {
        (o, int(taken[o])) for o in product(range(2), range(3), range(5))
    }


def test_the_maps_as_text() -> None:
    line = (
        "%gather = f32[1806,7,8,4] gather(f32[33,76,70] %operand, s32[1806,2] %indices), "
        "offset_dims={1,2,3}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, "
        "slice_sizes={7,8,4}"
    )
    ((data,), (read,)) = output_to_input(read_instruction(line))
    domain = "domain: d0 in [0, 1805], d1 in [0, 6], d2 in [0, 7], d3 in [0, 3]"
    assert str(data) == (
        "(d0, d1, d2, d3){rt0, rt1} -> (d1 + rt0, d2 + rt1, d3), "
        f"{domain}, rt0 in [0, 26], rt1 in [0, 68]"
    )
    assert str(read) == f"(d0, d1, d2, d3)[s0] -> (d0, s0), {domain}, s0 in [0, 1]"
    assert data.text(sources=True).splitlines()[1:] == [
        "runtime variables:",
        "  rt0: %indices; (d0, d1, d2, d3) -> (d0, 0), clamp [0, 26]",
        "  rt1: %indices; (d0, d1, d2, d3) -> (d0, 1), clamp [0, 68]",
    ]


@over("seed", range(share(60)))
def test_a_gather_of_a_gather(seed: int) -> None:
    """Each index is read where its own gather reads it."""
    rng = random.Random(seed)
    inner = random_gather(rng)
    outer = random_gather(rng, inner.out)
    values = {name: random_indices(rng, g.indices) for name, g in (("i", inner), ("j", outer))}
    first, _ = output_to_input(read_instruction(outer.line.replace("%i", "%j")))
    second, _ = output_to_input(read_instruction(inner.line))
    through, steps = dict(outer.truth(values["j"])[0]), dict(inner.truth(values["i"])[0])
    true = {(o, steps[at]) for o, at in through.items()}
    assert pairs([compose(a, b) for a in first for b in second], reader(values)) == true


def test_arrays_without_elements() -> None:
    for line in (
        "%y = f32[0,5] gather(f32[4,5] %x, s32[0] %i), offset_dims={1}, collapsed_slice_dims={0}, "
        "start_index_map={0}, index_vector_dim=1, slice_sizes={1,5}",
        "%y = f32[3,0] gather(f32[4,5] %x, s32[3] %i), offset_dims={1}, collapsed_slice_dims={0}, "
        "start_index_map={0}, index_vector_dim=1, slice_sizes={1,0}",
        "%y = f32[0,5] gather(f32[0,5] %x, s32[0] %i), offset_dims={1}, collapsed_slice_dims={0}, "
        "start_index_map={0}, index_vector_dim=1, slice_sizes={0,5}",
    ):
        assert output_to_input(read_instruction(line)) == [[], []]


_REST = "start_index_map={0}, index_vector_dim=1"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            "%y = f32[3,5] gather(f32[4,5] %x, s32[3] %i), offset_dims={1}, "
            f"{_REST}, slice_sizes={{1,5}}",
            "it has no attribute collapsed_slice_dims",
        ),
        (
            "%y = f32[3,5] gather(f32[4,5] %x, s32[3] %i), offset_dims={1}, collapsed_slice_dims={0}, "
            f"{_REST}, slice_sizes={{2,5}}",
            "the rule is that its slices lie in the operand; it has f32[4,5], s32[3], "
            "start_index_map={0}, index_vector_dim=1, collapsed_slice_dims={0}, slice_sizes={2,5}, "
            "offset_dims={1}",
        ),
        (
            "%y = f32[3,5] gather(f32[4,5] %x, s32[3,2] %i), offset_dims={1}, collapsed_slice_dims={0}, "
            f"{_REST}, slice_sizes={{1,5}}",
            "the rule is that an index has a number for each of its dims; it has f32[4,5], "
            "s32[3,2], start_index_map={0}, index_vector_dim=1",
        ),
        (
            "%y = f32[3,5] gather(f32[4,5] %x, s32[2] %i), offset_dims={1}, collapsed_slice_dims={0}, "
            f"{_REST}, slice_sizes={{1,5}}",
            "its operands make f32[2,5], and its result is f32[3,5]",
        ),
        (
            f"%y = f32[3] gather(f32[4] %x), {_REST}, slice_sizes={{1}}",
            "the rule is that it takes 2 arrays; it has f32[4]",
        ),
        (
            f"%y = f32[3] gather(f32[4] %x, s32[3] %i), {_REST}",
            "it has no attribute collapsed_slice_dims",
        ),
        (
            "%y = f32[3] gather(f32[4] %x, s32[3] %i), slice_sizes={1}, index_vector_dim=2",
            "it has no attribute start_index_map",
        ),
        (
            "%y = f32[3] gather(f32[4] %x, s32[3] %i), slice_sizes={1}, index_vector_dim=x",
            "it has no attribute start_index_map",
        ),
    ],
)
@shapes_as_written
def test_what_is_refused(line: str, why: str) -> None:
    with pytest.raises(UnsupportedError) as error:
        output_to_input(read_instruction(line))
    assert error.value.reason == why
