# SPDX-License-Identifier: Apache-2.0
"""Whole programs in C++: a host that reads files, launches a kernel of CATLASS and writes files.

>>> from tla.ascend import gemm
>>> made = gemm("AtlasA2", (1024, 576, 6144)).emit()
>>> made.name, made.source.count("int main"), made.cmake.splitlines()[-1]
('tla_matmul', 1, 'catlass_example_add_executable(tla_matmul cube tla_matmul.cpp)')

The program lies beside CATLASS's examples and is built as they are. It takes a folder: it reads each
input from it, as ``A.bin``, and writes each output to it, as ``C.bin``, as numpy's ``tofile`` does.

Source: CATLASS examples/CMakeLists.txt, examples/common/helper.hpp, examples/00_basic_matmul.
"""

from __future__ import annotations

import re
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from ...errors import ArgumentError, UnsupportedError
from .emit import emit_cpp
from .kernels import kernel
from .tiling import OPERANDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .epilogues import Epilogue
    from .kernels import Kernel
    from .tile import Operand
    from .tiling import Tiling


class CppProgram(NamedTuple):
    """A program in C++ and what CMake is told of it.

    >>> CppProgram("tla_twice", "int main() {}\\n", "").files()
    {'tla_twice.cpp': 'int main() {}\\n', 'CMakeLists.txt': ''}
    """

    name: str
    """The name of its folder, of its target and, with ``.cpp``, of its source."""
    source: str
    cmake: str
    arguments: tuple[str, ...] = ()
    """The words that start it with the plan's problem, if it takes them."""
    others: tuple[tuple[str, str], ...] = ()
    """The names and texts of files that belong to it: headers, kernels, scripts."""

    def files(self) -> dict[str, str]:
        """Return the texts of its files by their names."""
        return {f"{self.name}.cpp": self.source, "CMakeLists.txt": self.cmake, **dict(self.others)}

    def write(self, folder: str | Path) -> Path:
        """Write its files to a folder, which is made if it is not there, and return its source's path.

        Raises:
            OSError: a file cannot be written.
        """
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, text in self.files().items():
            Path(folder, name).write_text(text, "utf-8")
        return Path(folder, f"{self.name}.cpp")


class Memory(NamedTuple):
    """A tensor in the device's memory, as the host of a program has it."""

    name: str
    bytes: int = 0
    is_read: bool = True
    is_written: bool = False
    type: str = ""
    """The C++ type of each of its values, if the program itself has them."""
    values: Sequence[object] = ()


_LAUNCH: Final = "    // LAUNCH\n"
"""The line of ``host.cpp`` that the lines of a program replace."""


def cpp_text(name: str) -> str:
    """Return a part of programs in C++, a file of ``tla/ascend/cpp``.

    >>> "int main" in cpp_text("host.cpp")
    True
    """
    from importlib.resources import files

    return files("tla.ascend").joinpath("cpp", name).read_text("utf-8")


def host_program(
    name: str, kind: str, device: str, memories: Sequence[Memory], launch: Iterable[str]
) -> CppProgram:
    """Return a program: the text of its device side, its memories, and the lines that launch it.

    Args:
        kind: The cores of the kernel: cube, vec or mix.
        launch: Lines of C++, which may use ``deviceA`` for the memory A, ``stream``,
            ``hardwareSyncAddr`` where cores of both kinds meet, and ``platform``.

    Raises:
        ArgumentError: the name is no word of letters, digits and underscores.
    """
    if not re.fullmatch(r"\w+", name, re.ASCII):
        words = "It names a folder and a target of CMake: letters, digits and underscores."
        raise ArgumentError(f"a program cannot be named {name!r}", words, name=name)
    lines: list[str] = []
    for memory in memories:
        name_of, host = f"device{memory.name}", f"host{memory.name}"
        lines += [f"    uint8_t* {name_of}{{nullptr}};"]
        if memory.values:
            values = ", ".join(map(str, memory.values))
            lines += [f"    const {memory.type} {host}[] = {{{values}}};"]
            lines += [f"    Put(&{name_of}, sizeof({host}), {host});"]
        else:
            path = f'file("{memory.name}.bin")' if memory.is_read else '""'
            lines += [f"    Load(&{name_of}, {memory.bytes}, {path});"]
    lines += [f"    {line}" for line in launch]
    lines += ["    ACL_CHECK(aclrtSynchronizeStream(stream));"]
    written = [memory for memory in memories if memory.is_written]
    lines += ["    if (!folder.empty()) {"] if written else []
    lines += [f'        Save(device{x.name}, {x.bytes}, file("{x.name}.bin"));' for x in written]
    lines += ["    }"] if written else []
    lines += [f"    ACL_CHECK(aclrtFree(device{memory.name}));" for memory in memories]
    cmake = (
        f"set_source_files_properties({name}.cpp PROPERTIES LANGUAGE ASC)\n"
        f"catlass_example_add_executable({name} {kind} {name}.cpp)\n"
    )
    host = cpp_text("host.cpp").replace(_LAUNCH, "".join([f"{line}\n" for line in lines]))
    return CppProgram(name, f"{device}\n{host}", cmake)


