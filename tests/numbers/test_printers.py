"""Texts: each evaluates to its expression; the notation, MLIR and C++ read as people write them."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mlir import value_of_mlir
from random_exprs import Case, box_of, cases, source_of_tree

from tla.numbers import Expr, greatest, least, sym, to_cpp, to_mlir, to_notation, to_python
from tla.numbers.printers import facts_text

M, N = sym("M", divisible_by=16), sym("N")
X, J = sym("i", min=0), sym("j", min=None)

EXAMPLES: list[tuple[Callable[[], Any], str, str, str, str]] = [
    # value, notation, Python, MLIR, C++
    (lambda: N, "N", "N", "N", "N"),
    (lambda: N + 1, "N+1", "N + 1", "N + 1", "N + 1"),
    (lambda: N * 4 - 1, "4*N-1", "4 * N - 1", "N * 4 - 1", "4 * N - 1"),
    (lambda: M // 16, "M/16", "M // 16", "M floordiv 16", "M / 16"),
    (lambda: M // 16 * 3, "3*M/16", "3 * M // 16", "(M * 3) floordiv 16", "3 * M / 16"),
    (lambda: M // 4, "M{div=16}/4", "M // 4", "M floordiv 4", "M / 4"),
    (lambda: M % 48, "M{div=16}%48", "M % 48", "M mod 48", "M % 48"),
    (lambda: N // 4, "N//4", "N // 4", "N floordiv 4", "N / 4"),
    (lambda: N % 4 * 4, "4*(N%4)", "4 * (N % 4)", "(N mod 4) * 4", "4 * (N % 4)"),
    (lambda: X // 8 * 4 + X % 8, "4*(i{min=0}//8)+i%8", "4 * (i // 8) + i % 8",
     "(i floordiv 8) * 4 + i mod 8", "4 * (i / 8) + i % 8"),
    (lambda: X * N + J, "N*i{min=0}+j{min=none}", "N * i + j", "N * i + j", "N * i + j"),
    (lambda: J % 4, "j{min=none}%4", "j % 4", "j mod 4", "(j % 4 + 4) % 4"),
    (lambda: J // 4, "j{min=none}//4", "j // 4", "j floordiv 4", "(j / 4 - (j % 4 < 0))"),
    (lambda: least(X, 7), "min(7,i{min=0})", "min(7, i)", "min(7, i)", "(7 < i ? 7 : i)"),
    (lambda: greatest(X, 7), "max(7,i{min=0})", "max(7, i)", "max(7, i)", "(7 > i ? 7 : i)"),
    (lambda: greatest(X - 7, 0), "max(0,i{min=0}-7)", "max(0, i - 7)", "max(0, i - 7)",
     "(0 > (i - 7) ? 0 : (i - 7))"),
    (lambda: -N, "-N", "-N", "-N", "-N"),
    (lambda: J - X * N * 2, "-2*N*i{min=0}+j{min=none}", "-2 * N * i + j", "N * i * -2 + j",
     "-2 * N * i + j"),
    (lambda: -(X * N), "-N*i{min=0}", "-N * i", "-N * i", "-N * i"),
    (lambda: X // (M // 16), "i{min=0}//(M/16)", "i // (M // 16)", "i floordiv (M floordiv 16)",
     "i / (M / 16)"),
    (lambda: 3 - N, "-N+3", "-N + 3", "-N + 3", "-N + 3"),
    (lambda: X // N % 4, "(i{min=0}//N)%4", "(i // N) % 4", "(i floordiv N) mod 4", "(i / N) % 4"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "notation", "python", "mlir", "cpp"), EXAMPLES)
def test_texts(value: Callable[[], Any], notation: str, python: str, mlir: str, cpp: str) -> None:
    x = value()
    assert str(x) == to_notation(x) == f"{x}" == notation
    assert repr(x) == to_python(x) == python
    assert to_mlir(x) == mlir
    assert to_mlir(x, "/") == mlir.replace("floordiv", "/")
    assert to_cpp(x) == cpp


def test_texts_of_plain_ints() -> None:
    for write in (to_notation, to_python, to_mlir, to_cpp):
        assert [write(n) for n in (0, 7, -7)] == ["0", "7", "-7"]


@pytest.mark.parametrize(
    "x",
    [
        -(X // 8),
        -(J // 8),
        -(X % 8),
        -(J % 8),
        -(M // 16),
        -(M // 32),
        -(X // N),
        3 - J // 8,
        J - X // 8,
        -(J // 8) * 2,
        -(J // 8) * N,
        -(least(X, J) // 3),
        -least(X, J),
        -(M // 16 * X),
        (M // 16 * X) % 5,
        -((M // 16 * X) % 5),
        M // 16 % 3 * 16,
        least(M // 16, N) * 16,
        -(least(M // 16, N) * 16),
        X - (J - X) // 4,
    ],
    ids=repr,
)
def test_signs_and_parentheses(x: Expr) -> None:
    """A minus sign binds tighter than a division, in Python and in MLIR."""
    from tla.numbers import evaluate

    for point in ({"i": 21, "j": -13, "M": 48, "N": 5}, {"i": 0, "j": 9, "M": 16, "N": 1}):
        want = evaluate(x, point)
        assert eval(to_python(x), {**point}) == want
        assert value_of_mlir(to_mlir(x), point) == want
        assert value_of_mlir(to_mlir(x, "/"), point) == want


def test_only_two_spellings_of_division() -> None:
    with pytest.raises(ValueError, match="division is 'floordiv' or '/', not '//'"):
        to_mlir(X // 4, "//")


# --- facts in the notation ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (sym("M", 16), "M{div=16}"),
        (sym("M", 16) // 16, "M/16"),
        (sym("M", 16) // 8, "M{div=16}/8"),
        (sym("M", 16, 0), "M{div=16,min=0}"),
        (sym("M", 16, 16, 64), "M{div=16,min=16,max=64}"),
        (sym("M", max=9), "M{max=9}"),
        (sym("i", min=0, max=sym("N") - 1), "i{min=0,max=N-1}"),
        (sym("M", cpp_type="uint32_t"), "M{type=uint32_t}"),
        (sym("M", min=-3), "M{min=-3}"),
        (sym("i", min=0) + sym("i", min=0) // 2, "i{min=0}//2+i"),
        (sym("M", 4) * sym("i", min=0) // 4 + sym("i", min=0), "M{div=4}*i{min=0}/4+i"),
    ],
)
def test_facts_stand_where_a_name_is_first(x: Expr, text: str) -> None:
    assert str(x) == text


def test_facts_alone() -> None:
    (symbol,) = sym("M", 16, 0, 64).symbols
    assert facts_text(symbol) == "{div=16,min=0,max=64}"
    assert facts_text(symbol, 16) == "{min=0,max=64}"
    (plain,) = N.symbols
    assert facts_text(plain) == ""


# --- C++ --------------------------------------------------------------------------------------------


MAIN = """
#include <cstdint>
#include <cstdio>
{functions}
typedef int64_t (*Function)(const int64_t *);
static const Function functions[] = {{{names}}};
int main() {{
    long long which, count, value;
    int64_t v[8];
    while (std::scanf("%lld %lld", &which, &count) == 2) {{
        for (int k = 0; k < count; ++k) {{
            if (std::scanf("%lld", &value) != 1) return 1;
            v[k] = value;
        }}
        std::printf("%lld\\n", (long long)functions[which](v));
    }}
}}
"""


def run_cpp(
    folder: Path, texts: list[tuple[list[str], str]], inputs: list[tuple[int, list[int]]]
) -> list[int]:
    """Compile one function for each text, with its names as int64_t, and call them."""
    functions = []
    for k, (names, text) in enumerate(texts):
        loads = " ".join(f"const int64_t {name} = v[{i}]; (void){name};" for i, name in enumerate(names))
        functions.append(f"static int64_t f{k}(const int64_t *v) {{ (void)v; {loads} return {text}; }}")
    source = MAIN.format(
        functions="\n".join(functions), names=", ".join(f"f{k}" for k in range(len(texts)))
    )
    file, program = folder / "texts.cpp", folder / "texts"
    file.write_text(source)
    subprocess.run(
        [
            "g++",
            "-std=c++17",
            "-O0",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-parentheses",
            str(file),
            "-o",
            str(program),
        ],
        check=True,
    )
    lines = "\n".join(f"{k} {len(values)} {' '.join(map(str, values))}" for k, values in inputs)
    out = subprocess.run([str(program)], input=lines, capture_output=True, text=True, check=True).stdout
    return [int(line) for line in out.split()]


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
def test_cpp_texts_compile_and_agree(tmp_path: Path) -> None:
    tried: list[Case] = []
    texts: list[tuple[list[str], str]] = []
    inputs: list[tuple[int, list[int]]] = []
    want: list[int] = []
    for case in cases(31, 1500):
        x = case.built()
        if type(x) is not Expr:
            continue
        box = box_of(case.unknowns)
        chosen = range(0, len(box), max(1, len(box) // 25))
        truth = case.truth()
        inputs += [(len(texts), list(box[k])) for k in chosen]
        want += [truth[k] for k in chosen]
        texts.append((case.names, to_cpp(x)))
        tried.append(case)
    got = run_cpp(tmp_path, texts, inputs)
    wrong = [
        f"{texts[k][1]} at {values} is {a} instead of {b}, from {source_of_tree(tried[k].tree)}"
        for (k, values), a, b in zip(inputs, got, want, strict=True)
        if a != b
    ]
    assert not wrong, f"{len(wrong)} of {len(want)}: {wrong[0]}"
    assert len(texts) > 800


def test_cpp_names_of_narrow_types_are_widened() -> None:
    m, n = sym("m", cpp_type="uint32_t"), sym("n", cpp_type="int64_t")
    assert to_cpp(m * n + n) == "(int64_t)m * n + n"
    assert to_cpp(m // 4) == "(int64_t)m / 4"
    assert str(m // 4) == "m{type=uint32_t}//4"


# --- at random -----------------------------------------------------------------------------------


def test_texts_have_parentheses_in_pairs_where_they_tell_and_no_double_signs() -> None:
    for case in cases(32, 1500):
        x = case.built()
        for write in (to_notation, to_python, to_mlir, to_cpp):
            text = write(x)
            assert text.count("(") == text.count(")")
            assert "--" not in text.replace(" ", "")
            assert not re.search(r"(?<!\w)\(\w+\)", text)  # a number or a name alone
            assert "\0" not in text
