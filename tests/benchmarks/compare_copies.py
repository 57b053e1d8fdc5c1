"""Arrays packed, unpacked and relaid, beside numpy's copy of as many bytes. Prints a table.

Run: python tests/benchmarks/compare_copies.py [WORD ...], for all rows or those whose name has a word

Each work of a matrix of 4096 x 4096 elements runs in turns with ``np.copyto``, on one thread; the least
times are compared: "warm" writes memory that was written before, "new" what has just been allocated.
"offsets" indexes memory by the table of all offsets. The compiled executor needs tla-layouts-fast, and
the columns of the peers need torch and jax. The second table times plans, the third two threads.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import tla
from tla.arrays import moving
from tla.arrays.strided import Memory
from tla.moves import layout_of

N = 4096
ROUNDS = 25


class Row(NamedTuple):
    """A copy: its name, the bytes of an element, and a layout on each side."""

    name: str
    width: int
    source: str
    target: str


ROWS = [
    Row("`T(8,128)` f32", 4, "f32[N,N]{1,0}", "f32[N,N]{1,0:T(8,128)}"),
    Row("zN u16", 2, "u16[N,N]{1,0}", "zN<uint16_t>(N,N)"),
    Row("nZ u16", 2, "u16[N,N]{1,0}", "nZ<uint16_t>(N,N)"),
    Row("`T(8,128)(2,1)` u16", 2, "u16[N,N]{1,0}", "u16[N,N]{1,0:T(8,128)(2,1)}"),
    Row("`T(8,128)(4,1)` s8", 1, "s8[N,N]{1,0}", "s8[N,N]{1,0:T(8,128)(4,1)}"),
    Row("transpose f32", 4, "f32[N,N]{1,0}", "f32[N,N]{0,1}"),
]
ROWS += [Row(f"{row.name}, unpacked", row.width, row.target, row.source) for row in ROWS]
ROWS += [
    Row("`T(8,128)` to `T(8,128)(2,1)` u16", 2, "u16[N,N]{1,0:T(8,128)}", "u16[N,N]{1,0:T(8,128)(2,1)}"),
    Row("zN to nZ u16", 2, "zN<uint16_t>(N,N)", "nZ<uint16_t>(N,N)"),
    Row("zN to zZ u16", 2, "zN<uint16_t>(N,N)", "zZ<uint16_t>(N,N)"),
]

Work = Callable[[], Any]


def least(works: dict[str, Work]) -> dict[str, float]:
    """The least time of each, run in turns."""
    times = dict.fromkeys(works, float("inf"))
    for _round in range(ROUNDS):
        for name, work in works.items():
            start = perf_counter()
            kept = work()
            times[name] = min(times[name], perf_counter() - start)
            del kept
    return times


def use(module: Any, executor: Any) -> None:
    """Let a module move by the compiled executor, or by numpy where that is None."""
    module.compiled = lambda: executor


def into_new(move: Callable[[Any], Any], count: int, dtype: Any) -> Work:
    def work() -> Any:
        made = np.empty(count, dtype)
        move(made)
        return made

    return work


def by_executor(fast: Any, plan: Any, source: Any, threads: int = 1) -> Callable[..., None]:
    """A function that moves a plan into memory, by numpy where ``fast`` is None."""

    def move(target: Any, is_new: bool = True) -> None:
        use(moving, fast)
        moving.move(plan, Memory(source), Memory(target, 0, is_new), threads=threads)

    return move


def by_torch(a: Any, b: Any, source: Any, target: Any) -> Work | None:
    """torch's copy between two views at strides; None where there is no torch, or no such views."""
    torch: Any = None
    with suppress(ImportError):
        torch = import_module("torch")
    if torch is None:
        return None
    loops = next(iter(tla.copy_plan(a, b).boxes or ())).loops
    torch.set_num_threads(1)
    flat = [torch.from_numpy(each.view(f"i{each.itemsize}")) for each in (source, target)]
    extents = [loop.extent for loop in loops]
    ours = flat[1].as_strided(extents, [loop.target for loop in loops])
    theirs = flat[0].as_strided(extents, [loop.source for loop in loops])
    return lambda: ours.copy_(theirs)


def by_jax(plan: Any, source: Any) -> Work | None:
    """jax's transpose of the loops of a plan, compiled, on one core; None where there is no jax."""
    jax: Any = None
    with suppress(ImportError):
        jax = import_module("jax")
    if jax is None or not plan.boxes:
        return None
    loops = sorted(plan.boxes[0].loops, key=lambda loop: -loop.source)
    order = sorted(range(len(loops)), key=lambda i: -loops[i].target)
    extents = [loop.extent for loop in loops]
    run = jax.jit(lambda x: x.reshape(extents).transpose(order).reshape(-1))
    given = jax.device_put(source)
    return lambda: run(given).block_until_ready()