def emit_program(plan: Tiling, name: str) -> CppProgram:
    """Return the program of a plan: `emit_cpp` with a host.

    Raises:
        UnsupportedError: no kernel of CATLASS takes the plan; as `emit_cpp`.
    """
    text, taker = emit_cpp(plan), kernel(plan)
    if taker is None:
        why = next(line[3:] for line in text.splitlines()[1:] if line.startswith("// "))
        raise UnsupportedError("there is no program of the plan", why)
    headers = ['"catlass/catlass.hpp"', '"catlass/gemm/device/device_gemm.hpp"', '"helper.hpp"']
    first, *rest = text.split("\n", 1)
    includes = "".join(f"#include {header}\n" for header in headers)
    switch = "#ifndef K_MAX_SHAPE_DIM\n#define K_MAX_SHAPE_DIM 0\n#endif\n"
    device = f"{first}\n{switch}{includes}{rest[0]}"
    kind = "mix" if taker.sums or taker.epilogues or taker.name in _MIXED else "cube"
    return host_program(name, kind, device, _memories(plan), _launch(plan, taker))


_MIXED: Final = (
    "StreamkMatmulTla", "MultiCoreSplitkMatmulTla", "TailMultiCoreSplitkMatmulTla",
    "GroupedMatmulSliceK",
)  # fmt: skip
"""The kernels that vector cores run too, beside those that add up sums."""
_ONE: Final = "problemShape A B C"
_SCALED: Final = "deviceScale devicePerTokenScale deviceD"
_ARGUMENTS: Final = {
    "SplitkMatmul": "problemShape cores sizeof(ElementAccumulator) A B C",
    "StreamkMatmul": "problemShape cores A B C",
    **dict.fromkeys(_MIXED[:3], f"{_ONE} cores"),
    **dict.fromkeys(("BatchedMatmul", "BatchedMatmulTla", "StridedBatchedMatmulTla"), f"count {_ONE}"),
    **dict.fromkeys(("MatmulEpilogue", "MatmulActivation"), "problemShape sizeof(ElementC) A B deviceD"),
    "QuantMatmulMultiStageWorkspace": f"problemShape cores A B {_SCALED}",
    "GroupedMatmulSliceMPerTokenDequantMultiStageWorkspace": (
        f"problemShape count cores deviceGroupList A B {_SCALED}"
    ),
    **dict.fromkeys(
        ("GroupedMatmulSliceMPerTokenDequant", "GroupedMatmulSliceKPerTokenDequant"),
        f"problemShape count deviceGroupList A B {_SCALED}",
    ),
    "GroupedMatmul": "count deviceProblems A deviceLayoutsA B deviceLayoutsB C deviceLayoutsC",
    **dict.fromkeys(
        ("GroupedMatmulSliceM", "GroupedMatmulSliceMTla", "GroupedMatmulSliceK"),
        "problemShape count deviceGroupList A B C",
    ),
}  # fmt: skip
"""The arguments of kernels; of the others they are the problem and the matrices."""


