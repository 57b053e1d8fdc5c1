"""Reading in pieces: the same as whole, in bounded memory; what is left of a text that breaks off."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings, strategies as st

from tla.hlo import ComputationHead, Instruction, Module, ModuleError, read_module, read_stream
from tla.hlo.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

MODULES = sorted((Path(__file__).parent.parent / "data" / "tpu_hlo").glob("*.hlo"))
SMALL = next(path for path in MODULES if path.stem == "v5e_x4_all_to_all").read_text()
EVERYTHING = """HloModule m, is_scheduled=true, a={"x": [1]} /* a comment
of two lines */, b=1

FileNames
1 "a.py"

%c (p: f32[2], /*index=1*/q: (s32[], token[])) -> f32[2] {
  %p = f32[2]{0:T(128)} parameter(0), metadata={op_name="p[\\'q\\']"}
  q = (s32[], token[]) parameter(1)
  ROOT %n = f32[2] add(f32[2] negate(p), // to the end
     %p), frontend_attributes={a="}",
     b={"d":1}}
}, execution_thread="t"

ENTRY %e {
  x = f32[2] constant({1,
    2})
  y = f32[2] call(x), to_apply={ z = f32[2] parameter(0) },
    control-predecessors={x}
}
"""


def cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def attempt(text: str) -> tuple[Module, ModuleError | None]:
    """The module of a text, or what was read of it and the error."""
    try:
        return read_module(text), None
    except ModuleError as error:
        return error.module, error


def flat(text: str) -> list[tuple[str, Instruction, int]]:
    """What a stream yields of a text, by computation: one written inside another comes first."""
    found = [(head.name, each, each.line) for head, each in read_stream([text])]
    return sorted(found, key=lambda row: row[0])


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_stream_is_the_module(path: Path) -> None:
    text = path.read_text()
    module = read_module(text)
    with path.open() as file:
        stream = read_stream(file)
        header = stream.header
        found = list(stream)
    assert (header.name, header.attributes, header.tables) == (
        module.name,
        module.attributes,
        module.tables,
    )
    assert header.computations == ()
    assert [head.name for head, each in found if each.is_root] == [c.name for c in module.computations]
    assert [each for _, each in found] == [i for c in module.computations for i in c.instructions]
    assert {head for head, _ in found} == {
        ComputationHead(c.name, c.is_entry, c.line) for c in module.computations
    }


@pytest.mark.parametrize("piece", [1, 50, 1 << 16])
@given(st.data())
@settings(max_examples=25)
def test_where_a_text_is_cut_does_not_count(piece: int, data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tla.hlo.source._PIECE", piece)
        for text in (SMALL, EVERYTHING):
            size = data.draw(st.integers(1, 300))
            streamed = read_stream(cut(text, size))
            found = [(head.name, each, each.line) for head, each in streamed]
            assert sorted(found, key=lambda row: row[0]) == flat(text)
            assert streamed.instructions == len(found)
            module = read_module(text)
            assert streamed.computations == len(module.computations)
            assert streamed.instructions == sum(len(c.instructions) for c in module.computations)


@given(st.integers(0, len(EVERYTHING)), st.integers(1, 100))
def test_a_text_that_breaks_off_leaves_what_was_read(end: int, size: int) -> None:
    text, whole = EVERYTHING[:end], read_module(EVERYTHING)
    module, error = attempt(text)
    if error is not None:
        assert error.line <= text.count("\n") + 1
        assert error.instructions == sum(len(c.instructions) for c in module.computations)
        assert len(module.computations) <= error.computations
        with pytest.raises(ModuleError) as caught:
            list(read_stream(cut(text, size)))
        streamed = caught.value
        assert (streamed.summary, streamed.line, streamed.column) == (
            error.summary,
            error.line,
            error.column,
        )
        assert (streamed.computations, streamed.instructions) == (error.computations, error.instructions)
    for computation in module.computations:
        complete = whole.computation(computation.name)
        for ours, theirs in zip(computation.instructions, complete.instructions, strict=False):
            assert ours.name == theirs.name
            assert ours.attributes.items() <= theirs.attributes.items()


@given(
    st.integers(0, len(SMALL)),
    st.text("{}()[]\",=:%#/*\\\n\r\t x1.->'\0", max_size=3),
    st.integers(0, 9),
)
def test_garbage_is_an_error_like_any_other(at: int, garbage: str, gap: int) -> None:
    text = SMALL[:at] + garbage + SMALL[at + gap :]
    module, error = attempt(text)
    assert read_module(str(module)) == module if error is None else str(error).rstrip().endswith("^")


def test_a_module_cut_in_its_middle() -> None:
    lines = SMALL.splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if line.startswith("ENTRY"))
    text = "".join(lines[: first + 2]) + lines[first + 2][:30]
    with pytest.raises(ModuleError) as caught:
        read_module(text)
    error = caught.value
    assert error.line == first + 3
    assert error.module.name == "jit__lambda"
    assert str(first + 3) in str(error)
    assert [len(c.instructions) for c in error.module.computations][-1] == 1


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "m.hlo"
    path.write_bytes(SMALL.encode() * 3 + b"\xff\xfe\0")
    with path.open(encoding="utf-8") as file, pytest.raises(ModuleError) as caught:
        list(read_stream(file))
    assert caught.value.summary.startswith("the text is no UTF-8 here or in the lines that follow")
    path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    with path.open(encoding="utf-8") as file, pytest.raises(ModuleError, match="the text is no UTF-8"):
        read_stream(file)
    path.write_bytes(b"\x7fELF\x02\x01\x01\0")
    with path.open(encoding="utf-8") as file, pytest.raises(ModuleError, match="expected a computation"):
        list(read_stream(file))


def test_an_error_names_its_file() -> None:
    with pytest.raises(ModuleError) as caught:
        read_module("HloModule m\ne {")
    named = caught.value.of_file("a.hlo")
    assert named.summary == f"a.hlo: {caught.value.summary}"
    assert (named.line, named.column, named.computations) == (2, 4, 1)
    assert named.module == caught.value.module


def computations(count: int) -> Iterator[str]:
    yield "HloModule m, is_scheduled=true\n\n"
    for i in range(count):
        yield f"%c{i} (x: f32[2,{i % 7}]) -> f32[2] {{\n"
        yield f"  %x.{i} = f32[2,{i % 7}]{{1,0:T(8,128)}} parameter(0)\n"
        for j in range(20):
            yield f'  %y.{j} = f32[2]{{0}} convert(%x.{i}), metadata={{op_name="{j}"}}\n'
        yield "}\n\n"


def test_memory_is_bounded_by_the_greatest_computation() -> None:
    def peak(count: int) -> tuple[int, int]:
        tracemalloc.start()
        try:
            read = sum(1 for _ in read_stream(computations(count)))
            return read, tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(5)  # what is loaded on first use
    few, little = peak(50)
    many, most = peak(500)
    assert (few, many) == (1050, 10500)
    assert most < little + (1 << 20)


def test_an_error_deep_in_a_stream_has_its_place() -> None:
    lines = [*computations(300), "%bad {\n", "   ROOT\n  x = f32[2] frob(y)\n", "}\n"]
    text = "".join(lines)
    with pytest.raises(ModuleError) as streamed:
        list(read_stream(lines))
    with pytest.raises(ModuleError) as whole:
        read_module(text)
    assert (streamed.value.line, streamed.value.column) == (whole.value.line, whole.value.column)
    assert streamed.value.line == text.count("\n") - 1
    assert str(streamed.value) == str(whole.value)
    assert streamed.value.instructions == 300 * 21


def test_a_computation_may_be_written_a_hundred_deep() -> None:
    def text(depth: int) -> str:
        nested = "x = f32[] parameter(0)"
        for _ in range(depth):
            nested = f"x = f32[] call(f32[] p), to_apply={{ {nested} }}"
        return nested

    assert len(read_module(text(100)).computations) == 101
    with pytest.raises(ModuleError, match="inside instructions, deeper than 100 levels") as caught:
        read_module(text(101))
    assert caught.value.text.startswith("{ x = f32[] parameter", caught.value.start)


def test_a_long_text_is_not_read_over_and_over() -> None:
    """An instruction of many pieces is tried with twice as much each time."""
    pieces = 0

    def constant() -> Iterator[str]:
        nonlocal pieces
        yield "HloModule m\ne { x = f32[9] constant({\n"
        for pieces in range(4000):  # noqa: B007
            yield "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,\n"
        yield "3}) }"

    tries = 0

    class Counting(Source):
        def more(self) -> bool:
            nonlocal tries
            tries += 1
            return super().more()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tla.hlo.stream.Source", Counting)
        (found,) = [each for _, each in read_stream(constant())]
    assert pieces == 3999
    assert found.literal is not None
    assert found.literal.count(",") == 80000
    assert tries < 12
