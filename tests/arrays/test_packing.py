"""Packing against the definition: element ``array[c]`` lies at ``memory[layout(c)]``."""

from __future__ import annotations

from importlib.util import find_spec
from math import prod
from random import Random
from shutil import which
from subprocess import run
from typing import TYPE_CHECKING, Any, cast

import fuzz_arrays
import numpy as np
import pytest
from fuzz_arrays import LAWS, Case

import tla
from tla import ComposedLayout, Layout, parse
from tla.arrays import copy_plan, mask, pack, packing, relayout, tables, unpack, view
from tla.errors import CongruenceError, LayoutError, LimitError, OverlapError, UnsupportedError
from tla.layouts import offsets_between

if TYPE_CHECKING:
    from pathlib import Path

SEED = 21


@pytest.mark.parametrize("count", [60, pytest.param(3000, marks=pytest.mark.slow)])
def test_short_fuzz(count: int) -> None:
    report = fuzz_arrays.run(count, SEED)
    assert not report.faults, str(report)


def test_what_the_fuzz_draws() -> None:
    cases = [Case(SEED, number) for number in range(60)]
    places = [place for case in cases for place in (case.a, case.b)]
    counts = {
        "tiled": sum("{" in str(place.given) for place in places),
        "tagged": sum("<" in str(place.given) for place in places if place.has_type),
        "behind a function": sum(isinstance(place.given, ComposedLayout) for place in places),
        "of bits": sum(place.packed > 0 for place in places) or find_spec("ml_dtypes") is None,
        "below 0": sum(place.low < 0 for place in places),
        "overlapping": sum(not place.is_injective for place in places),
        "of many bytes": sum(case.array.itemsize > 8 for case in cases),
    }
    assert all(counts.values()), counts


def test_the_fuzz_sees_planted_errors(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tla, "pack", lambda array, *_more: np.ravel(array))
    monkeypatch.setattr(tla, "unpack", lambda *_given: np.zeros(1))
    monkeypatch.setattr(tla, "relayout", lambda memory, *_more: np.frombuffer(memory, "u1"))
    monkeypatch.setattr(tla, "view", lambda memory, _layout: np.frombuffer(memory, "u1"))
    monkeypatch.setattr(tla, "mask", lambda _layout: np.ones(1, bool))
    monkeypatch.setattr(tla, "copy_plan", lambda _a, b: tla.arrays.copy_plan(Layout(4), Layout(4)))
    assert fuzz_arrays.main(["--seed", str(SEED), "--count", "6"]) == 1
    printed = capsys.readouterr().out
    assert all(f"\n{law}: --seed {SEED} --case " in printed for law in LAWS if law != "source"), printed
    monkeypatch.undo()
    assert fuzz_arrays.main(["--seed", str(SEED), "--case", "3", "--only", "pack"]) == 0
    assert f"seed {SEED}: 1 cases" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        fuzz_arrays.main(["--only", "nothing"])


@pytest.mark.parametrize("dtype", ["float8_e5m2", "int4", "bfloat16"])
def test_a_view_has_any_type(dtype: str) -> None:
    """numpy's own ``as_strided`` makes no array of float8_e5m2."""
    made = np.arange(6, dtype=np.int8).astype(getattr(pytest.importorskip("ml_dtypes"), dtype))
    seen = view(made, Layout((2, 3)))
    assert seen.dtype == made.dtype
    assert seen.astype(int).tolist() == [[0, 2, 4], [1, 3, 5]]


def test_blocks_that_go_on_are_one_stride() -> None:
    """Block 16 of this mode goes on with the stride before it, so its 18 indices have one."""
    layout = tla.layouts.nZ(2, 18, (4, 16))
    assert view(np.arange(128), layout).strides == (8, 32)
    assert len(copy_plan(layout, tla.row_major(2, 18)).boxes or ()) == 1


def test_a_plan_of_too_many_boxes_moves_by_tables() -> None:
    a = Layout(((2, 3, 5, 7, 11, 13),), ((15015, 5005, 1001, 143, 13, 1),))
    b = Layout(((13, 11, 7, 5, 3, 2),), ((2310, 210, 30, 6, 2, 1),))
    assert copy_plan(a, b).boxes is None
    array = np.arange(30030)
    assert np.array_equal(unpack(relayout(pack(array, a), a, b), b), array)