def _memories(plan: Tiling) -> list[Memory]:
    groups, found = plan.groups, list[Memory]()
    problems = (plan.problem,) if groups is None else groups.problems
    for operand in OPERANDS:
        of, one = plan.element(operand), int(plan.layout(operand).cosize)
        if groups is not None and groups.axis == "list":
            one = sum(prod(plan.extents(operand, problem)) for problem in problems)
        elif groups is not None and groups.apart(operand):
            one *= len(problems)
        found.append(
            Memory(operand, of.bytes_of(one), is_read=operand != "C", is_written=operand == "C")
        )
    if plan.bias is not None:
        found.insert(2, Memory("Bias", plan.bias.bytes_of(plan.problem.n)))
    if plan.epilogue is not None:
        found[2:] = _of_epilogue(plan, plan.epilogue)
    if groups is not None and groups.axis in ("m", "k"):
        found.append(Memory("GroupList", type="int64_t", values=groups.ends))
    if groups is not None and groups.axis == "list":
        of_each = [f"GemmCoord{{{m}, {n}, {k}}}" for m, n, k in problems]
        found.append(Memory("Problems", type="GemmCoord", values=of_each))
        for operand in OPERANDS:
            extents = [plan.extents(operand, problem) for problem in problems]
            layouts = [f"Layout{operand}{{{', '.join(map(str, x))}}}" for x in extents]
            found.append(Memory(f"Layouts{operand}", type=f"Layout{operand}", values=layouts))
    return found


def _of_epilogue(plan: Tiling, epilogue: Epilogue) -> Iterator[Memory]:
    """What an epilogue reads and writes in place of C."""
    count, (m, n, _), of = len(plan.problems), plan.problem, dict(epilogue.elements)
    each = count if plan.groups is not None and plan.groups.apart("C") else 1
    if not epilogue.family.flat:
        yield Memory("Scale", of["scale"].bytes_of(n * count))
        yield Memory("PerTokenScale", of["token"].bytes_of(m * each))
    is_added = epilogue.family.name == "add"
    yield Memory("D", epilogue.out.bytes_of(m * n * each), is_read=is_added, is_written=True)


def _launch(plan: Tiling, kernel: Kernel) -> list[str]:
    tla = plan.policy.family.api == "tla"
    meant: dict[str, str] = {x: f"device{x}, layout{x}" if tla else f"device{x}" for x in OPERANDS}
    count = len(plan.groups.problems) if plan.groups else 1
    strided: list[str] = []
    if kernel.name == "StridedBatchedMatmulTla":
        meant = {x: f"device{x}, batched{x}" for x in OPERANDS}
        strided = [f"const auto batched{x} = {_batched(plan, x, count)};" for x in OPERANDS]
    meant["count"] = str(count)
    words = [meant.get(word, word) for word in _ARGUMENTS.get(kernel.name, _ONE).split()]
    words += ["deviceBias"] if plan.bias else []
    return [
        *strided,
        "const uint32_t cores = platform->GetCoreNumAic();",
        f"MatmulKernel::Arguments arguments{{{', '.join(words)}}};",
        "Gemm::Device::DeviceGemm<MatmulKernel> matmul;",
        "if (matmul.CanImplement(arguments) != Status::kSuccess) {",
        '    std::cerr << "the kernel does not take the problem" << std::endl;',
        "    return 1;",
        "}",
        "RunAdapter(matmul, arguments, stream, cores, hardwareSyncAddr);",
    ]


def _batched(plan: Tiling, operand: Operand, count: int) -> str:
    """The layout of all matrices of a batch."""
    (rows, cols), ld = plan.extents(operand), plan.leading(operand)
    lines, strides = (
        (rows, ("{ld}", "{one}")) if plan.tag(operand) == "RowMajor" else (cols, ("{one}", "{ld}"))
    )
    near = ", ".join(strides).format(ld=f"int64_t{{{ld}}}", one="tla::Int<1>{}")
    return (
        f"tla::MakeLayout(tla::MakeShape({count}u, {rows}u, {cols}u), "
        f"tla::MakeStride(int64_t{{{lines * ld}}}, {near}))"
    )
