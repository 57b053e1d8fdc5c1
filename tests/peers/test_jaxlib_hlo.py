"""XLA's own parser and printer of modules, as jaxlib has them: both read what the other prints.

The parser may end the process on a bad text, so it is given good ones alone.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tla.hlo import OPCODES, Module, read_module

hlo: Any = pytest.importorskip("jaxlib._hlo", reason="jaxlib is not installed")

MODULES = sorted((Path(__file__).parent.parent / "data" / "tpu_hlo").glob("*.hlo"))
EACH = pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)


def printed(text: str, **options: object) -> str:
    """What jaxlib prints of a text, with its default options but for those given."""
    chosen = hlo.HloPrintOptions()
    for name, value in options.items():
        setattr(chosen, name, value)
    return str(hlo.hlo_module_from_text(text).to_string(chosen))


def test_the_opcodes_are_as_many() -> None:
    theirs = len(hlo.HloOpcode.__members__)
    assert theirs == len(OPCODES) or (
        theirs > len(OPCODES) and not version("jaxlib").startswith("0.10.")  # a later one has more
    )


@EACH
def test_what_we_print_reads_there_and_prints_the_same(path: Path) -> None:
    text = path.read_text()
    assert printed(str(read_module(text))) == printed(text)


@EACH
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"print_operand_shape": True},
        {"print_percent": False},
        {"print_program_shape": False},
        {"indent_amount": 3},
        {"print_operand_shape": True, "print_percent": False, "print_program_shape": False},
    ],
    ids=str,
)
def test_what_they_print_reads_here_the_same(path: Path, options: dict[str, object]) -> None:
    text = path.read_text()
    assert read_module(printed(text, **options)) == read_module(printed(text))


@EACH
@pytest.mark.parametrize("dropped", ["metadata", "backend_config"])
def test_what_they_drop_is_all_that_differs(path: Path, dropped: str) -> None:
    text = path.read_text()
    ours = read_module(printed(text, **{f"print_{dropped}": False}))
    whole = read_module(printed(text))
    assert without_attribute(whole, dropped) == without_attribute(ours, dropped)
    assert not any(dropped in i.attributes for c in ours.computations for i in c.instructions)


def without_attribute(module: Module, name: str) -> list[tuple[object, ...]]:
    return [
        (
            computation.name,
            each.name,
            each.shape,
            each.operands,
            {key: text for key, text in each.attributes.items() if key != name},
        )
        for computation in module.computations
        for each in computation.instructions
    ]


@EACH
@pytest.mark.parametrize("style", ["canonical", "short_parsable"])
def test_their_other_styles_read_here(path: Path, style: str) -> None:
    text = path.read_text()
    options = getattr(hlo.HloPrintOptions, style)()
    theirs = str(hlo.hlo_module_from_text(text).to_string(options))
    found, whole = read_module(theirs), read_module(printed(text))
    assert [i.shape for i in found.entry.instructions] == [i.shape for i in whole.entry.instructions]
    assert [i.opcode for i in found.entry.instructions] == [i.opcode for i in whole.entry.instructions]