def test_data_that_share_an_offset_are_found() -> None:
    """As a list of all offsets tells: steps are 0, of both signs, tangled; padding alone may overlap."""
    rng = Random(SEED)
    steps = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 20, 30, -1, -4]
    seen = {True: 0, False: 0}
    for _case in range(400):
        modes = [[rng.randint(1, 5) for _leaf in range(rng.randint(1, 2))] for _mode in range(2)]
        sizes = tuple([rng.randint(max(1, prod(mode) - 3), prod(mode)) for mode in modes])
        strides = tuple([tuple([rng.choice(steps) for _leaf in mode]) for mode in modes])
        layout = Layout(tuple(map(tuple, modes)), strides, sizes)
        offsets = tla.offsets(layout)[tuple([slice(n) for n in sizes])].reshape(-1).tolist()
        is_free = len({*offsets}) == len(offsets)
        seen[is_free] += 1
        try:
            pack(np.zeros(sizes), layout)
        except OverlapError as error:
            a, b = cast("list[tuple[int, ...]]", error.coordinates)
            assert a != b, layout
            assert layout(*a) == layout(*b), layout
            assert all(i < n for at in (a, b) for i, n in zip(at, sizes, strict=True)), layout
            assert not is_free, layout
        else:
            assert is_free, layout
    assert min(seen.values()) > 99