def row_of(row: Row, fast: Any) -> list[str]:
    a, b = (layout_of(text.replace("N,N", f"{N},{N}")) for text in (row.source, row.target))
    plan = tla.copy_plan(a, b)
    dtype = np.dtype(f"u{row.width}")
    source = np.arange(N * N).astype(dtype)
    target, plain = np.zeros(N * N, dtype), np.zeros(N * N, dtype)
    ours = by_executor(None, plan, source)
    theirs = by_executor(fast, plan, source)
    read, written = tla.offsets(a), tla.offsets(b)
    works: dict[str, Work | None] = {
        "copy": lambda: np.copyto(plain, source),
        "new copy": into_new(lambda made: np.copyto(made, source), N * N, dtype),
        "numpy": lambda: ours(target, False),
        "new numpy": into_new(ours, N * N, dtype),
        "fast": fast and (lambda: theirs(target, False)),
        "new fast": fast and into_new(theirs, N * N, dtype),
        "torch": by_torch(a, b, source, target),
        "jax": by_jax(plan, source),
    }
    times = least({name: work for name, work in works.items() if work})
    start = perf_counter()
    target[written] = source[read]
    times["offsets"] = perf_counter() - start

    def ratio(name: str) -> str:
        base = times["new copy" if name == "jax" or name.startswith("new") else "copy"]
        return f"{times[name] / base:.2f}" if name in times else ""

    pairs = [f"{ratio(name)} / {ratio(f'new {name}')}" for name in ("numpy", "fast")]
    return [row.name, ratio("offsets"), *pairs, ratio("torch"), ratio("jax")]


def bits_rows(fast: Any) -> list[list[str]]:
    """Elements of 4 bits, a byte each, packed two to a byte, and unpacked."""
    from tla.arrays import bits

    dtype = np.dtype(np.uint8)  # each byte is checked then: it may not fit in 4 bits
    with suppress(ImportError):
        dtype = np.dtype(import_module("ml_dtypes").uint4)
    values = (np.arange(N * N) % 16).astype(np.uint8).view(dtype)
    packed, plain = np.empty(N * N // 2, np.uint8), np.empty_like(values)

    def pack(executor: Any) -> Work:
        def work() -> None:
            use(bits, executor)
            tla.pack_bits(values, 4, out=packed)

        return work

    def unpack(executor: Any) -> Work:
        def work() -> None:
            use(bits, executor)
            tla.unpack_bits(packed, dtype, len(values), 4, out=plain)

        return work

    rows = []
    for name, make in ((f"{dtype}, two to a byte", pack), (f"{dtype}, unpacked", unpack)):
        times = least(
            {"copy": lambda: np.copyto(plain, values), "numpy": make(None), "fast": make(fast)}
        )
        ratios = [f"{times[each] / times['copy']:.2f}" for each in ("numpy", "fast")]
        rows.append([name, "", ratios[0], ratios[1] if fast else "", "", ""])
    return rows


def plan_rows() -> list[list[str]]:
    """What making a plan takes, in microseconds."""
    nested = tla.Layout(((4, 2), (4, 3)), ((4, 16), (1, 32)))
    rows: list[tuple[str, Any, Any]] = [
        ("`((4,2),(4,3)):((4,16),(1,32))`", tla.row_major(8, 12), nested),
        ("zN 4096 x 4096", tla.row_major(N, N), tla.zN(N, N)),
        (
            "`bf16[100,100]{1,0:T(8,128)(2,1)}`",
            tla.row_major(100, 100),
            layout_of("bf16[100,100]{1,0:T(8,128)(2,1)}"),
        ),
    ]
    found = []
    for name, a, b in rows:
        times = []
        for _round in range(200):
            start = perf_counter()
            for _i in range(5):
                tla.copy_plan(a, b)
            times.append((perf_counter() - start) / 5)
        found.append([name, f"{min(times) * 1e6:.0f}"])
    return found


def thread_rows(fast: Any) -> list[list[str]]:
    """Two threads, of one."""
    found = []
    for row in ROWS[:6]:
        a, b = (layout_of(text.replace("N,N", f"{N},{N}")) for text in (row.source, row.target))
        plan, dtype = tla.copy_plan(a, b), np.dtype(f"u{row.width}")
        source, target = np.arange(N * N).astype(dtype), np.zeros(N * N, dtype)
        cells = []
        for executor in (None, fast) if fast else (None,):
            moves = {n: by_executor(executor, plan, source, n) for n in (1, 2)}
            works: dict[str, Work] = {str(n): partial(move, target, False) for n, move in moves.items()}
            times = least(works)
            cells.append(f"{times['2'] / times['1']:.2f}")
        found.append([row.name, *cells])
    return found


def table(head: list[str], rows: list[list[str]]) -> None:
    print("|", " | ".join(head), "|")
    print("|", " | ".join("---" for _each in head), "|")
    for row in rows:
        print("|", " | ".join(row), "|")
    print(flush=True)


def main(words: list[str]) -> None:
    fast = moving.compiled()
    rows = [row for row in ROWS if not words or any(word in row.name for word in words)]
    cells = [row_of(row, fast) for row in rows]
    if not words:
        cells += bits_rows(fast)
    head = ["work", "offsets", "numpy, warm / new", "compiled, warm / new", "torch, warm", "jax, new"]
    table(head, cells)
    if not words:
        table(["plan of", "us"], plan_rows())
        table(["two threads, of one", "numpy", "compiled"][: 2 + bool(fast)], thread_rows(fast))


if __name__ == "__main__":
    main(sys.argv[1:])
