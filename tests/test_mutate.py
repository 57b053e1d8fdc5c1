"""The script of wrong changes: the changes that no test can see, and a reader that leaves early."""

import json
import subprocess
import sys

import pytest
from mutate import EQUIVALENT, ROOT, mutants

pytestmark = pytest.mark.skipif(not (ROOT / "tla").exists(), reason="only in a clone")


def test_each_change_that_no_test_can_see_is_one_of_its_file() -> None:
    rows = [json.loads(line) for line in EQUIVALENT.read_text("utf-8").splitlines()]
    keys = [(row["file"], row["function"], row["change"]) for row in rows]
    files = {file for file, _function, _change in keys}
    changes = {m.key for file in files for m in mutants(f"tla/{file}")}
    assert [key for key in keys if key not in changes] == []
    assert len(set(keys)) == len(keys)
    assert all(row["reason"] for row in rows)


def test_a_reader_may_leave_early() -> None:
    """`python tests/mutate.py --list --count 0 | head -1`, with more output than a pipe holds."""
    command = [sys.executable, "tests/mutate.py", "--list", "--count", "0", "--files", "tla/numbers"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert "changes, seed 0" in process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0