@pytest.mark.parametrize("head", ["", "Sw<2,2,3> o 0 o "])
def test_overlaps_of_padding_are_arithmetic(head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """34 million elements, of which no table is made."""
    monkeypatch.setattr(packing, "shared_offset", None)
    packing._require_injective(parse(f"{head}((100,2),180000):((1,110),200):(190,180000)"))
    packing._require_injective(parse(f"{head}(128,360000):(1,100):(100,360000)"))


@pytest.mark.parametrize("most", [1, 70, 1 << 18])
def test_overlaps_by_tables(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_TABLE", most)
    assert tables.shared_offset(parse("(4,8):(8,1) o 0 o (10,9):(1,10):(10,3)")) is None
    assert tables.shared_offset(Layout((10, 9), (1, 9))) == [(0, 1), (9, 0)]


@pytest.mark.parametrize("most", [1, 70, 1 << 18])
def test_tables_go_in_parts(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of 20 GB of elements would take 160: no table is longer than a part."""
    made: list[int] = []

    def counted(layout: Any, ranges: Any) -> Any:
        made.append(prod([high - low for low, high in ranges]))
        return offsets_between(layout, ranges)

    monkeypatch.setattr(tables, "_TABLE", most)
    monkeypatch.setattr(tables, "offsets_between", counted)
    source, target = parse("(4,8):(8,1) o 3 o (13,9):(1,13)"), tla.col_major(13, 9)
    assert copy_plan(source, target).boxes is None
    memory, calls = np.arange(200), list[tuple[int, int]]()
    moved = relayout(memory, source, target, progress=lambda *done: calls.append(done))
    assert list(moved) == list(tla.offsets(source).T.reshape(-1))
    assert max(made) <= most
    assert calls[-1] == (117, 117)
    assert len(calls) == len(made) // 2 >= 117 // most


@pytest.mark.parametrize(
    "text", ["Sw<2,1,3> o 0 o (20,(4,8)):(4,(1,80))", "((16,2),32):((1,512),16):(20,32)"]
)
def test_sources_do_what_the_plan_does(text: str, tmp_path: Path) -> None:
    plan = copy_plan(tla.row_major(20, 32), parse(text))
    source = np.arange(640, dtype=np.int32)
    expected = relayout(source, plan.source, plan.target)
    names: dict[str, Any] = {}
    exec(plan.numpy(), names)
    target = np.zeros_like(expected)
    names["copy"](source, target)
    assert np.array_equal(target, expected)
    compiler = which("g++")
    if compiler is None:
        return
    program = (
        f"#include <cstdio>\n{plan.cpp()}\n"
        + """int main() {
      static int a[640], b[1024];
      for (int i = 0; i < 640; ++i) a[i] = i;
      copy(a, b);
      for (int x : b) std::printf("%d\\n", x);
    }"""
    )
    (tmp_path / "copy.cpp").write_text(program, "utf-8")
    run([compiler, "copy.cpp", "-o", "copy"], cwd=tmp_path, check=True)
    printed = run([tmp_path / "copy"], capture_output=True, check=True).stdout.split()
    assert [*map(int, printed)][: len(expected)] == list(expected)


@pytest.mark.parametrize(
    "text", ["((2,2),6):((1,12),2)", "(4,6):(1,5)", "Sw<1,0,2> o 0 o (4,6):(6,1)", "(4,6):(0,1)"]
)
def test_the_picture_has_each_element_at_its_place(text: str) -> None:
    plan = copy_plan(parse(text), tla.row_major(4, 6))
    strips: Any = plan.figure(100).figures
    source, target = (
        {name: place.offset for place in strip.places for name in place.coordinates} for strip in strips
    )
    assert [sum(place.hits for place in strip.places) for strip in strips] == [plan.size] * 2
    assert len({name.partition(".")[0] for name in target}) == plan.runs
    moved = {(source[name], target[name]) for name in source}
    offsets = zip(tla.offsets(plan.source).flat, range(24), strict=True)
    assert moved <= {(int(x), y) for x, y in offsets}
    assert len(moved) == len(source)


def test_a_picture_has_its_limits() -> None:
    plan = copy_plan(tla.row_major(300, 300), tla.col_major(300, 300))
    with pytest.raises(LimitError, match="the plan moves 90000 elements; at most 65536 are drawn"):
        plan.figure()
    with pytest.raises(LayoutError, match="a figure of 0 places is empty"):
        copy_plan(Layout(4), Layout(4)).figure(0)


def test_elements_of_many_bytes() -> None:
    array = np.arange(600, dtype=np.uint8).view("V100").reshape(2, 3)
    memory = pack(array, Layout((2, 3), (3, 1)))
    assert memory.tobytes() == array.tobytes()
    assert unpack(memory, Layout((2, 3), (3, 1))).tobytes() == array.tobytes()


def test_memory_given() -> None:
    out = np.zeros(10, dtype=int)
    assert pack([[1, 2], [3, 4]], Layout((2, 2), (1, 4)), 9, out) is out
    assert list(out) == [1, 3, 9, 9, 2, 4, 9, 9, 9, 9]
    relayout(out, Layout((2, 2), (1, 4)), Layout((2, 2)), 0, out)
    assert list(out) == [1, 3, 2, 4, 0, 0, 0, 0, 0, 0]
    seen = view(out, Layout((2, 2), (1, 2)))
    seen[0, 1] = 8
    assert out[2] == 8
    assert not view(out, Layout((2, 2), (1, 0))).flags.writeable


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: pack([1, 2, 3], Layout(2)), LayoutError, "shape (3) does not fit 2:"),
        (lambda: pack([[1, 2], [3, 4]], Layout((2, 2), (1, 1))), OverlapError, "(1,0) and (0,1) share"),
        (lambda: unpack([1, 2], Layout((2, 2), (1, 2))), LayoutError, "2 elements is too short"),
        (lambda: view(range(12), parse("(2,(2,2)):(1,(4,2)):(2,3)")), UnsupportedError, "mode 1 of"),
        (lambda: view(range(4), parse("Sw<1,0,1> o 0 o 4:1")), UnsupportedError, "no strides"),
        (lambda: view(np.arange(8)[::2], Layout(4)), UnsupportedError, "memory in one piece"),
        (lambda: mask(parse("M:1")), LayoutError, "while M has no value"),
        (lambda: relayout([1, 2], Layout(2), Layout(3)), CongruenceError, "holds data of shape (2), 3:"),
        (lambda: pack([1, 2], Layout(2), 0, np.zeros(2)), LayoutError, "float64, not int64"),
        (
            lambda: pack([1, 2], Layout(2), 0, np.zeros(1, int)),
            LayoutError,
            "memory of 1 element is too short",
        ),
        (lambda: pack([1, 2], Layout(2), 0, np.zeros((2, 2), int)), LayoutError, "out has shape (2,2) "),
        (
            lambda: pack([1, 2], Layout(2), 0, np.broadcast_to(0, 2)),
            LayoutError,
            "out has shape (2) and strides (0) in bytes, and cannot be written",
        ),
    ],
)
def test_what_does_not_fit_is_named(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)
