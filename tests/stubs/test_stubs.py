"""The overlay of `stubs` says what the library's own arithmetic gives, and pyright and ty read it so."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import pytest

import tla
from tla.numbers.ints import Int

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
STUBS: Final = ROOT / "stubs"
TYPED: Final = ROOT / "tests" / "types" / "ok_arithmetic.py"
HOW_TO: Final = ROOT / "docs" / "howto" / "static_arithmetic_in_pyright.md"

if not STUBS.exists():
    pytest.skip("the wheel has no stubs", allow_module_level=True)

Command: TypeAlias = "Sequence[str | Path]"

needs_pyright = pytest.mark.skipif(shutil.which("pyright") is None, reason="needs pyright")
needs_ty = pytest.mark.skipif(shutil.which("ty") is None, reason="needs ty")


def ran(command: Command, folder: Path, **environment: str) -> tuple[int, str]:
    """Exit status and output of a command, with the library importable and no other setting."""
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


# --- the generator ----------------------------------------------------------------------------


def generate(folder: Path, *arguments: str | Path) -> tuple[int, str]:
    return ran([sys.executable, STUBS / "generate.py", *arguments], folder)


def test_the_overlay_is_what_the_generator_writes(tmp_path: Path) -> None:
    """Where this fails, run `python stubs/generate.py`."""
    assert generate(tmp_path, "--check") == (0, "")


def test_check_prints_what_differs_and_writes_nothing(tmp_path: Path) -> None:
    copy = tmp_path / "ints.pyi"
    assert generate(tmp_path, copy) == (0, "")
    written = copy.read_text("utf-8")
    assert written == (STUBS / "tla-stubs" / "numbers" / "ints.pyi").read_text("utf-8")
    broken = written.replace("Int[Literal[24]]: ...", "Int[Literal[25]]: ...", 1)
    assert broken != written
    copy.write_text(broken, "utf-8")
    status, difference = generate(tmp_path, "--check", copy)
    assert status == 1
    [line] = {*broken.splitlines()} - {*written.splitlines()}
    assert "-> Int[Literal[25]]" in line
    assert f"-{line}" in difference
    assert copy.read_text("utf-8") == broken
    copy.unlink()
    assert generate(tmp_path, "--check", copy)[0] == 1
    assert not copy.exists()


def test_each_overload_of_a_table_is_the_library_s_answer() -> None:
    """Read from the stub's text, and asked of `Int` once more."""
    checked = 0
    for method in ast.walk(ast.parse((STUBS / "tla-stubs" / "numbers" / "ints.pyi").read_text("utf-8"))):
        if isinstance(method, ast.FunctionDef) and method.returns is not None:
            parameters = [a.annotation for a in (*method.args.posonlyargs, *method.args.args)]
            operands = [literals(p) for p in parameters if p is not None]
            if method.name.startswith("__") and operands and all(operands):
                [result] = literals(method.returns)
                for left in operands[0]:
                    for others in [(right,) for right in operands[1]] if operands[1:] else [()]:
                        found = getattr(Int, method.name)(left, *others)
                        assert (type(found), found) == (Int, result), (method.name, left, others)
                        checked += 1
    assert checked == 3 * 16**2 + 2 * 16 * 15 + 3 * 16


def literals(annotation: ast.expr) -> list[Int[int]]:
    """The values of ``Int[Literal[...]]``; none of another type."""
    inner = annotation.slice if isinstance(annotation, ast.Subscript) else None
    if not isinstance(inner, ast.Subscript):
        return []
    values = ast.literal_eval(inner.slice)
    return [Int(value) for value in (values if isinstance(values, tuple) else (values,))]


# --- the overlay against the library ------------------------------------------------------------


