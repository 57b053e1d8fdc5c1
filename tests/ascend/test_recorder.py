"""The recorder: traces of kernels that are compiled for the host, and what is said of what goes wrong.

Slow: programs for both types of core by each compiler, and CATLASS's own kernels, where CATLASS and
their traces are: ``CATLASS`` names the folder, ``CATLASS_TRACES`` the one of the traces.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tla.ascend.recorder import Recording, record
from tla.ascend.recorder.sources import architecture_of, for_host, is_for_host, needs_catlass, target_of
from tla.errors import ArgumentError, TlaError, UnsupportedError

from .recorder_kernels import BOTH, CLANG, COMPILERS, TWICE, needs_compiler, program

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parent.parent.parent
CATLASS = Path(os.environ.get("CATLASS", ROOT.parent / "catlass"))
TRACES = Path(os.environ.get("CATLASS_TRACES", ROOT.parent / "shared" / "oracle" / "catlass_traces"))


def written(at: Path, source: str, name: str = "kernel.cpp") -> Path:
    path = at / name
    path.write_text(source, "utf-8")
    return path


def rows(recording: Recording) -> list[dict[str, Any]]:
    return [json.loads(line) for line in recording.trace.splitlines()]


def said(error: TlaError) -> str:
    return "\n".join([error.summary, *error.details])


@pytest.fixture
def compiler(tmp_path: Path) -> Callable[[str], str]:
    """A stand-in for a compiler: a script of the shell."""

    def make(script: str) -> str:
        path = written(tmp_path, f"#!/bin/sh\n{script}\n", "c++")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    return make


@needs_compiler
def test_a_kernel_of_the_vector_cores(tmp_path: Path) -> None:
    source = written(tmp_path, TWICE)
    recording = record(source, kind="vec")
    assert recording[:3] == ("AtlasA2", 2, (("X", 512), ("Y", 512)))
    assert recording.launches == 1
    lines = TWICE.splitlines()
    found = rows(recording)
    assert [row["core"] for row in found] == ["AIV0"] * 5 + ["AIV1"] * 5
    for row in found:
        path, _, number = row["site"].rpartition(":")
        assert (path, row["op"] in lines[int(number) - 1]) == (str(source), True)
    half = {"dtype": "float16"}
    assert found[5] == {
        **{"core": "AIV1", "op": "DataCopy", "pipe": "MTE2", "site": found[5]["site"]},
        **{"dst": {"space": "UB", "addr": 256} | half},
        **{"src": {"space": "GM", "tensor": "X", "offset": 128} | half},
        "params": {
            "form": "block",
            "blockCount": 1,
            "blockLen": 4,
            "srcStride": 0,
            "dstStride": 0,
            "unit": "32B",
        },
    }
    assert [(row["pipe"], row["params"]) for row in found[1:3]] == [
        ("MTE2", {"event": "MTE2_V", "id": 0}),
        ("V", {"event": "MTE2_V", "id": 0}),
    ]
    strides = {"dstBlkStride": 1, "srcBlkStride": 1, "dstRepStride": 8, "srcRepStride": 8}
    assert (
        found[3]["params"]
        == {"scalar": 0.0999755859, "mask": 0, "repeat": 1, "isSetMask": False} | strides
    )
    assert found[3]["src"]["addr"] == 256 + 64
    assert found[9]["dst"] == {"space": "GM", "tensor": "Y", "offset": 2 * (64 + 300)} | half
    assert (
        gzip.decompress(recording.packed("t.jsonl.gz")) == recording.packed("t.jsonl") == recording.trace
    )


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_kernel_of_both_types_of_cores(compiler: str, tmp_path: Path) -> None:
    source = written(tmp_path, BOTH)
    recording = record(source, ["0"], arch="Ascend950", cores=1, compiler=compiler)
    found = rows(recording)
    assert [row["core"] for row in found] == ["AIC0"] * 5 + ["AIV0"] * 4 + ["AIV1"] * 4
    assert [row["params"] for row in found if row["op"] == "GetValue"] == [{"value": 7}] * 3
    assert [row["params"] for row in found if row["op"] == "SetFlag"] == [
        {"event": "M_FIX", "id": 0, "id_uninitialised": True}
    ]
    assert [
        (place.rpartition(":")[0], times) for place, times in recording.divisions_by_zero.items()
    ] == [(str(source), 2)]
    mmad, fixpipe = found[1], found[3]
    assert (mmad["dst"], mmad["params"]["unitFlag"]) == (
        {"space": "L0C", "addr": 1024, "dtype": "float32"},
        3,
    )
    assert (fixpipe["params"]["quantPre"], fixpipe["params"]["format"]) == ("F322F16", "ROW_MAJOR")
    assert (found[4]["pipe"], found[4]["params"]) == ("FIX", {"mode": 2, "flag": 5})
    place = {"space": "UB", "addr": 32, "dtype": "float32"}
    assert [row["params"] for row in found if row["op"] == "VectorFunction"] == [
        {"name": "Double", "arguments": {"x": place, "rows": core}, "code": [
            ["Load", "float32", 256, [2], [], ["DIST_NORM", 32]],
            ["Add", "float32", 160 + 4 * core, [2], [2, 2], None],
            ["Store", "float32", 160 + 4 * core, [], [2], ["DIST_NORM_B32", 32]],
        ]}
        for core in (0, 1)
    ]  # fmt: skip


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize(
    ("body", "options", "text"),
    [
        (
            "while (true) PipeBarrier<PIPE_V>();",
            {"lines": 1000},
            "issued more than 1000 calls: AIV0 went on at LINE",
        ),
        ("while (true) { }", {"seconds": 1}, "did not end in 1 second: AIV0 was at LINE"),
        ("*reinterpret_cast<int*>(x + 5000) = 1;", {}, "AIV0 touched memory that it must not at LINE"),
        ("LocalTensor<half> t; t.SetValeu(0, 1);", {}, "refuses the program for AIV"),
        ("exit(3);", {}, "the program launched no kernel"),
    ],
)
def test_a_kernel_that_does_not_end_well(
    body: str, options: dict[str, Any], text: str, tmp_path: Path
) -> None:
    source = written(tmp_path, program(body))
    with pytest.raises(UnsupportedError) as raised:
        record(source, kind="vec", **options)
    line = f"{source}:{program(body).splitlines().index(body) + 1}"
    assert text.replace("LINE", line) in raised.value.summary
    assert "SetValeu" not in body or line in said(raised.value)


_PROGRAM = "for last; do :; done; printf '#!/bin/sh\\n{}' > $last; chmod +x $last"
"""A compiler whose every program is one script."""


@pytest.mark.parametrize(
    ("script", "text"),
    [
        (
            "printf 'k.cpp:3:5: error: no x\\nk.cpp:9:1: note: in f requested here\\n' >&2; exit 1",
            "k.cpp:3:5: error: no x\nasked for at k.cpp:9:1",
        ),
        (_PROGRAM.format("echo usage: m n k; exit 3"), "exit code 3, and said:\nusage: m n k"),
        (_PROGRAM.format("kill -9 $$"), "signal 9, without a word"),
    ],
)
def test_what_the_tools_say_is_shown(
    script: str, text: str, compiler: Callable[[str], str], tmp_path: Path
) -> None:
    with pytest.raises(UnsupportedError) as raised:
        record(written(tmp_path, TWICE), kind="vec", compiler=compiler(script))
    assert text in said(raised.value).replace("\n  ", "\n")


def test_bad_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CATLASS", raising=False)
    source = written(tmp_path, TWICE)
    with pytest.raises(ArgumentError, match="there is no file"):
        record(tmp_path / "none.cpp")
    with pytest.raises(ArgumentError, match="cores is 0: it must be at least 1"):
        record(source, cores=0)
    with pytest.raises(ArgumentError, match="with a zero byte"):
        record(source, ["a\0"])
    with pytest.raises(ArgumentError, match="for cube, vec or mix, not for 'cbue'"):
        record(source, kind="cbue")
    with pytest.raises(UnsupportedError, match=r"there is no architecture|Ascend960"):
        record(source, arch="Ascend960")
    with pytest.raises(UnsupportedError, match="there is no compiler no-such-c"):
        record(source, compiler="no-such-c++")
    with monkeypatch.context() as there:
        there.setattr("sys.platform", "darwin")
        with pytest.raises(UnsupportedError, match="recorded on Linux; this is darwin"):
            record(source)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnsupportedError, match=r"no clang\+\+ and no g\+\+ on this machine"):
        record(source)
    with pytest.raises(ArgumentError, match=f"{tmp_path} is not CATLASS"):
        record(source, catlass=tmp_path)
    wrong = written(tmp_path, '#include "catlass/catlass.hpp"\nusing A = Catlass::Arch::Ascend950;')
    with pytest.raises(UnsupportedError, match=r"kernel.cpp is for Ascend950, not for AtlasA3"):
        record(wrong, arch="AtlasA3")
    with pytest.raises(ArgumentError, match=r"includes CATLASS, and there is none around it"):
        record(wrong)
    monkeypatch.setenv("CATLASS", str(tmp_path))
    with pytest.raises(ArgumentError, match="is not CATLASS"):
        record(wrong)


def test_sources_for_the_host() -> None:
    """Launches, vector functions and specializations change, each line where it was; nothing else."""
    launch = "int main() {\n  if (a < b) run<half,\n      Shape<4>><<<n + 1, nullptr,\n  s>>>(a,\n b); }"
    host = for_host(launch)
    assert " ".join(host.split()) == (
        "int main() { if (a < b) tla_recorder::launch([&](auto... tla) { "
        "run<half, Shape<4>>(tla...); }, n + 1, nullptr, s)(a, b); }"
    )
    vector = "__simd_vf__ void F(T* x, Pair<int, int> p,\n int n = 3) {\n a; { b; }\n}\nint z;"
    assert '{ tla_recorder::vector_function("F", "x, p, n", x, p, n);' in for_host(vector)
    assert for_host(vector).endswith("\nint z;")
    known = "__simd_callee__ void G() { Add(a, b); }\n__simd_vf__ void F(T* x) {\n G(); Mul<T>(c); }"
    lines = (
        "G() { Add(a, b); }\n",
        '{ tla_recorder::VectorFunction tla_calls("F", "x", x); \n G(); Mul<T>(c); }',
    )
    assert all(line in for_host(known, by_calls=True) for line in lines)
    other = known.replace("Add", "Gather")
    assert for_host(other, by_calls=True) == for_host(other)
    declared = "__simd_vf__ void F(int n);\nvoid g() { }"
    assert for_host(declared) == declared
    core = (
        "template <int32_t CORE_TYPE = g_coreType>\nCATLASS_DEVICE void operator()(P const& p);\n"
        "template <>\nCATLASS_DEVICE void operator()<AscendC::AIC>(P const& p)\n{ f(); }"
    )
    head = (
        "template <int32_t CORE_TYPE = g_coreType, std::enable_if_t<CORE_TYPE {} AscendC::AIC, int> = 0>"
    )
    assert for_host(core).splitlines()[::2] == [head.format("!="), head.format("=="), "{ f(); }"]
    member = " template <class T>\n struct H { };\n template <>\n struct H<void> { using A = H<int>; };"
    assert for_host(member).splitlines() == [
        *(" template <class T, class Tla = void>", " struct H { };"),
        *(" template <class Tla>", " struct H<void, Tla> { using A = H<int>; };"),
    ]
    for text in (launch, vector, core, member):
        assert for_host(text).count("\n") == text.count("\n")
        assert not is_for_host(text)
        assert is_for_host(for_host(text)) or text is vector
    assert for_host("::A<B<C>>::D::f<1> <<<n>>> (x);") == (
        "tla_recorder::launch([&](auto... tla) { ::A<B<C>>::D::f<1> (tla...); }, n) (x);"
    )
    assert for_host("// see <<< below\nf<<<n>>>(x);").startswith("// see <<< below\ntla_recorder")
    assert for_host("a << b >> c; x <<= 2;") == "a << b >> c; x <<= 2;"


def test_what_an_example_says_of_itself(tmp_path: Path) -> None:
    written(
        tmp_path,
        "set(ALL\n  a.cpp\n  tiling.cpp)\ncatlass_example_add_executable(1_a vec ${ALL})\n"
        "target_compile_definitions(1_a PRIVATE L2_CACHE_HINT N=4)\n"
        "target_include_directories(1_a PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/own ${OTHER})\n"
        "catlass_example_add_executable(1_b cube b.cpp)\n"
        'option(ENDS "the ends of groups" OFF)\nif(ENDS)\n'
        "    target_compile_definitions(1_b PRIVATE ENDS)\nendif()\n",
        "CMakeLists.txt",
    )
    tiling = written(tmp_path, "", "tiling.cpp")
    own = str(tmp_path / "own")
    assert target_of(tmp_path / "a.cpp") == ("vec", (tiling,), ("L2_CACHE_HINT", "N=4"), (own,))
    assert target_of(tmp_path / "b.cpp") == ("cube", (), (), ())
    assert target_of(tmp_path / "none" / "c.cpp") == ("mix", (), (), ())
    assert architecture_of(["Arch::AtlasA2", "Catlass::Arch::AtlasA2;"]) == "AtlasA2"
    assert architecture_of(["Arch::AtlasA2", "Arch::Ascend950"]) is None
    assert needs_catlass(['# include "catlass/gemm.hpp"'])
    assert not needs_catlass(['#include "acl/acl.h"'])


# --- CATLASS's kernels, against their traces --------------------------------------------------

_TLA_EVENTS = ("enableUnitFlag = true", "enableUnitFlag = false")
_CHANGED: dict[str, list[tuple[str, str]]] = {
    "basic_events": [("MmadAtlasA2Pingpong<true>", "MmadAtlasA2Pingpong<false>")],
    "grouped_slice_m": [],  # without the macros of its CMakeLists.txt
    "tla_l0c2": [
        _TLA_EVENTS,
        (
            "MmadPingpong<ArchTag, enableUnitFlag, useHF32>",
            "MmadPingpong<ArchTag, enableUnitFlag, useHF32, 2>",
        ),
        ("Shape<_128, _256, _256>", "Shape<_128, _128, _256>"),
        ("Shape<_128, _256, _64>", "Shape<_128, _128, _64>"),
    ],
    "tla_f32": [
        ("using Element([ABC]) = half", r"using Element\1 = float"),
        ("Shape<_128, _256, _256>", "Shape<_128, _256, _128>"),
        ("Shape<_128, _256, _64>", "Shape<_128, _256, Int<32>>"),
        ("fp16_t", "float"),
    ],
    "a950_basic_half": [
        ("using Element([ABC]) = float", r"using Element\1 = half"),
        ("Int<128>>", "Int<256>>"),
        ("Int<32>>", "Int<64>>"),
    ],
    "a950_bias_f32": [
        ("using ElementBias = void", "using ElementBias = float"),
        ("Int<128>>;", "Int<64>>;"),
    ],
}
"""The changes of an example that the entry of its trace tells in words."""


def _entries() -> list[Any]:
    try:
        entries: list[Any] = json.loads((TRACES / "index.json").read_text("utf-8"))["traces"]
    except OSError:
        return []
    return entries if (CATLASS / "include" / "catlass" / "catlass.hpp").is_file() and CLANG else []


@pytest.mark.slow
@pytest.mark.skipif(not _entries(), reason="needs CATLASS, its traces and clang++")
def test_types_have_the_bits_that_they_have_on_the_device(tmp_path: Path) -> None:
    """CATLASS counts 8 bits for int4b_t on a host."""
    text = """
        #include "catlass/numeric_size.hpp"
        static_assert(Catlass::SizeOfBits<AscendC::int4b_t>::value == 4);
        int main() {}
    """
    with pytest.raises(UnsupportedError, match="launched no kernel"):
        record(written(tmp_path, text), catlass=CATLASS)


@pytest.mark.slow
@pytest.mark.parametrize("entry", [pytest.param(entry, id=entry["name"]) for entry in _entries()])
def test_a_kernel_of_catlass_leaves_its_trace(entry: dict[str, Any], tmp_path: Path) -> None:
    """The same calls with the same parameters, at the same places, as were recorded of it before."""
    import numpy as np

    name = entry["name"]
    folder = CATLASS / entry["example"]
    mains = [
        path for path in sorted(folder.glob("*.cpp")) if re.search(r"\bmain\(", path.read_text("utf-8"))
    ]
    source = next((path for path in mains if path.stem.endswith(name.removeprefix("a950_"))), mains[0])
    kind = target_of(source).kind
    if name in _CHANGED:
        text = source.read_text("utf-8")
        for pattern, new in _CHANGED[name]:
            text = re.sub(pattern, new, text)
        source = written(tmp_path, text, source.name)
    for file, values in {"q_ntokens": [100], "kv_ntokens": [300], "block_table": [0, 1, 2]}.items():
        np.array(values, np.int32).tofile(tmp_path / f"{file}.bin")
    for file, length in {"q_seqlen": 100, "kv_seqlen": 300}.items():
        np.array([length], np.int64).tofile(tmp_path / f"{file}.bin")
    arguments = [str(word).replace("@fa/a", str(tmp_path)) for word in entry["args"]]
    recording = record(source, arguments, catlass=CATLASS, kind=kind, defines=["L2_CACHE_HINT"])
    with gzip.open(TRACES / entry["file"], "rt") as lines:
        expected = [json.loads(line) for line in lines]
    found = rows(recording)
    assert len(found) == len(expected)
    for old, row in zip(expected, found, strict=True):
        if not old.get("params", {}).get("id_uninitialised"):  # the older recorder missed some
            row.get("params", {}).pop("id_uninitialised", None)
        if row.get("via", "").startswith(
            entry["example"]
        ):  # the line of a launch: of its start, of its end
            del row["via"], old["via"]
        assert row == old
    assert [tensor._asdict() for tensor in recording.tensors] == [
        {"name": one["name"], "bytes": one["bytes"]} for one in entry["tensors"]
    ]
    assert [[*pair] for pair in recording.divisions_by_zero.items()] == entry["modulo_by_zero"]
