"""``tla pack``, ``tla unpack`` and ``tla relayout``: files of data, moved in parts."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager, suppress
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tla
from tla.arrays import moving

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from .running import Run

TILED = "bf16[20,300]{1,0:T(8,128)(2,1)}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with an array in it; parts are so small that each move has several."""
    np.save(tmp_path / "a.npy", np.arange(6000, dtype=np.uint16).reshape(20, 300))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(moving, "_PART", 1000)
    return tmp_path


def bytes_of(path: Path) -> bytes:
    return path.read_bytes()


@pytest.mark.parametrize(
    ("text", "dtype", "options"),
    [
        (TILED, "uint16", []),
        ("zN<half>(20,300)", "float16", ["--fill=1.5"]),
        ("nZ<float>(20,300)", "float32", ["--fill", "-2"]),
        ("((4,5),300):((300,1200),1)", "int32", ["--dtype=s32"]),
        ("Sw<2,1,3> o 0 o (20,300):(304,1)", "uint8", ["--dtype", "u8"]),
        ("s4[20,300]{1,0:T(8,128)(8,1)E(4)}", "int8", ["--fill=-1"]),
        ("u2[20,300]{0,1:E(2)}", "uint8", []),
        ("pred[20,300]{1,0:L(8192)}", "bool", []),
    ],
)
def test_a_round_trip(folder: Path, run: Run, text: str, dtype: str, options: list[str]) -> None:
    if text.startswith(("s4", "u2")):
        pytest.importorskip("ml_dtypes")
    top = {"s4": 8, "u2": 4, "pred": 2}.get(text.partition("[")[0], 200)
    array = (np.arange(6000) % top).astype(dtype).reshape(20, 300)
    np.save(folder / "a.npy", array)
    assert run("pack", "a.npy", text, "-o", "a.bin", *options)[::2] == (0, "")
    fill = next((float(word.split("=")[-1]) for word in options if word.startswith("--fill=")), 0)
    fill = -2 if "-2" in options else int(fill) if fill == int(fill) else fill
    assert bytes_of(folder / "a.bin") == tla.pack(array, text, fill).tobytes()
    options = [word for word in options if "fill" not in word and word != "-2"]
    code, out, err = run("unpack", "a.bin", text, "-o", "b.npy", "--json", *options)
    assert (code, err) == (0, "")
    facts = json.loads(out)
    assert (facts["data"], facts["unread"]) == (6000, 0)
    assert facts["bytes"] == (folder / "b.npy").stat().st_size
    assert bytes_of(folder / "b.npy") == bytes_of(folder / "a.npy")
    kind = text.partition("[")[0] if "[" in text else None
    rows = f"{kind}[20,300]{{1,0}}" if kind else "(20,300):(300,1)"
    assert run("relayout", "a.bin", text, rows, "-o", "c.bin", *options)[::2] == (0, "")
    assert bytes_of(folder / "c.bin") == array.tobytes()
    assert run("relayout", "c.bin", rows, text, "-o", "d.bin", *options)[::2] == (0, "")
    assert bytes_of(folder / "d.bin") == tla.pack(array, text).tobytes()
    assert {path.name for path in folder.iterdir()} == {f"{x}" for x in _FILES}


_FILES = ("a.npy", "a.bin", "b.npy", "c.bin", "d.bin")


def test_what_is_said(folder: Path, run: Run) -> None:
    assert run("pack", "a.npy", TILED, "-o", "a.bin").out == (
        "a.bin: 18432 bytes (18.00 KiB), 6000 elements of bf16, 3216 of padding\n"
    )
    with (folder / "a.bin").open("ab") as file:
        file.write(b"more")
    said = run("unpack", "a.bin", TILED, "-o", "b.npy").out.splitlines()
    assert said[1] == "4 bytes behind the layout were not read"


def test_standard_input_and_output(folder: Path, capfdbinary: Any, monkeypatch: Any) -> None:
    import io

    from tla.cli import main

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(bytes_of(folder / "a.npy"))))
    assert main(["pack", "-", TILED, "-o", "-"]) == 0
    memory = tla.pack(np.load(folder / "a.npy"), TILED).tobytes()
    assert capfdbinary.readouterr() == (memory, b"")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(memory)))
    assert main(["unpack", "-", TILED, "-o", "/dev/stdout"]) == 0
    assert capfdbinary.readouterr() == (bytes_of(folder / "a.npy"), b"")