def test_stubtest_finds_only_what_is_allowed(tmp_path: Path) -> None:
    """In a tree where the stub stands beside the modules that it imports, under an empty package."""
    pytest.importorskip("mypy")
    package = tmp_path / "tree" / "tla"
    shutil.copytree(Path(tla.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "__init__.py").write_text("")
    shutil.copy(STUBS / "tla-stubs" / "numbers" / "ints.pyi", package / "numbers")
    command: Command = [
        sys.executable,
        "-m",
        "mypy.stubtest",
        "tla.numbers.ints",
        "--allowlist",
        HERE / "allowlist.txt",
    ]
    status, output = ran(command, tmp_path, MYPYPATH=str(package.parent))
    assert status == 0, output


def test_mypy_does_not_read_the_overlay_in_a_clone(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the root of the repository the library itself comes first."""
    pytest.importorskip("mypy")
    from mypy.build import default_data_dir
    from mypy.modulefinder import BuildSource, FindModuleCache, compute_search_paths
    from mypy.options import Options

    monkeypatch.chdir(ROOT)
    program = BuildSource("program.py", "program", base_dir=str(ROOT))
    paths = compute_search_paths([program], Options(), default_data_dir())
    found = FindModuleCache(paths, None, Options()).find_module("tla.numbers.ints")
    assert isinstance(found, str)
    assert Path(found) == ROOT / "tla" / "numbers" / "ints.py"


# --- the overlay under the checkers that it is for ----------------------------------------------

BEYOND: Final = """
from typing import Literal, assert_type
from tla import Int, _2, _4, _5, _8
def f(n: int, either: Int[Literal[2, 4]], some: Int[int], is_small: bool) -> None:
    assert_type(_5 * _4, Int[int])
    assert_type(_4 * _4 * _5 * _4, Int[int])
    assert_type(some + _2, Int[int])
    assert_type(_2 * either, Int[int])
    assert_type(_8 % either, Int[Literal[0]])
    assert_type((_4 if is_small else _8) // _2, Int[Literal[2]] | Int[Literal[4]])
    assert_type(_5 * n, int)
    assert_type(_2 / _4, float)
    assert_type(abs(-_4 + _2), Int[int])
    assert_type(abs(_2), Int[Literal[2]])
    sum([_2, _4])
"""
"""What no table has is what the library declares: static of unknown value, or dynamic."""

WRONG: Final = """
from typing import Literal, assert_type
from tla import Int, _2, _12
assert_type(_2 * _12, Int[Literal[25]])
"""


@pytest.fixture
def programs(tmp_path: Path) -> list[Path]:
    """The files to check; the last has an error."""
    shutil.copy(TYPED, tmp_path)
    page = re.findall(r"^```python.*\n(.*?)^```$", HOW_TO.read_text("utf-8"), re.M | re.S)
    (tmp_path / "how_to.py").write_text("".join(page))
    (tmp_path / "beyond.py").write_text(BEYOND)
    (tmp_path / "wrong.py").write_text(WRONG)
    return [tmp_path / name for name in (TYPED.name, "how_to.py", "beyond.py", "wrong.py")]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that has the library and the overlay installed."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    ran([sys.executable, "-m", "venv", "--without-pip", folder], ROOT)
    (site,) = folder.glob("[Ll]ib/**/site-packages")
    (site / "tla").symlink_to(Path(tla.__file__).parent)
    (site / "tla-stubs").symlink_to(STUBS / "tla-stubs")
    return folder


def pyright_errors(folder: Path, *arguments: str | Path) -> list[tuple[str, int]]:
    """The file and line of each error that pyright finds, a line counted from 0."""
    _status, output = ran(["pyright", "--outputjson", *arguments], folder, PYTHONPATH="")
    found = json.loads(output[output.index("{") :])["generalDiagnostics"]
    errors = [d for d in found if d["severity"] == "error"]
    return [(Path(error["file"]).name, error["range"]["start"]["line"]) for error in errors]


def ty_errors(folder: Path, *arguments: str | Path) -> list[tuple[str, int]]:
    """The file and line of each error that ty finds, a line counted from 0."""
    command: Command = [
        "ty",
        "check",
        "--output-format",
        "concise",
        "--no-progress",
        *arguments,
    ]
    _status, output = ran(command, folder, PYTHONPATH="", NO_COLOR="1")
    errors = [line.split(":") for line in output.splitlines() if " error[" in line]
    return [(Path(error[0]).name, int(error[1]) - 1) for error in errors]


@needs_pyright
def test_pyright_with_the_overlay_on_its_stub_path(programs: list[Path], tmp_path: Path) -> None:
    """It has nothing against the examples then, either."""
    config = {"stubPath": str(STUBS), "extraPaths": [str(ROOT)], "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config))
    files: Command = [*programs, *sorted((ROOT / "examples").glob("*.py"))]
    assert pyright_errors(tmp_path, *files) == [("wrong.py", 3)]


@needs_pyright
def test_pyright_with_the_overlay_installed(
    programs: list[Path], tmp_path: Path, environment: Path
) -> None:
    arguments: Command = ["--pythonpath", environment / "bin" / "python", *programs]
    assert pyright_errors(tmp_path, *arguments) == [("wrong.py", 3)]


@needs_ty
def test_ty_with_the_overlay_on_its_search_path(programs: list[Path], tmp_path: Path) -> None:
    search: Command = ["--extra-search-path", STUBS, "--extra-search-path", ROOT]
    assert ty_errors(tmp_path, *search, *programs) == [("wrong.py", 3)]


@needs_ty
def test_ty_with_the_overlay_installed(programs: list[Path], tmp_path: Path, environment: Path) -> None:
    assert ty_errors(tmp_path, "--python", environment, *programs) == [("wrong.py", 3)]


@needs_ty
def test_without_the_overlay_the_arithmetic_is_not_known(programs: list[Path], tmp_path: Path) -> None:
    lines = {line for _file, line in ty_errors(tmp_path, "--extra-search-path", ROOT, programs[0])}
    text = programs[0].read_text().splitlines()
    assert {text[line].strip() for line in lines} >= {"assert_type(_2 * _12, Int[Literal[24]])"}


# --- the distribution ---------------------------------------------------------------------------


def test_the_built_wheel_has_the_overlay_alone(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    copy = tmp_path / "stubs"
    shutil.copytree(STUBS, copy)
    command: Command = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "-t",
        "wheel",
        "-d",
        tmp_path / "dist",
    ]
    status, output = ran(command, copy)
    assert status == 0, output
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    info = f"tla_layouts_stubs-{tla.__version__}.dist-info"
    assert sorted(name for name in names if not name.startswith(info)) == [
        "tla-stubs/numbers/ints.pyi",
        "tla-stubs/py.typed",
    ]
    metadata = zipfile.ZipFile(wheel).read(f"{info}/METADATA").decode()
    assert f"Requires-Dist: tla-layouts=={tla.__version__}\n" in metadata


def test_the_overlay_is_of_the_library_s_version() -> None:
    project = tomllib.loads((STUBS / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == tla.__version__
    assert project["dependencies"] == [f"tla-layouts=={tla.__version__}"]


def test_the_overlay_is_partial() -> None:
    """PEP 561: what the overlay does not have is looked up in the library."""
    assert (STUBS / "tla-stubs" / "py.typed").read_text() == "partial\n"
