# SPDX-License-Identifier: Apache-2.0
"""An example of CATLASS with a plan's tiles, policy, swizzle and layouts in place of its own.

>>> text = '''
... using ArchTag = Arch::AtlasA2;
... constexpr bool enableUnitFlag = true;
... using DispatchPolicy = Gemm::MmadAtlasA2Pingpong<enableUnitFlag>;
... using L1TileShape = GemmShape<128, 256, 256>;
... using L0TileShape = GemmShape<128, 256, 64>;
... using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;
... using MatmulKernel = Gemm::Kernel::BasicMatmul<BlockMmad, void, BlockScheduler>;
... '''
>>> from tla.ascend import gemm
>>> plan = gemm("AtlasA2", (300, 200, 600), policy="MmadAtlasA2Pingpong", l1=(128, 128, 256))
>>> print(edited(plan, text).strip())
using ArchTag = Arch::AtlasA2;
using DispatchPolicy = Gemm::MmadAtlasA2Pingpong<>;
using L1TileShape = GemmShape<128, 128, 256>;
using L0TileShape = GemmShape<128, 128, 128>;
using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3,0>;
using MatmulKernel = Gemm::Kernel::BasicMatmul<BlockMmad, void, BlockScheduler>;

The host of an example stays as it is: it says of which element types its data are, and takes the problem
from the command line.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ...errors import ArgumentError, UnsupportedError
from ...ground import did_you_mean, near_words, shortened
from ..elements import ELEMENTS
from .emit import aliases
from .epilogues import EPILOGUES
from .families import FAMILIES
from .kernels import kernel
from .programs import CppProgram
from .tiling import BLOCKS, LINES, OPERANDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .tiling import Tiling

_USING: Final = r"^[ \t]*using {name} =\s*(?:typename\s+)?(?P<value>[^;]*);"
_CONSTANT: Final = re.compile(r"^[ \t]*(?:static )?constexpr \w+ (\w+) = [^;]*;\n", re.M)
_COMMENTS: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_CAST: Final = re.compile(r"\bKernel::(?:\w*ReduceAdd|RemovePadding\w*AndCast)\b")
"""What makes C of sums in another type."""
_BUILT: Final = (".cpp", ".h", ".hpp", ".py", ".txt")
_ABOUT_SWIZZLE: Final = re.compile(r"^[ \t]*// Swizzle offset is .*\n", re.M)


def emit_into(plan: Tiling, example: str, catlass: str | Path | None = None) -> CppProgram:
    """Return an example of CATLASS with a plan's parameters, and the words that start it.

    Args:
        example: The name of a folder in CATLASS's ``examples``, or the path of a source.
        catlass: The folder of CATLASS; by default that of the environment's ``CATLASS``.

    Raises:
        ArgumentError: there is no such example, or no folder of CATLASS.
        UnsupportedError: the example does not say what the plan asks for; the error names the line.
    """
    refusals: list[UnsupportedError] = []
    for source in _sources_of(example, catlass):
        text = source.read_text("utf-8", "replace")
        try:
            return _program(source, edited(plan, text, source.name), _words(plan, text))
        except UnsupportedError as error:
            refusals.append(error)
    raise refusals[0]


def emit_as(
    words: Iterable[object],
    parts: Iterable[str],
    values: Mapping[str, str],
    example: str,
    catlass: str | Path | None = None,
) -> CppProgram:
    """Return an example of CATLASS with other aliases, and the words that start it.

    Args:
        words: Those of the command line.
        parts: The names that the example must have, in a file of its folder.
        values: The aliases of its source and what they are now.

    Raises:
        ArgumentError: there is no such example, or no folder of CATLASS.
        UnsupportedError: the example lacks a part or an alias.
    """
    source = _sources_of(example, catlass)[0]
    before = text = source.read_text("utf-8", "replace")
    code = _COMMENTS.sub("", "\n".join([text, *_files_beside(source).values()]))
    for part in parts:  # blocks of both generations have one name, with the architecture in it or not
        if not re.search(rf"\b{re.sub(r'(?<=[a-z])AtlasA2', '(?:AtlasA2)?', part)}\b", code):
            raise UnsupportedError(f"{source.name} has no {part}, which the plan asks for", part=part)
    for name, value in values.items():
        text, count = _replaced(text, name, value)
        if not count:
            raise UnsupportedError(f"{source.name} has no {name} that could be replaced", part=name)
    return _program(source, _without_constants(before, text), words)


def _words(plan: Tiling, text: str) -> Iterator[object]:
    """What the host of an example takes: the number of products, their extents, the kind of scale."""
    if plan.groups is not None or re.search(r"\bproblemCount = std::atoi\(", text):
        yield len(plan.problems)
    if re.search(r"\bmList\b", text):
        yield from (",".join(map(str, x)) for x in zip(*plan.problems, strict=True))
    else:
        yield from plan.problem
    if plan.scale is not None and re.search(r"\bquantMode = std::atoi\(", text):
        yield int(plan.scale.kind == "channel")


def _program(source: Path, text: str, words: Iterable[object]) -> CppProgram:
    others = _files_beside(source)
    told = others.pop("CMakeLists.txt", "")
    return CppProgram(source.stem, text, told, (*map(str, words),), (*others.items(),))


def _files_beside(source: Path) -> dict[str, str]:
    """The other files of an example that its build takes."""
    found = [x for x in sorted(source.parent.iterdir()) if x.suffix in _BUILT and x != source]
    takes = (x for x in found if x.suffix != ".txt" or x.name == "CMakeLists.txt")
    return {x.name: x.read_text("utf-8", "replace") for x in takes}


def _sources_of(example: str, catlass: str | Path | None) -> list[Path]:
    """The sources with ``main`` of an example, at least one."""
    if Path(example).is_file():
        return [Path(example)]
    root = catlass or os.environ.get("CATLASS")
    if not root:
        way_out = "Say catlass=DIR, --catlass DIR, or set CATLASS in the environment."
        raise ArgumentError(f"{example!r} is no file, and no folder of CATLASS is named", way_out)
    folder = Path(root, "examples", example)
    found = [file for file in sorted(folder.glob("*.cpp")) if "int main" in file.read_text("utf-8")]
    if not found:
        names = sorted({x.parent.name for x in Path(root, "examples").glob("*/*.cpp")})
        near = [x for x in names if x.startswith(f"{example}_")] or near_words(example, names)
        summary = f"CATLASS has no example {shortened(example)!r} in {Path(root, 'examples')}"
        raise ArgumentError(summary, *([did_you_mean(near, names)] if names else []))
    return found


def edited(plan: Tiling, text: str, name: str = "the example") -> str:
    """Return the text of an example with a plan's parameters in place of its own.

    Raises:
        UnsupportedError: the example does not say what the plan asks for; the error names the line.
    """
    if any(ld is not None for ld in plan.ld):
        raise UnsupportedError("an example has no leading dimensions of its own, and the plan has some")
    before, values = text, aliases(plan, "GemmShape" not in _COMMENTS.sub("", text))
    _expect_family(plan, text, name)
    _expect_host(plan, text, name, values)
    own = plan.policy.name
    families = own if re.search(rf"Gemm::{own}\b", text) else "|".join(FAMILIES)
    for pattern, value in (
        (rf"\w*Policy\w*(?= =[^;]*\b(?:{families})\b)", values["DispatchPolicy"]),
        ("L1TileShape", values["L1TileShape"]),
        ("L0TileShape", values["L0TileShape"]),
        (r"\w*Scheduler\w*(?= =[^;]*\bGemm::Block::)", values["BlockScheduler"]),
    ):
        text, count = _replaced(text, pattern, value)
        if not count and value != values["BlockScheduler"]:  # some kernels have an order of their own
            word = pattern.partition("(")[0].replace("\\w*", "")
            raise UnsupportedError(f"{name} has no {word} that could be replaced", part=word)
    for operand in OPERANDS:
        tagged = rf"Layout(?:Tag)?{operand}(?= =[^;]*\blayout::)"
        text, _ = _replaced(text, tagged, values[f"Layout{operand}"])
    if plan.policy.family.api == "tla" and (plan.bias or not plan.epilogue):  # one may have its own
        text, _ = _replaced(text, "ElementBias", values.get("ElementBias", "void"))
    if plan.epilogue is not None:
        rows, columns, stages = plan.epilogue.rows, plan.epilogue.columns, plan.epilogue.stages
        text, _ = _replaced(text, "EpilogueTileShape", f"MatrixShape<{rows}, {columns}>")
        for word, number in (("computeLength", rows * columns), ("ubStages", stages)):
            constant = rf"(constexpr uint32_t {word} = )[^;]*;"
            text = re.sub(constant, rf"\g<1>{number};", text) if number else text
    return _without_constants(before, _ABOUT_SWIZZLE.sub("", text))


def _expect_family(plan: Tiling, text: str, name: str) -> None:
    """Require the policy, the order of blocks, the groups and the epilogue of a plan's kind."""
    code = _COMMENTS.sub(lambda match: "\n" * match[0].count("\n"), text)
    policies = [x for x in re.finditer(r"\bGemm::(\w+)\b", code) if x[1] in FAMILIES]
    taker = kernel(plan)
    has_kernel = taker is not None and re.search(rf"\bKernel::{taker.name}\s*<", code)
    if policies and not has_kernel and plan.policy.name not in [x[1] for x in policies]:
        _refuse(code, name, policies[0], "the policy", plan.policy.name, 1)
    orders = [
        *re.finditer(r"using \w*Scheduler\w* =\s*(?:typename\s+)?([\w:]*Gemm::Block::(\w+))", code)
    ]
    if orders and plan.swizzle.name not in [x[2] for x in orders]:
        _refuse(code, name, orders[0], "the scheduler", plan.swizzle.name, 2)
    several = re.search(r"\bKernel::\w*(?:Grouped|Batched|GroupGemm|Batch)\w*", code)
    if (plan.groups is None) != (several is None):
        sides = ("one product", "several") if plan.groups is not None else ("several products", "one")
        raise UnsupportedError(f"{name} computes {sides[0]}, and the plan {sides[1]}", part="groups")
    policies_of = {policy for x in EPILOGUES.values() for _, policy in x.policies}
    epilogue = re.search(rf"\b({'|'.join(policies_of)})", code)
    if plan.epilogue is None and epilogue is not None:
        _refuse(code, name, epilogue, "the epilogue", "none", 1)
    if plan.epilogue is not None:
        wanted = plan.epilogue.family.policy(plan.arch.code) or ""
        if not re.search(rf"\b{wanted}", code):
            raise UnsupportedError(f"{name} has no {wanted}, the plan's epilogue", part="epilogue")
        kin = [x.name.title() for x in EPILOGUES.values() if x.policy(plan.arch.code) == wanted]
        own = f"TileElemWise{plan.epilogue.family.name.title()}"
        other = re.search(rf"\b(?!{own}\b)TileElemWise(?:{'|'.join(kin)})\b", code)
        if other is not None:
            _refuse(code, name, other, "the activation", own, 0)


