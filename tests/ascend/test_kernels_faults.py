# SPDX-License-Identifier: Apache-2.0
"""Faults planted in recorded kernels: each is found, with its lines, bytes and edge."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tla import get_tile, tile_view
from tla.ascend.kernels import Instruction, Operand, Run, kernel, read_trace, run_program, simulate

from .kernels_oracle import HERE, entries

if TYPE_CHECKING:
    from collections.abc import Callable

    from tla.ascend.kernels import Context, Finding, KernelTensor

PATHS = {entry["name"]: entry["path"] for entry in entries(HERE)}


def trace(name: str) -> list[Instruction]:
    return read_trace(PATHS[name])


def at(rows: list[Instruction], wanted: Callable[[Instruction], bool], nth: int = 0) -> int:
    return [n for n, row in enumerate(rows) if wanted(row)][nth]


def flag(op: str, event: str, number: int, core: str = "") -> Callable[[Instruction], bool]:
    return lambda row: (
        row.op == op
        and row.params.get("event") == event
        and row.params.get("id") == number
        and row.core.startswith(core)
    )


def without(rows: list[Instruction], *places: int) -> list[Instruction]:
    return [row for n, row in enumerate(rows) if n not in places]


def changed(row: Instruction, **params: Any) -> Instruction:
    return row._replace(params={**row.params, **params})


def kinds(run: Run) -> set[tuple[str, str]]:
    return {(finding.check, finding.kind) for finding in run.findings}


def the(run: Run, check: str, kind: str) -> Finding:
    return next(f for f in run.findings if (f.check, f.kind) == (check, kind))


def test_1_a_dropped_wait_before_a_load_to_l0() -> None:
    rows = trace("basic_unitflag")
    run = run_program(without(rows, at(rows, flag("WaitFlag", "MTE2_MTE1", 0), 1)), checks="race,sync")
    race = the(run, "racecheck", "RAW")
    assert race.memory == "L1"
    assert race.bytes == (0, 12800)
    assert race.edge == "MTE2_MTE1 id 0"
    assert [place.op for place in race.at] == ["DataCopy", "LoadData"]
    assert all("catlass/gemm/tile/" in place.site for place in race.at)
    assert kinds(run) == {("racecheck", "RAW"), ("synccheck", "left set")}


def test_2_a_dropped_wait_before_a_slot_is_filled_again() -> None:
    rows = trace("basic_unitflag")
    run = run_program(without(rows, at(rows, flag("WaitFlag", "MTE1_MTE2", 0), 2)), checks="race,sync")
    assert the(run, "racecheck", "WAR").edge == "MTE1_MTE2 id 0"


def test_3_a_dropped_set_is_a_deadlock() -> None:
    rows = trace("basic_unitflag")
    run = run_program(without(rows, at(rows, flag("SetFlag", "MTE1_MTE2", 0), 1)), checks="race,sync")
    stuck = the(run, "synccheck", "deadlock")
    assert "WaitFlag<MTE1_MTE2>(0) on AIC0 MTE2 waits for ever" in stuck.text
    assert stuck.edge == "MTE1_MTE2 id 0"


def test_4_a_load_from_the_wrong_k() -> None:
    rows = trace("quant_full_loadA_tla")
    for n, row in enumerate(rows):
        src = row.operands.get("src")
        if row.op == "LoadData" and src and row.core == "AIC0" and 16384 <= src.address < 20480:
            wrong = src._replace(address=src.address - 8192)
            rows[n] = row._replace(operands={**row.operands, "src": wrong})
    run = run_program(rows)
    found = the(run, "memcheck", "provenance")
    assert kinds(run) == {("memcheck", "provenance")}
    assert "k of A is 64 from the first product of these tiles, and k of B is 128" in found.text
    assert [place.op for place in found.at] == ["LoadData", "LoadDataWithTranspose", "Mmad"]
    assert run.element_at("AIC0", "L1", 32) == ("A", 290, (290,))


def test_5_a_set_before_the_last_load_of_its_slot() -> None:
    rows = trace("tla_f32")
    place = at(rows, flag("SetFlag", "MTE1_MTE2", 0), 1)
    load = max(n for n in range(place) if rows[n].op == "LoadData")
    rows.insert(load, rows.pop(place))
    run = run_program(rows, checks="race")
    race = the(run, "racecheck", "WAR")
    assert kinds(run) == {("racecheck", "WAR")}
    assert race.times == 1
    assert race.at[0].line == rows[load + 1].line
    assert race.edge == "MTE1_MTE2 id 0"


def test_6_two_stages_in_one_place() -> None:
    def moved(operand: Operand) -> Operand:
        inside = operand.space == "L1" and 65536 <= operand.address < 131072
        return operand._replace(address=operand.address - 65536) if inside else operand

    rows = [
        row._replace(operands={k: moved(o) for k, o in row.operands.items()})
        for row in trace("basic_unitflag")
    ]
    assert kinds(run_program(rows, checks="race")) >= {("racecheck", "WAW"), ("racecheck", "RAW")}


def test_7_sums_that_are_still_taken_out() -> None:
    rows = trace("quant_full_loadA_tla")  # one stage of L0C, no unit flag
    wait = at(rows, flag("WaitFlag", "FIX_M", 0, "AIC0"), 1)
    run = run_program(without(rows, wait), checks="race,sync")
    race = the(run, "racecheck", "WAR")
    product = next(row for row in rows[wait:] if row.op == "Mmad")
    assert [place.op for place in race.at] == ["Fixpipe", "Mmad"]
    assert race.at[1].line == product.line
    assert (race.memory, race.bytes, race.edge) == ("L0C", (0, 42240), "FIX_M id 0")
    assert kinds(run) == {("racecheck", "WAR"), ("synccheck", "left set")}


def test_8_the_last_product_leaves_the_unit_flag() -> None:
    rows = trace("basic_unitflag")
    last = at(rows, lambda row: row.op == "Mmad" and row.params["unitFlag"] == 3)
    rows[last] = changed(rows[last], unitFlag=2)
    stuck = the(run_program(rows, checks="sync"), "synccheck", "deadlock")
    assert stuck.at[0].op == "Fixpipe"
    assert f"line {rows[last].line}, has unitFlag 2" in stuck.text


def test_9_a_fixpipe_of_half_the_product() -> None:
    rows = trace("basic_unitflag")
    first = at(rows, lambda row: row.op == "Fixpipe")
    rows[first] = changed(rows[first], nSize=128)
    texts = [f.text for f in run_program(rows, checks="sync").findings if f.kind == "unit flag"]
    assert any("extents must be equal" in text for text in texts)


def test_10_small_products_need_a_barrier() -> None:
    rows = trace("basic_unitflag")
    barriers = [n for n, row in enumerate(rows) if row.op == "PipeBarrier" and row.pipe == "M"]
    run = run_program(without(rows, *barriers), checks="race,sync")
    assert kinds(run) == {("racecheck", "RAW"), ("racecheck", "WAW")}
    assert the(run, "racecheck", "RAW").edge == "PIPE_M"
    assert the(run, "racecheck", "RAW").memory == "L0C"


def test_11_a_tail_of_k_that_is_not_loaded() -> None:
    rows = trace("quant_full_loadA_tla")
    load = at(rows, lambda row: row.form == "nd2nz" and row.operands["src"].owner == "B")
    rows[load] = changed(rows[load], nValue=240)
    last = at(rows, lambda row: row.op == "Mmad", 1)
    rows[last] = changed(rows[last], k=112)
    found = the(run_program(rows), "initcheck", "rounded K")
    assert "k = 112 reads whole blocks of K, and 16 of K behind it in L0B" in found.text


def test_12_and_13_waits_between_cores() -> None:
    rows = trace("splitk")
    waits = [
        n for n, row in enumerate(rows) if row.op == "CrossCoreWaitFlag" and row.params["flag"] == 0
    ]
    run = run_program(without(rows, *waits), checks="race,sync")
    race = the(run, "racecheck", "RAW")
    assert race.memory == "Workspace"
    assert [place.pipe for place in race.at] == ["FIX", "MTE2"]
    assert "flag 0" in race.edge
    assert ("synccheck", "left set") in kinds(run)
    barrier = [n for n, row in enumerate(rows) if "CrossCore" in row.op and row.params["flag"] == 8]
    run = run_program(without(rows, *barrier), checks="race,sync")
    cores = [tuple(place.core for place in f.at) for f in run.findings]
    assert kinds(run) == {("racecheck", "RAW")}
    assert all(a[3:] != str(int(b[3:]) // 2) for a, b in cores)


def test_14_slices_in_one_place_of_the_workspace() -> None:
    rows = []
    for row in trace("splitk"):
        operands = dict(row.operands)
        if row.op == "Fixpipe":
            operands["dst"] = operands["dst"]._replace(address=operands["dst"].address % 96000)
        rows.append(row._replace(operands=operands))
    run = run_program(rows)
    assert kinds(run) >= {("racecheck", "WAW"), ("initcheck", "never written")}
    assert "Workspace" in the(run, "racecheck", "WAW").text


def test_15_an_atomic_mode_that_stays_on() -> None:
    rows = trace("single_core_splitk")
    rows = [row for row in rows if row.op != "SetAtomicNone"]
    first = at(rows, lambda row: row.op == "Fixpipe")
    adds = rows[at(rows, lambda row: row.op == "SetAtomicAdd")]
    run = run_program([*rows[:first], adds, *rows[first:]])
    assert "SetAtomicAdd" in the(run, "memcheck", "register").text
    assert "the atomic mode is on since line" in the(run, "initcheck", "never written").text


def test_16_a_counter_that_can_overflow() -> None:
    def row(core: str, op: str, pipe: str, line: int, mode: int) -> Instruction:
        return Instruction(core, op, pipe, {}, {"mode": mode, "flag": 3}, "", "", line)

    def kernel(count: int) -> list[Instruction]:
        rows = [row("AIC0", "CrossCoreSetFlag", "FIX", 1, 2) for _ in range(count)]
        return rows + [
            row(f"AIV{n}", "CrossCoreWaitFlag", "S", 2 + n, 0) for n in (0, 1) for _ in range(count)
        ]

    assert not run_program(kernel(15)).findings
    found = the(run_program(kernel(16)), "synccheck", "counter")
    assert "can reach 16" in found.text
    assert [place.line for place in found.at] == [1, 2]


def test_17_and_18_epilogues() -> None:
    rows = trace("matmul_add")
    run = run_program(without(rows, at(rows, flag("WaitFlag", "MTE3_V", 0), 1)), checks="race,sync")
    race = the(run, "racecheck", "WAR")
    assert race.memory == "UB"
    assert race.edge == "MTE3_V id 0"
    first = {
        row.core: row.operands["dst"].address
        for row in reversed(rows)
        if row.pipe == "MTE3" and "dst" in row.operands
    }
    shift = first["AIV1"] - first["AIV0"]
    moved = []
    for row in rows:
        operands = {
            k: o._replace(address=o.address - shift) if row.core == "AIV1" and o.space == "GM" else o
            for k, o in row.operands.items()
        }
        moved.append(row._replace(operands=operands))
    assert "D" in the(run_program(moved, checks="race"), "racecheck", "WAW").memory


def test_19_and_20_flash_attention() -> None:
    rows = trace("flash_attention")
    barrier = at(rows, lambda row: row.op == "PipeBarrier" and row.site.endswith("no_mask.hpp:286"))
    run = run_program(without(rows, barrier), checks="race,sync")
    race = the(run, "racecheck", "RAW")
    assert kinds(run) == {("racecheck", "RAW")}
    assert race.edge == "PIPE_V"
    assert {place.op for place in race.at} == {"BlockReduceMax"}
    ready = at(rows, lambda row: row.op == "CrossCoreSetFlag" and row.core == "AIV0")
    copy = max(n for n in range(ready) if rows[n].pipe == "MTE3" and rows[n].operands)
    early = [*rows]
    early.insert(copy, early.pop(ready))
    run = run_program(early, checks="race,sync")
    assert kinds(run) == {("racecheck", "RAW")}
    assert the(run, "racecheck", "RAW").memory == "p"


def test_a_barrier_of_vectors_is_not_needed_on_3510() -> None:
    ub = {n: Operand("UB", "AIV0", n * 32, "float32") for n in range(3)}
    rows = [
        Instruction(
            "AIV0", "Muls", "V", {"dst": ub[n + 1], "src": ub[n]}, {"count": 8, "scalar": 1}, "", "", n
        )
        for n in range(2)
    ]
    assert kinds(run_program(rows, checks="race", arch="AtlasA2")) == {("racecheck", "RAW")}
    assert not run_program(rows, checks="race", arch="Ascend950").findings


def test_a_mutex_is_taken_in_the_order_of_issue() -> None:
    def kernel(*ops: tuple[str, str]) -> Run:
        rows = [
            Instruction("AIC0", op, pipe, {}, {"id": 0}, "", "", n) for n, (op, pipe) in enumerate(ops)
        ]
        return run_program(rows, checks="sync")

    lock, unlock = "MutexLock", "MutexUnlock"
    assert not kernel((lock, "MTE2"), (unlock, "MTE2"), (lock, "MTE1"), (unlock, "MTE1")).findings
    stuck = kernel((lock, "MTE2"), (lock, "MTE1"), (unlock, "MTE1"))
    assert kinds(stuck) == {("synccheck", "deadlock"), ("synccheck", "mutex")}
    assert "is not locked" in the(kernel((unlock, "MTE2")), "synccheck", "mutex").text


def test_memory_faults() -> None:
    rows = trace("batched")
    copy = at(rows, lambda row: row.op == "DataCopy")
    operands = rows[copy].operands
    for place, kind in ((524288 - 32, "bounds"), (16, "misaligned")):
        one = {**operands, "dst": operands["dst"]._replace(address=place)}
        bad = [*rows[:copy], rows[copy]._replace(operands=one), *rows[copy + 1 :]]
        found = the(run_program(bad, checks="mem"), "memcheck", kind)
        assert found.memory == "L1"
        assert found.at[0].line == rows[copy].line


def test_unwritten_elements_of_a_turned_square_reach_no_result() -> None:
    """Elements of 4 bits share their bytes, and a transposed load parts them."""
    square = {"dst": Operand("L0B", "AIC0", 0, "int4"), "src": Operand("L1", "AIC0", 0, "int4")}
    zeros = dict.fromkeys(("startIndex", "dstGap", "dstFracGap"), 0)
    counts: dict[str, Any] = {"form": "2dtranspose", "repeatTimes": 1, "srcStride": 1, **zeros}
    load = Instruction("AIC0", "LoadDataWithTranspose", "MTE1", square, counts, line=1)
    again = load._replace(operands={"dst": square["src"], "src": square["dst"]}, line=2)
    assert run_program([load, again], checks="init").findings == ()  # nothing of it reaches a result


def test_a_tile_that_is_left_from_before_reaches_the_result() -> None:
    rows = trace("basic_unitflag")
    places = [
        n for n, row in enumerate(rows) if row.op == "DataCopy" and row.operands["dst"].address == 0
    ]
    rows[places[1]] = changed(rows[places[1]], nValue=rows[places[1]].params["nValue"] - 60)
    found = the(run_program(rows, checks="init"), "initcheck", "stale")
    assert f"which DataCopy of line {rows[places[0]].line} left" in found.text
    assert [place.op for place in found.at] == ["Mmad", "Fixpipe"]


@kernel("AtlasA2")
def hand_over(ctx: Context, X: KernelTensor, fault: str = "") -> None:  # noqa: N803
    """The vector cores of each block hand tiles to its cube core, by two slots."""
    w = ctx.workspace("W", "half", (32 * ctx.block_num, 16))
    x = ctx.alloc("L1" if ctx.is_aic else "UB", X, (16, 16))
    first = 0 if fault == "block" else 32 * ctx.group_idx
    if ctx.is_aiv:
        ctx.copy_gm_to_ub(x, X)
        ctx.pipe_barrier()
    for turn in range(6):
        slot = get_tile(w, (first + turn % 2 * 16, 0), (16, 16))
        if ctx.is_aic:
            ctx.cross_core_wait_flag(0)
            ctx.copy_gm_to_l1(x, slot)
            ctx.pipe_barrier()
            ctx.cross_core_set_flag(1, 2, "MTE2")
            continue
        if turn >= 2 and fault != "back":
            ctx.cross_core_wait_flag(1)
        if fault == "early":
            ctx.cross_core_set_flag(0, 2, "MTE3")
        if ctx.sub_block_idx == 0:
            ctx.copy_ub_to_gm(slot, x)
        if fault != "early":
            ctx.cross_core_set_flag(0, 2, "MTE2" if fault == "pipe" else "MTE3")
        ctx.pipe_barrier("MTE3")
    for _ in range((6 if fault == "back" else 2) if ctx.is_aiv else 0):
        ctx.cross_core_wait_flag(1)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("", ""),
        ("early", r"Flag\(0\) of line \d+ is before DataCopyPad, .* taken by .* not before DataCopy"),
        ("pipe", r"CrossCoreSetFlag\(0\) of line \d+ tells of MTE2, not of MTE3"),
        ("back", r"CrossCoreSetFlag\(1\) of line \d+ is taken by .* not before DataCopyPad"),
        ("block", r"CrossCoreSetFlag\(1\) of line \d+ is for AIV0, AIV1, and AIV2 is of another block"),
    ],
)
def test_a_race_between_cores_names_the_set_and_its_wait(fault: str, words: str) -> None:
    run = simulate(hand_over, np.ones((16, 16), np.float16), cores=2, checks="race,sync", fault=fault)
    texts = "\n".join([finding.text for finding in run.findings])
    assert re.search(words, texts) if fault else not texts, texts


@pytest.mark.parametrize("in_place", [True, False])
def test_the_rest_of_an_earlier_tile_is_stale_also_where_it_is_computed_in_place(in_place: bool) -> None:
    @kernel("AtlasA2", core="AIV")
    def double(ctx: Context, X: KernelTensor, Y: KernelTensor, whole: bool = True) -> None:  # noqa: N803
        x = ctx.alloc("UB", X, (1, 256))
        y = x if in_place else ctx.alloc("UB", X, (1, 256))
        for row, n in ((0, 256), (1, 96)):
            ctx.copy_gm_to_ub(ctx.make_tensor(x, (1, n)), tile_view(X, (row, 0), (1, n)))
            ctx.pipe_barrier()
            ctx.muls(y, x, 2.0, 256)
            ctx.pipe_barrier()
            ctx.copy_ub_to_gm(tile_view(Y, (row, 0), (1, 256 if whole else n)), y)
            ctx.pipe_barrier()

    x = np.ones((2, 256), np.float32)
    assert simulate(double, x, x, whole=False).findings == ()
    (found,) = simulate(double, x, x).findings
    assert (found.kind, found.bytes) == ("stale", (1408, 2048))


def in_orders(orders: int) -> Callable[..., Run]:
    """`run_program`, which also holds what every order knows and reports to that of the first one."""
    once = run_program

    def run(rows: list[Instruction], **options: Any) -> Run:
        first = once(rows, **options)
        known = first.course
        for seed in range(1, orders):
            other = once(rows, seed=seed, **options)
            assert other.findings == first.findings
            course = other.course_of(seed)
            assert course.starts == known.starts  # so the same pairs are in order
            assert course.positions == known.positions
            assert sorted(course.stuck) == sorted(known.stuck)
            assert {k: len(v) for k, v in course.tokens.items()} == {
                k: len(v) for k, v in known.tokens.items()
            }
        return first

    return run


FAULTS = [test for name, test in list(globals().items()) if re.match(r"test_\d", name)]


def test_findings_do_not_depend_on_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "run_program", in_orders(3))
    test_15_an_atomic_mode_that_stays_on()
    test_16_a_counter_that_can_overflow()


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_every_fault_in_100_orders(fault: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "run_program", in_orders(100))
    fault()


def test_raise_findings() -> None:
    lines = [Instruction("AIC0", "WaitFlag", "M", {}, {"event": "MTE1_M", "id": 0})]
    from tla.ascend.kernels import FindingsError

    with pytest.raises(FindingsError, match="1 finding") as error:
        run_program(lines).raise_findings()
    assert error.value.findings[0].kind == "deadlock"
