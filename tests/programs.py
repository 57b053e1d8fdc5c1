"""C++ programs made of emitted text: many expressions, one call of g++, one run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

STAND_INS = Path(__file__).parent / "cpp"
GXX = shutil.which("g++")

needs_gxx = pytest.mark.skipif(GXX is None, reason="no g++")

_HEAD = """\
#include <cstdint>
#include <cxxabi.h>
#include <iostream>
#include <type_traits>
#include <typeinfo>
#include "tla/layout.hpp"
#include "cute/layout.hpp"
template <class T>
void print_type()
{
    std::cout << abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, nullptr) << '\\n';
}
"""
_A_FUNCTION = 40  # blocks of one function: g++ takes long over long ones


def printed(blocks: Sequence[str], at: Path, options: Sequence[str] = ()) -> list[str]:
    """What each block of statements prints, as lines, when all are compiled and run together."""
    functions = [blocks[i : i + _A_FUNCTION] for i in range(0, len(blocks), _A_FUNCTION)]
    source = _HEAD
    for i, function in enumerate(functions):
        body = "\n".join(f"{{ {block} }}" for block in function)
        source += f"static void f{i}() {{\n{body}\n}}\n"
    source += f"int main() {{ {' '.join(f'f{i}();' for i in range(len(functions)))} }}\n"
    done = compiled(source, at, ["-o", str(at / "program"), *options])
    assert done.returncode == 0, done.stderr[:4000]
    run = subprocess.run([at / "program"], capture_output=True, text=True, check=True, timeout=60)
    return run.stdout.splitlines()


def compiled(source: str, at: Path, options: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """What g++ says to a program."""
    assert GXX is not None
    file = at / "program.cpp"
    file.write_text(source, "utf-8")
    return subprocess.run(
        [GXX, "-std=c++17", "-O0", "-w", *options, f"-I{STAND_INS}", str(file)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
