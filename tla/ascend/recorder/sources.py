# SPDX-License-Identifier: Apache-2.0
"""The sources of a program: files it includes, launches as calls, and what CMake says of them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from ...errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_INCLUDE: Final = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.M)
_REGISTERS: Final = re.compile(r"(?<!// )\b(?:__simd_vf__|__simd_callee__|__VEC_SCOPE__)\b")
_CALL: Final = re.compile(r"\b([A-Z]\w*)\s*(?:<[^;{}()]*>)?\s*\(")
_CALLS: Final = {
    "CreateMask", "UpdateMask", "LocalMemBar", "LoadAlign", "StoreAlign", "DataCopy", "StoreUnAlign",
    "StoreUnAlignPost", "Exp", "Ln", "Abs", "Sqrt", "Neg", "Not", "Relu", "Add", "Sub", "Mul", "Div",
    "Max", "Min", "And", "Or", "Xor", "Select", "Adds", "Muls", "Maxs", "Mins", "ShiftLefts",
    "ShiftRights", "Axpy", "ExpSub", "FusedExpSub", "MulDstAdd", "ReduceSum", "ReduceMax", "ReduceMin",
    "Reduce", "Duplicate", "Interleave", "DeInterleave", "Cast", "CeilDivision", "CeilDiv", "RoundUp",
    "GetVecLen",
}  # fmt: skip
"""What functions on registers may call, if each call is recorded."""
"""What stands before code on vector registers."""
_LAUNCH: Final = re.compile(r"<<<((?:(?!<<<)[^;])*?)>>>(?=\s*\()")
_OF_CORE: Final = re.compile(
    r"template ?<(?:int32_t CORE_TYPE = g_coreType)?>(?P<way>\s*CATLASS_DEVICE\s[\w\s()]*?\bvoid\s+)"
    r"operator\(\)(?:<(?P<core>AscendC::AI[CV])>)?\("
)
"""The call of a kernel for any type of core, and what specializes it for one."""
_OF_MEMBER: Final = re.compile(r"^[ \t]+template ?<>\s*struct (\w+)<", re.M)
"""A class inside a class, specialized."""


class Target(NamedTuple):
    """What ``CMakeLists.txt`` says of an example: type of kernel, other sources, macros, folders."""

    kind: str = "mix"
    others: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()


def target_of(source: Path) -> Target:
    """Return the target of an example as the ``CMakeLists.txt`` beside it says."""
    try:
        text = (source.parent / "CMakeLists.txt").read_text("utf-8", "replace")
    except OSError:
        return Target()
    lists: dict[str, str] = dict(re.findall(r"set\(\s*(\w+)\s+([^)]*)\)", text))
    text = re.sub(r"\$\{(\w+)\}", lambda match: lists.get(match[1], match[0]), text)
    for option in re.findall(r"\boption\(\s*(\w+)[^)]*\bOFF\s*\)", text):
        text = re.sub(rf"\bif\(\s*{option}\s*\).*?\bendif\(", "", text, flags=re.S)
    named = re.findall(r"catlass_example_add_executable\(\s*(\S+)\s+(cube|vec|mix)\b([^)]*)\)", text)
    own = [words for words in named if source.name in words[2].split()] or named
    if not own:
        return Target()
    name, kind, words = own[0]
    others = [
        path for word in words.split() if (path := source.parent / word) != source and path.is_file()
    ]

    def given(command: str) -> list[str]:
        calls = re.findall(rf"{command}\(\s*{re.escape(name)}\s+(?:PRIVATE|PUBLIC)\s+([^)]*)\)", text)
        return [word for call in calls for word in call.split()]

    here = str(source.parent)
    folders = [
        word.replace("${CMAKE_CURRENT_SOURCE_DIR}", here) for word in given("target_include_directories")
    ]
    known = [folder for folder in folders if "$" not in folder]
    return Target(kind, (*others,), (*given("target_compile_definitions"),), (*known,))


def architecture_of(texts: Iterable[str]) -> str | None:
    """Return the architecture that sources name, if they name one alone."""
    found = {name for text in texts for name in re.findall(r"\bArch::(AtlasA2|Ascend950)\b", text)}
    return found.pop() if len(found) == 1 else None


def needs_catlass(texts: Iterable[str]) -> bool:
    """Whether sources include CATLASS."""
    return any(re.search(r'#\s*include\s*[<"](?:catlass/|tla/|helper\.hpp)', text) for text in texts)


def files_of(sources: Sequence[Path], folders: Sequence[str]) -> dict[Path, str]:
    """Return the texts of sources and of all that they include from their own folders.

    Raises:
        UnsupportedError: a file cannot be read.
    """
    texts: dict[Path, str] = {}
    rest = [*reversed(sources)]
    while rest:
        path = rest.pop()
        if path in texts:
            continue
        try:
            texts[path] = path.read_text("utf-8", "replace")
        except OSError as error:
            raise UnsupportedError(f"cannot read {path}: {error.strerror}", path=str(path)) from None
        for name in _INCLUDE.findall(texts[path]):
            places = (os.path.join(folder, name) for folder in (str(path.parent), *folders))
            rest += [Path(os.path.normpath(place)) for place in places if os.path.isfile(place)][:1]
    return texts


def for_host(text: str, by_calls: bool = False) -> str:
    """Return a source with its launches, and its code on vector registers, as calls of the recorder.

    Each line stays where it is.

    Args:
        by_calls: Whether functions on registers, of whose calls the recorder knows all, run themselves.

    >>> for_host("Kernel<half><<<cores, nullptr, stream>>>(a, b);")
    'tla_recorder::launch([&](auto... tla) { Kernel<half>(tla...); }, cores, nullptr, stream)(a, b);'
    >>> for_host("__simd_vf__ void Twice(float* x, int n) { RegTensor<float> r; }")
    '__simd_vf__ void Twice(float* x, int n) { tla_recorder::vector_function("Twice", "x, n", x, n); }'
    """
    return _with_launches(_with_vector_functions(_without_member_specializations(text), by_calls))


def is_for_host(text: str) -> bool:
    """Whether a host compiler reads a source as it is."""
    return not any(pattern.search(text) for pattern in (_LAUNCH, _REGISTERS, _OF_CORE, _OF_MEMBER))


def _without_member_specializations(text: str) -> str:
    """Return a source without full specializations inside a class, which g++ refuses.

    Classes are specialized in part, and calls become overloads: what is specialized for some types of
    cores is itself for the others.
    """
    for name in sorted({*_OF_MEMBER.findall(text)}):
        text = re.sub(
            rf"(template ?<[^<>]+)>(\s*struct {name}\b(?!<))", r"\1, class Tla = void>\2", text
        )
        special = rf"^([ \t]+template ?<)>(\s*struct {name}<[^<>]*)>"
        text = re.sub(special, r"\1class Tla>\2, Tla>", text, flags=re.M)
    parts: list[str] = []
    start = len(text)
    cores: list[str] = []
    for match in reversed([*_OF_CORE.finditer(text)]):
        parts.append(text[match.end() : start])
        start = match.start()
        core = match["core"]
        if core is not None:
            cores.append(f"CORE_TYPE != {core}")
            condition = f"CORE_TYPE == {core}"
        else:
            condition = " && ".join(cores) or "true"
            cores = []
        head = f"template <int32_t CORE_TYPE = g_coreType, std::enable_if_t<{condition}, int> = 0>"
        parts.append(f"{head}{match['way']}operator()(")
    return text[:start] + "".join(reversed(parts))


class _Function(NamedTuple):
    """Code on vector registers: where it begins, its body, its name and those of its parameters."""

    start: int
    body: int
    end: int
    name: str
    names: str
    is_callee: bool


def _vector_functions(text: str) -> list[_Function]:
    found: list[_Function] = []
    for word in _REGISTERS.finditer(text):
        body, name, names = text.find("{", word.end()), word[0], ""
        if function := re.search(r"(\w+)\s*(\()", text[word.end() : body]):
            name, first = function[1], word.end() + function.start(2)
            last = _closing(text, first, "()")
            if ";" in text[last:body]:
                continue  # declared, not defined
            listed = re.sub(r"<[^<>]*>", "", text[first + 1 : last])
            each = (re.search(r"(\w+)\s*(?:=.*)?\Z", one.strip(), re.S) for one in listed.split(","))
            names = ", ".join(one[1] for one in each if one)
        end = _closing(text, body, "{}")
        if end >= 0 and not (found and word.start() < found[-1].end):
            found.append(_Function(word.start(), body, end, name, names, "callee" in word[0]))
    return found


def _with_vector_functions(text: str, by_calls: bool) -> str:
    """Return a source whose functions on registers record their calls, or their arguments."""
    functions = _vector_functions(text)
    called = {f: {*_CALL.findall(text[f.body : f.end])} for f in functions}
    known = set(_CALLS if by_calls else ())
    for _ in functions:  # a function may call those before it, and those after it
        known |= {f.name for f in functions if f.is_callee and called[f] <= known}
    parts: list[str] = []
    start = 0
    for f in functions:
        given = ", ".join([f'"{f.name}"', f'"{f.names}"', *filter(None, [f.names])])
        head = f"{{ tla_recorder::vector_function({given}); "
        rest = "\n" * text.count("\n", f.body, f.end)
        if by_calls and called[f] <= known:
            head = "{" if f.is_callee else f"{{ tla_recorder::VectorFunction tla_calls({given}); "
            rest = text[f.body + 1 : f.end]
        parts.append(f"{text[start : f.body]}{head}{rest}}}")
        start = f.end + 1
    return "".join([*parts, text[start:]])


def _closing(text: str, start: int, pair: str) -> int:
    """Where the bracket closes that opens at a place; -1 if it does not."""
    depth = 0
    for match in re.compile(f"[{re.escape(pair)}]").finditer(text, max(start, 0)):
        depth += 1 if match[0] == pair[0] else -1
        if not depth:
            return match.start()
    return -1


def _with_launches(text: str) -> str:
    parts: list[str] = []
    start = 0
    for launch in _LAUNCH.finditer(text):
        name = _name_before(text, launch.start())
        if name < launch.start():
            call = (
                f"tla_recorder::launch([&](auto... tla) {{ {text[name : launch.start()]}(tla...); }}, "
            )
            parts.append(f"{text[start:name]}{call}{launch[1]})")
            start = launch.end()
    return "".join([*parts, text[start:]])


def _name_before(text: str, end: int) -> int:
    """Where the name of a kernel begins, with its template arguments, that ends before a launch."""
    at = len(text[:end].rstrip())
    while True:
        if text[at - 1 : at] == ">":
            depth = 0
            while at:
                at -= 1
                depth += {">": 1, "<": -1}.get(text[at], 0)
                if not depth:
                    break
            at = len(text[:at].rstrip())
        word = re.search(r"(?:::)?\b[A-Za-z_]\w*\Z", text[max(0, at - 200) : at])
        if word is None:
            return end
        at -= len(word[0])
        if not word[0].startswith("::") or not re.match(r"[\w>]", text[at - 1 : at]):
            return at


class Tree(NamedTuple):
    """The sources as a compiler reads them."""

    mains: tuple[Path, ...]
    """The files to compile."""
    includes: tuple[str, ...]
    """Folders of headers, the first ones first."""


def prepare(
    sources: Sequence[Path],
    texts: dict[Path, str],
    catlass: Path | None,
    folders: Sequence[str],
    room: Path,
    by_calls: bool,
) -> Tree:
    """Return sources that a host compiler reads: changed ones in a room, the others where they are."""
    mains, mirrors = [*sources], []
    if not all(map(is_for_host, texts.values())):
        root = Path(os.path.commonpath([*(path.parent for path in texts), *folders]))
        for path, text in texts.items():
            _write(room / "own" / path.relative_to(root), path, for_host(text, by_calls))
        mains = [room / "own" / path.relative_to(root) for path in sources]
        mirrors = [str(room / "own" / Path(folder).relative_to(root)) for folder in folders]
    headers = [str(Path(__file__).parent / "include"), str(room / "include"), *mirrors]
    headers += [str(sources[0].parent), *folders]
    if catlass is not None:
        include = catlass / "include"
        for path in sorted([*include.rglob("*.hpp"), *include.rglob("*.h")]):
            text = path.read_text("utf-8", "replace")
            if not is_for_host(text):
                _write(room / "include" / path.relative_to(include), path, for_host(text, by_calls))
        headers += [str(include), str(catlass / "examples" / "common")]
    return Tree((*mains,), (*headers,))


def _write(place: Path, original: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    name = str(original).replace("\\", "\\\\").replace('"', '\\"')
    place.write_text(f'#line 1 "{name}"\n{text}', "utf-8")