def _expect_host(plan: Tiling, text: str, name: str, values: dict[str, str]) -> None:
    """Require what the host of an example decides: the architecture, elements, how layouts are made."""
    wanted = {f"Element{x}": values[f"Element{x}"] for x in OPERANDS} | {"ArchTag": values["ArchTag"]}
    for word, value in wanted.items():
        for found in re.finditer(_USING.format(name=word), text, re.M):
            of = found["value"].rpartition("::")[2]
            is_cast = word == "ElementC" and _CAST.search(text)
            if (word == "ArchTag" or of in ELEMENTS) and of != value.rpartition("::")[2] and not is_cast:
                _refuse(text, name, found, word, value)
    for operand in OPERANDS:
        tag, named = plan.tag(operand), rf"Layout(?:Tag)?{operand}"
        for found in re.finditer(_USING.format(name=named), text, re.M):
            if tag not in (*LINES, *BLOCKS) and found["value"] != f"layout::{tag}":
                _refuse(text, name, found, f"Layout{operand}", f"layout::{tag}")
    says_bias = re.search(_USING.format(name="(?:ElementBias|BiasType)"), text, re.M)
    if plan.bias is not None and not says_bias:
        raise UnsupportedError(f"{name} has no bias, and the plan has one", part="bias")


def _refuse(
    text: str, name: str, found: re.Match[str], word: str, value: str, group: int | str = "value"
) -> None:
    line = text.count("\n", 0, found.start(group)) + 1
    raise UnsupportedError(
        f"{name}:{line}: {word} is {found[group]}, and the plan's is {value}",
        "The host of an example is written for its own data: emit a whole program.",
        line=line, part=word,
    )  # fmt: skip


def _replaced(text: str, word: str, value: str) -> tuple[str, int]:
    """The text with another value of an alias, and how often it was found."""
    pattern = re.compile(_USING.format(name=word), re.M)

    def other(match: re.Match[str]) -> str:
        start = match.start("value") - match.start()
        return f"{match[0][:start].removesuffix('typename ')}{value};"

    return pattern.subn(other, text)


def _without_constants(before: str, after: str) -> str:
    """The text after a change, without the constants that nothing uses any more."""
    codes = _COMMENTS.sub("", before), _COMMENTS.sub("", after)

    def kept(match: re.Match[str]) -> str:
        uses = [len(re.findall(rf"\b{match[1]}\b", code)) for code in codes]
        return "" if uses[0] > 1 and uses[1] == 1 else match[0]

    return _CONSTANT.sub(kept, after)