def test_loops_that_would_move_data(run: Run) -> None:
    a, b = "f32[20,48]{1,0}", "f32[20,48]{1,0:T(8,128)}"
    plan = tla.copy_plan(a, b)
    assert run("relayout", a, b).out.splitlines() == plan.explain()
    assert run("relayout", a, b, "--cpp").out == plan.cpp() + "\n"
    assert run("relayout", a, b, "--numpy").out == plan.numpy() + "\n"
    facts = json.loads(run("relayout", a, b, "--json").out)
    loops = [[20, 48, 128], [48, 1, 1]]
    assert facts == {"elements": 960, "runs": 20, "boxes": [{"source": 0, "target": 0, "loops": loops}]}


def test_a_picture_of_the_loops(run: Run, tmp_path: Path) -> None:
    words = ("relayout", "(4,6):(6,1)", "((2,2),6):((1,12),2)", "--figure")
    plan = tla.copy_plan(*words[1:3])
    assert run(*words).out == tla.show.render(plan.figure()) + "\n"
    assert run(*words, "-o", str(tmp_path / "x.svg")).code == 0
    assert (tmp_path / "x.svg").read_text("utf-8") == tla.show.svg(plan.figure()) + "\n"


def test_an_interrupt_leaves_the_old_file(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, int]] = []

    @contextmanager
    def bar(what: str, of_bytes: bool, whole: int) -> Generator[Callable[[int, int], None]]:
        assert (what, of_bytes, whole) == ("packing", True, 12000)

        def step(done: int, whole: int) -> None:
            seen.append((done, whole))
            if len(seen) == 3:
                raise KeyboardInterrupt

        yield step

    monkeypatch.setattr(sys.modules["tla.cli.pack"], "progress_bar", bar)
    (folder / "old.bin").write_text("old")
    assert run("pack", "a.npy", TILED, "-o", "old.bin") == (130, "", "tla: interrupted\n")
    assert (folder / "old.bin").read_text() == "old"
    assert sorted(path.name for path in folder.iterdir()) == ["a.npy", "old.bin"]
    assert all(whole == 12000 for _done, whole in seen)
    assert 0 < seen[0][0] < seen[1][0] < seen[2][0] < 12000


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("pack a.npy {} -o b", "packing"),
        ("unpack a.bin {} -o b", "unpacking"),
        ("relayout a.bin {0} {0} -o b", "moving"),
    ],
)
def test_the_bar_is_there_before_anything_moves(
    folder: Path, run: Run, line: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """20 GB take a while, and so does a look at each int of 4 bits."""
    pytest.importorskip("rich")
    text = "u16[20,300]{1,0}"
    np.load(folder / "a.npy").tofile("a.bin")

    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    before = list[str]()

    def looks(*_given: Any) -> None:
        before.append(terminal.getvalue())
        raise KeyboardInterrupt

    monkeypatch.setattr(tla.moves.Format, "typed", looks)
    monkeypatch.setattr(tla.moves.Format, "elements", looks)
    with suppress(KeyboardInterrupt):
        run(*line.format(text, text).split())
    (shown,) = before
    assert word in shown
    assert "0.0/11.7 KiB" in shown


def test_without_numpy(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    for words in (
        ["pack", "a.npy", TILED],
        ["unpack", "a.npy", TILED],
        ["relayout", "a.npy", TILED, TILED],
    ):
        error = f"tla: error: tla {words[0]} needs numpy, which is not installed\n"
        assert run(*words, "-o", "b") == (1, "", error)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("pack no.npy (20,300):(300,1) -o b", "cannot read no.npy: No such file or directory"),
        ("pack raw.bin (20,300):(300,1) -o b", "raw.bin is no array of numpy's, a .npy file"),
        (
            "pack cut.npy (20,300):(300,1) -o b",
            "cut.npy is cut off: it has 5000 bytes, and its",
        ),
        (
            "pack objects.npy 2:1 -o b",
            "objects.npy has no bytes to move: its elements",
        ),
        ("pack below.npy (20,300):(300,1) -o b", "below.npy is a .npy file that numpy cannot read"),
        ("pack head.npy (20,300):(300,1) -o b", "head.npy is a .npy file that numpy cannot read: EOF"),
        ("pack a.npy (20,30):(300,1) -o b", "an array of shape (20,300) does not fit (20,30):(300,1)"),
        (
            "pack a.npy zN<float>(20,300) -o b",
            "a.npy has elements of uint16, 16 bits, and zN<float>(20,300)",
        ),
        ("pack a.npy (20,300):(1,1) -o b", "coordinates (1,0) and (0,1) share an offset"),
        ("pack a.npy (20,300):(1@0,1@1) -o b", "are coordinates, and memory has offsets"),
        ("pack a.npy (M,300):(1,M) -o b", "has no place in memory while M has no value"),
        ("pack a.npy f16[?,300] -o b", "Write a number in its place."),
        ("pack a.npy zN<half>(20,300) -o b --dtype f32", "has elements of f16, and --dtype is f32"),
        ("pack a.npy zN<half>(20,300) -o b --fill 1e9", "--fill has 1000000000.0, which no element of"),
        ("pack a.npy (20,300):(300,1) -o no/b", "cannot write no/b: No such file or directory"),
        ("pack a.npy (20,300:(300,1) -o b", "LAYOUT: expected"),
        ("unpack raw.bin (20,300):(300,1) -o b", "does not say how large an element is"),
        ("unpack raw.bin f32[2000] -o b", "raw.bin has 10 bytes, and f32[2000] takes 8000"),
        ("unpack a.npy u16[20,300] -o b", "a.npy is an array of numpy's, a .npy file: memory is bytes"),
        ("unpack . f32[2] -o b", "cannot read .: Is a directory"),
        ("unpack empty.bin f32[2] -o b", "empty.bin has 0 bytes, and f32[2] takes 8"),
        ("relayout raw.bin f32[2] f32[3] -o b", "holds data of shape (2), (_3):(_1) of shape (3)"),
        ("relayout raw.bin f32[2] bf16[2] -o b", "f32[2] has elements of f32, bf16[2] of bf16"),
        ("relayout raw.bin u8[2,2] (2,2):(1,1) -o b", "share an offset"),
    ],
)
def test_what_does_not_fit(folder: Path, run: Run, line: str, text: str) -> None:
    (folder / "raw.bin").write_bytes(b"0123456789")
    (folder / "empty.bin").touch()
    array = bytes_of(folder / "a.npy")
    (folder / "cut.npy").write_bytes(array[:5000])
    (folder / "head.npy").write_bytes(array[:50])
    (folder / "below.npy").write_bytes(array.replace(b"(20, 300)", b"(-2, 300)"))
    np.save(folder / "objects.npy", np.array([{}, 1]), allow_pickle=True)
    code, out, err = run(*line.split())
    assert (code, out) == (1, "")
    assert text in err
    assert not (folder / "b").exists()


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("pack a.npy f16[2]", "arguments are required: -o/--output"),
        ("pack - - -o b", "standard input, -, can stand for one argument only"),
        ("pack a.npy f16[2] -o b --fill x", "argument --fill: needs a number, not 'x'"),
        ("unpack - - -o b", "can stand for one argument only"),
        ("relayout a f16[2] -o b", "A B alone print the loops"),
        ("relayout a f16[2] f16[2]", "FILE A B and -o OUTPUT move data"),
        ("relayout a f16[2] f16[2] -o b --cpp", "--cpp goes with A and B alone"),
        (
            "relayout f16[2] f16[2] --figure --json",
            "lists the loops, --figure draws them: give one",
        ),
        ("relayout f16[2] f16[2] --cpp --json", "--json lists the loops, --cpp prints them: give one"),
    ],
)
def test_a_wrong_command_line(run: Run, line: str, text: str) -> None:
    code, out, err = run(*line.split())
    assert (code, out) == (2, "")
    assert text in err


def test_an_empty_array(folder: Path, run: Run) -> None:
    np.save(folder / "a.npy", np.zeros((0, 3), np.float32))
    assert run("pack", "a.npy", "f32[0,3]", "-o", "a.bin").code == 0
    assert bytes_of(folder / "a.bin") == b""
    assert run("unpack", "a.bin", "f32[0,3]", "-o", "b.npy").code == 0
    assert np.load(folder / "b.npy").shape == (0, 3)
