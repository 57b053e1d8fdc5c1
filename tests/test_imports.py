"""What an import loads: the standard library alone, until a function needs more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import tla

ROOT = Path(tla.__file__).parent.parent
THIRD_PARTY = ["numpy", "rich", "islpy", "ml_dtypes", "typing_extensions", "hypothesis"]
SLOW = ["numpy", "rich", "dataclasses", "typing_extensions", "hypothesis"]

BLOCKED = f"import sys\nfor name in {THIRD_PARTY}:\n    sys.modules[name] = None\n"


def run(code: str) -> Any:
    """What a fresh interpreter prints as JSON, read."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout.splitlines()[-1])


def loaded_by(code: str, before: str = "") -> set[str]:
    """The top-level modules that code loads, beyond those of what runs before."""
    return set(
        run(
            f"import sys, json\n{before}\nbefore = set(sys.modules)\n{code}\n"
            "print(json.dumps(sorted({name.split('.')[0] for name in set(sys.modules) - before})))"
        )
    )


def test_import_loads_no_other_package() -> None:
    loaded = loaded_by("import tla")
    assert "tla" in loaded
    assert loaded.isdisjoint(SLOW)
    assert loaded <= {"tla", *sys.stdlib_module_names}


def test_convert_loads_no_other_package() -> None:
    """What the argument parser loads of the standard library is not ours to choose."""
    command = 'from tla.cli import main\nassert main(["convert", "f32[3,5]{1,0:T(2,2)}"]) == 0'
    loaded = loaded_by(command, before="import argparse")
    assert "tla" in loaded
    assert loaded.isdisjoint(SLOW)


def test_json_loads_no_other_package() -> None:
    command = 'from tla.cli import main\nassert main(["show", "(2,3):(3,1)", "--json"]) == 0'
    assert loaded_by(command, before="import argparse, json").isdisjoint(SLOW)


def test_a_command_loads_only_itself() -> None:
    modules = run(
        "import sys, json\nfrom tla.cli import main\nmain(['show', '(2,3):(3,1)'])\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    assert "tla.cli.show" in modules
    assert "tla.cli.convert" not in modules
    assert "tla.cli.hlo" not in modules
    assert "tla.hlo" not in modules


def test_every_module_imports_with_the_standard_library_alone() -> None:
    """Except `tla.testing`, which is made of hypothesis, and what mypy loads."""
    imported = run(
        BLOCKED + "import json, pkgutil\nfrom importlib import import_module\nimport tla\n"
        "names = [m.name for m in pkgutil.walk_packages(tla.__path__, 'tla.')]\n"
        "apart = ('tla.testing', 'tla.__main__', 'tla.mypy_plugin')\n"
        "names = [n for n in names if not n.startswith(apart)]\n"
        "for name in names:\n    import_module(name)\n"
        "print(json.dumps(names))"
    )
    there = {path.relative_to(ROOT) for path in (ROOT / "tla").rglob("*.py")}
    elsewhere = {
        path
        for path in there
        if path.parts[1] in ("testing", "__init__.py", "__main__.py", "mypy_plugin.py")
    }
    assert len(imported) == len(there - elsewhere)
    assert "tla.xla_bridge.to_layout" in imported


def test_commands_run_with_the_standard_library_alone() -> None:
    lines = [
        ["convert", "f32[3,5]{1,0:T(2,2)}"],
        ["convert", "((2,2),(2,3)):((2,12),(1,4)):(3,5)", "--dtype", "bf16"],
        ["show", "((4,2),(4,3)):((4,16),(1,32))"],
        ["hlo", str(Path(__file__).parent / "data" / "tpu_hlo" / "v5e_pad_window.hlo")],
    ]
    codes = run(
        BLOCKED + "import json\nfrom tla.cli import main\n"
        f"codes = [main(line) for line in {lines}]\nprint(json.dumps(codes))"
    )
    assert codes == [0, 0, 0, 0]


def test_tables_are_lists_without_numpy() -> None:
    table = run(BLOCKED + "import json, tla\nprint(json.dumps(tla.offsets(tla.parse('(2,3):(3,1)'))))")
    assert table == [[0, 1, 2], [3, 4, 5]]


def test_the_rooms_are_loaded_when_they_are_asked_for() -> None:
    found = run(
        "import json, sys, tla\n"
        "rooms = ('hlo', 'indexing', 'memory', 'xla_bridge')\n"
        "before = [f'tla.{name}' in sys.modules for name in rooms]\n"
        "tla.hlo.read_module, tla.indexing.parse_map, tla.memory.live, tla.xla_bridge.to_layout\n"
        "print(json.dumps([before, {*rooms} <= {*dir(tla)}]))"
    )
    assert found == [[False] * 4, True]
