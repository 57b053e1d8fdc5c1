"""Commands on ``.hlo.pb``: what they say of the text of the same module, and of bytes that are none."""

from __future__ import annotations

import gzip
import json
import sys
from typing import TYPE_CHECKING

import pytest

from .running import MODULES

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run

DATA = MODULES.parent / "tpu_protos"


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """A folder with the protocol buffers of one module, as a compiler writes them."""
    pytest.importorskip("google.protobuf", reason="protobuf is not installed")
    for stage in ("after_codegen", "after_optimizations"):
        data = gzip.decompress((DATA / f"cond.{stage}.hlo.pb.gz").read_bytes())
        (tmp_path / f"module_0001.jit_cond.{stage}.hlo.pb").write_bytes(data)
    return tmp_path


def texts(folder: Path) -> Path:
    """A folder with the texts of the same module."""
    (folder / "texts").mkdir()
    for stage in ("after_codegen", "after_optimizations"):
        text = gzip.decompress((DATA / f"cond.{stage}.txt.gz").read_bytes())
        (folder / "texts" / f"module_0001.jit_cond.{stage}.txt").write_bytes(text)
    name = "module_0001.jit_cond.after_optimizations-buffer-assignment.txt"
    (folder / "texts" / name).write_text((DATA / "cond.buffer-assignment.txt").read_text())
    return folder / "texts"


def test_a_folder_of_protocol_buffers_says_what_one_of_texts_does(run: Run, dump: Path) -> None:
    ours = run("hlo", str(dump), "--chip", "v5e")
    theirs = run("hlo", str(texts(dump)), "--chip", "v5e")
    assert ours.out.splitlines()[1:] == theirs.out.splitlines()[1:]
    assert ours.out.startswith(
        "module_0001.jit_cond, by after_codegen.hlo.pb, after_optimizations.hlo.pb\n"
    )


@pytest.mark.parametrize(
    "options", [[], ["--live"], ["--copies", "--json"], ["--by", "op_name"]], ids=str
)
def test_a_file_says_what_its_text_does(run: Run, dump: Path, options: list[str]) -> None:
    name = "module_0001.jit_cond.after_codegen"
    text = texts(dump) / f"{name}.txt"
    assert run("hlo", str(dump / f"{name}.hlo.pb"), *options) == run("hlo", str(text), *options)


def test_a_file_with_its_buffer_assignment_stands_for_a_dump(run: Run, dump: Path) -> None:
    name = "module_0001.jit_cond.after_optimizations.hlo.pb"
    facts = json.loads(run("hlo", str(dump / name), "--json").out)
    whole = json.loads(run("hlo", str(dump), "--json").out)
    assert facts["spaces"] == whole["spaces"]
    assert facts["module"] == name.removesuffix(".hlo.pb")


def test_other_commands_and_many_files(run: Run, dump: Path) -> None:
    path = dump / "module_0001.jit_cond.after_codegen.hlo.pb"
    text = texts(dump) / "module_0001.jit_cond.after_codegen.txt"
    assert run("convert", f"{path}:%copy.11") == run("convert", f"{text}:%copy.11")
    ours, theirs = (
        json.loads(run("hlo", str(each), "--results", str(dump / f"{i}.jsonl"), "--json").out)
        for i, each in enumerate((path, text))
    )
    assert {**ours, "path": ""} == {**theirs, "path": ""}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "m.hlo.pb: the protocol buffer is empty: it has no module"),
        (
            b"HloModule m",
            "m.hlo.pb: the protocol buffer has no module\n  It is text: give the file a name",
        ),
        (
            b"\n\x90\x01",
            "m.hlo.pb: the protocol buffer has no module\n  It is cut short, or of another kind",
        ),
    ],
)
def test_bad_files(run: Run, dump: Path, data: bytes, says: str) -> None:
    path = dump / "m.hlo.pb"
    path.write_bytes(data)
    for arguments in (["hlo"], ["hlo", "--live"], ["hlo", "--against", str(path)]):
        code, _out, err = run(*arguments, str(path))
        assert code == 1
        assert says in err
    assert says in run("convert", f"{path}:%x").err
    assert "cannot read" in run("hlo", str(dump / "none.hlo.pb")).err


def test_without_protobuf_one_sentence_says_so(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tla.hlo import schema

    schema._classes.cache_clear()
    for name in {"google.protobuf.descriptor_pb2", *(n for n in sys.modules if n.startswith("google."))}:
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "m.hlo.pb").write_bytes(b"x")
    code, _out, err = run("hlo", str(tmp_path / "m.hlo.pb"))
    assert code == 1
    assert err == (
        "tla: error: a module as a protocol buffer needs protobuf, which is not installed\n"
        "  It comes with the extra: pip install 'tla-layouts[proto]'\n"
    )
