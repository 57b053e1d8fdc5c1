"""What `docs/security.md` promises of every command: no network, no program, no code of a text, no file
but the one of ``-o``.

A process runs the commands of the documents under an audit hook, which Python tells of each such act.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli.running import ENVIRONMENT

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

WATCHED = """
import os, shlex, sys
from tla.cli import main

FORBIDDEN = ("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "ctypes.",
             "urllib.", "http.", "webbrowser.", "shutil.", "os.remove", "os.rename", "os.mkdir", "pty.",
             "import pickle", "pickle.", "marshal.loads", "code.__new__")
command = ""

def from_import():
    frame = sys._getframe(2)
    while frame is not None:
        if "importlib" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False

def watch(event, arguments):
    if not command:
        return
    if event.startswith(FORBIDDEN) or event in ("exec", "compile", "import") or event == "open":
        if event == "open":
            path, mode, flags = arguments
            if not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                return
        elif event == "import" or from_import():
            return
        print(command, event, arguments, file=sys.__stderr__)

sys.addaudithook(watch)
for line in sys.argv[1:]:
    command = line
    main(shlex.split(line)[1:])
"""


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / "docs").exists(), reason="the wheel has no documents")
def test_a_command_computes_and_writes_only_the_file_that_it_is_told(tmp_path: Path) -> None:
    text = "\n".join(path.read_text("utf-8") for path in DOCUMENTS)
    lines = [line.removesuffix(" || true") for line in re.findall(r"^\$ (tla .*)$", text, re.M)]
    computing = [
        line
        for line in lines
        if not re.search(r"[|<>]|\s-o\s|--tuner|\.py:", re.sub(r"'[^']*'", "", line))
    ]
    assert len(computing) > 100
    told = tmp_path / "picture.svg"
    computing.append(f"tla show (2,3):(3,1) -o {told}")
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *computing],
        cwd=ROOT, env={**ENVIRONMENT, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    acts = [
        line for line in done.stderr.splitlines() if line.startswith("tla ") and "tla: error" not in line
    ]
    assert done.returncode == 0, done.stderr[-2000:]
    assert acts, "the hook sees a file that is written"
    assert [act for act in acts if str(tmp_path) not in act.partition(str(told))[2]] == []
