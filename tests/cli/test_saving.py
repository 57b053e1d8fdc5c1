"""Files that are written: whole or not at all, whatever fails."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tla.cli import saving
from tla.cli.common import InputError
from tla.cli.saving import mapped, save
from tla.ground.output import visible

from .running import COMMAND, ENVIRONMENT, process

if TYPE_CHECKING:
    from collections.abc import Callable

    from .running import Run

LARGE = "x" * 100_000
PICTURE = ("show", "(64,64):(64,1)", "--svg")


def littered(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(os.listdir(folder))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.svg"
    path.write_text("old\n")
    path.chmod(0o640)
    return path


# --- whole ---


def test_a_new_file_has_the_mode_of_new_files(tmp_path: Path) -> None:
    save(str(tmp_path / "a"), "new")
    (tmp_path / "b").touch()
    assert (tmp_path / "a").read_bytes() == b"new\n"
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode
    assert littered(tmp_path) == ["a", "b"]


def test_a_file_keeps_its_mode_and_who_reads_it_keeps_the_old_text(file: Path) -> None:
    with file.open() as reader:
        save(str(file), "new")
        assert reader.read() == "old\n"
    assert file.read_text() == "new\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_link_stays(file: Path, tmp_path: Path) -> None:
    for name, target in (("absolute", file), ("relative", Path("a.svg")), ("nowhere", Path("b.svg"))):
        (tmp_path / name).symlink_to(target)
        save(str(tmp_path / name), name)
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / name).read_text() == f"{name}\n"
    assert littered(tmp_path) == ["a.svg", "absolute", "b.svg", "nowhere", "relative"]


def test_a_pipe_is_written(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(path.read_text()))
    reader.start()
    save(str(path), LARGE)
    reader.join(10)
    assert read == [f"{LARGE}\n"]
    assert path.is_fifo()


def test_standard_output_by_its_other_names(file: Path) -> None:
    """What was in the file is kept: the shell, which opened it, says what becomes of that."""
    for name in ("/dev/stdout", "/dev/fd/1", str(file)):
        with file.open("a") as out:
            subprocess.run([*COMMAND, *PICTURE, "-o", name], stdout=out, env=ENVIRONMENT, check=True)
    one = process(*PICTURE).out
    assert file.read_text() == "old\n" + one * 3


def test_an_open_file_by_its_number(file: Path) -> None:
    with file.open("w") as other:
        number = other.fileno()
        line = [*COMMAND, *PICTURE, "-o", f"/dev/fd/{number}"]
        done = subprocess.run(line, pass_fds=[number], env=ENVIRONMENT, capture_output=True, check=True)
    assert (done.stdout, file.read_text()) == (b"", process(*PICTURE).out)
    assert littered(file.parent) == ["a.svg"]


# --- or not at all ---


def refused(path: Path | str, *reasons: str) -> None:
    with pytest.raises(InputError) as caught:
        save(str(path), LARGE)
    assert str(caught.value) in [f"cannot write {visible(str(path))}: {why}" for why in reasons]


def test_what_cannot_be_written(tmp_path: Path) -> None:
    refused(tmp_path, "Is a directory")
    refused(tmp_path / "a" / "b", "No such file or directory")
    refused(f"{tmp_path}/a\0b", "embedded null byte", "stat: embedded null character in path")
    (tmp_path / "loop").symlink_to("loop")
    refused(tmp_path / "loop", "Too many levels of symbolic links")
    assert littered(tmp_path) == ["loop"]


FAILING = ["open", "write", "fsync", "replace", "chmod"]


@pytest.mark.parametrize("step", [*FAILING, "interrupt"])
def test_a_step_that_fails(file: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    error: BaseException = KeyboardInterrupt() if step == "interrupt" else OSError(5, "failed")

    def fails(*_: Any, **__: Any) -> Any:
        raise error

    real: Callable[..., Any] = open
    if step in ("open", "write"):

        def opened(path: str, mode: str) -> Any:
            if "x" not in mode:
                return real(path, mode)
            if step == "open":
                raise error
            at = real(path, mode)
            at.write(b"half")
            at.close()  # a write now is a ValueError
            return at

        monkeypatch.setattr(saving, "open", opened, raising=False)
    else:
        monkeypatch.setattr(os, "fsync" if step == "interrupt" else step, fails)
    with pytest.raises((InputError, KeyboardInterrupt)):
        save(str(file), LARGE)
    assert (file.read_text(), littered(file.parent)) == ("old\n", ["a.svg"])


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_limit_on_files(file: Path, unbuffered: str) -> None:
    """The old file is whole; and of standard output, which then has a part, an error tells."""
    environment = {**ENVIRONMENT, "PYTHONUNBUFFERED": unbuffered, "PYTHONDONTWRITEBYTECODE": "1"}
    run: Any = {"env": environment, "preexec_fn": limited, "stderr": subprocess.PIPE, "text": True}
    done = subprocess.run([*COMMAND, *PICTURE, "-o", str(file)], **run, check=False)
    assert (done.returncode, done.stderr) == (1, f"tla: error: cannot write {file}: File too large\n")
    assert (file.read_text(), littered(file.parent)) == ("old\n", ["a.svg"])
    for line in (PICTURE, ("cpp", sys.executable)):
        with (file.parent / "out").open("w") as out:
            done = subprocess.run([*COMMAND, *line], **run, stdout=out, check=False)
        assert (done.returncode, done.stderr) == (1, "tla: error: cannot write: File too large\n")


def test_a_folder_that_takes_no_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that is read-only, or of a file that is mounted: the file itself is written."""

    def fails(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "replace", fails)
    save(str(file), "new")
    assert file.read_text() == "new\n"
    refused(file.parent / "b.svg", "Operation not permitted")

    real = os.write

    def half(descriptor: int, data: memoryview) -> int:
        if len(data) > 50:
            real(descriptor, data[:50])
            raise OSError(28, "No space left on device")
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", half)
    refused(file, "No space left on device")
    assert (file.read_text(), littered(file.parent)) == ("new\n", ["a.svg"])


