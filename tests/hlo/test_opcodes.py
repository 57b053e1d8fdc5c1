"""The opcodes: as many as XLA has, in order, and the short forms of asynchronous ones."""

import pytest

from tla.hlo import OPCODES, ModuleError, is_opcode, read_instruction, wrapped_opcode


def test_they_are_those_of_xla() -> None:
    assert len(OPCODES) == len(set(OPCODES)) == 133
    assert list(OPCODES) == sorted(OPCODES)
    assert all(is_opcode(opcode) for opcode in OPCODES)


@pytest.mark.parametrize("opcode", ["frob", "frob-start", "add-begin", "", "Add", "start", "-start"])
def test_others_are_none(opcode: str) -> None:
    assert not is_opcode(opcode)
    assert wrapped_opcode(opcode) is None


@pytest.mark.parametrize(
    ("opcode", "wrapped"),
    [
        ("slice-start", "slice"),
        ("custom-call-update", "custom-call"),
        ("reduce-scatter-done", "reduce-scatter"),
        ("all-gather-start", None),
        ("async-done", None),
        ("add", None),
    ],
)
def test_a_short_form_wraps_an_opcode(opcode: str, wrapped: str | None) -> None:
    assert wrapped_opcode(opcode) == wrapped
    assert read_instruction(f"x = f32[2] {opcode}(y)").opcode == opcode


def test_one_of_a_newer_xla_is_read_where_it_is_named() -> None:
    line = "x = f32[2] frob(f32[2] y)"
    with pytest.raises(ValueError, match="unknown opcode frob"):
        read_instruction(line)
    assert read_instruction(line, opcodes=["frob"]).opcode == "frob"


def test_near_opcodes_are_named() -> None:
    with pytest.raises(ValueError, match=r"Near names: .*negate") as caught:
        read_instruction("x = f32[2] negat(y)")
    assert not isinstance(caught.value, ModuleError)