# --- mapped ---


@pytest.mark.parametrize(
    "step", ["new", "old", "link", "no room beside", "not replaced", "not reserved", "empty"]
)
def test_mapped_memory_becomes_the_file(file: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"" if step == "empty" else LARGE.encode()
    path = file.parent / "b" if step in ("new", "link") else file
    if step == "link":
        path.symlink_to(file)
    real: Callable[..., Any] = open

    def refuses(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    if step == "no room beside":
        monkeypatch.setattr(
            saving,
            "open",
            lambda p, mode, **k: refuses() if "x" in mode else real(p, mode, **k),
            raising=False,
        )
    elif step == "not replaced":
        monkeypatch.setattr(os, "replace", refuses)
    elif step == "not reserved":
        monkeypatch.delattr(os, "posix_fallocate")
    with mapped(str(path), len(data)) as memory:
        memory[:] = data
        assert step in ("new", "link") or file.read_text() == "old\n"
    assert path.read_bytes() == data
    assert littered(file.parent) == sorted({"a.svg", path.name})


@pytest.mark.parametrize("step", ["error", "interrupt", "full", "fsync", "replace"])
def test_mapped_memory_of_a_step_that_fails(
    file: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    error: BaseException = KeyboardInterrupt() if step == "interrupt" else OSError(28, "No space left")

    def fails(*_: object) -> None:
        raise error

    names = {"full": "posix_fallocate", "fsync": "fsync", "replace": "replace"}
    if step in names:
        monkeypatch.setattr(os, names[step], fails)

    def write() -> None:
        with mapped(str(file), 9):
            if step not in names:
                raise error

    with pytest.raises((KeyboardInterrupt, OSError, InputError)) as caught:
        write()
    assert isinstance(caught.value, InputError) == (step in names)
    assert (file.read_text(), littered(file.parent)) == ("old\n", ["a.svg"])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write every file")
def test_a_file_that_may_not_be_written(file: Path) -> None:
    file.chmod(0o440)
    refused(file, "Permission denied")
    assert file.read_text() == "old\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_full_device() -> None:
    refused("/dev/full", "No space left on device")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_the_ranking_is_there_though_it_cannot_be_saved(run: Run, tmp_path: Path) -> None:
    """A place where no file can be is refused before the search."""
    line = ("ascend", "search", "AtlasA2", "half", "64,64,64", "--tuner")
    code, out, err = run(*line, "/dev/full")
    assert (code, err) == (1, "tla: error: cannot write /dev/full: No space left on device\n")
    assert out == run(*line[:-1]).out
    for wrong, why in ((tmp_path, "Is a directory"), (tmp_path / "no/a", "No such file or directory")):
        assert run(*line, str(wrong)) == (1, "", f"tla: error: cannot write {wrong}: {why}\n")


# --- what is not installed ---


@pytest.mark.parametrize("name", ["numpy", "rich", "islpy", "ml_dtypes", "jaxlib"])
def test_without_a_package(run: Run, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command works without each package of others, or says which one it needs."""
    for loaded in [each for each in sys.modules if each.partition(".")[0] == name]:
        monkeypatch.delitem(sys.modules, loaded)
    is_there = find_spec("islpy") is not None
    monkeypatch.setitem(sys.modules, name, None)
    assert run("show", "f32[3,5]{1,0:T(2,2)}", "--color=always").code == 0
    assert run("compose", "(6,2):(8,2)", "(4,3):(3,1)", "--steps").code == 0
    code, out, err = run("index", "r = f32[2,3] reshape(f32[6] x)", "--relation")
    assert (code == 0) == (name != "islpy" and is_there), err
    if code:
        assert (code, out) == (1, "")
        assert "islpy, which is not installed" in err
        assert "Traceback" not in err
