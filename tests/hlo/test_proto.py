"""Modules as protocol buffers: the same value as from their text, and bytes that are no module."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import Any

import pytest
from cases import share

from tla.errors import TlaError, UnsupportedError
from tla.hlo import Module, ProtoError, parsed_proto, read_module, read_proto
from tla.memory import read_assignment, read_proto_assignment

pytest.importorskip("google.protobuf", reason="protobuf is not installed")

DATA = Path(__file__).parent.parent / "data" / "tpu_protos"
PROTOS = sorted(DATA.glob("*.hlo.pb.gz"))
OUTSIDE = ("allow_spmd_sharding_propagation_to_parameters", "allow_spmd_sharding_propagation_to_output")
"""The attributes of a header that XLA keeps outside of the protocol buffer."""


def data_of(name: str) -> bytes:
    return gzip.decompress((DATA / f"{name}.hlo.pb.gz").read_bytes())


def as_of_a_proto(module: Module) -> Module:
    """A module without what a protocol buffer lacks."""
    attributes = {name: text for name, text in module.attributes.items() if name not in OUTSIDE}
    return Module(
        module.name,
        attributes,
        module.tables,
        module.computations,
        module.entry_computation_layout,
        module.input_output_alias,
    )


@pytest.mark.parametrize("path", PROTOS, ids=lambda path: path.name.split(".hlo")[0])
def test_it_is_the_module_of_the_text(path: Path) -> None:
    """Both are of one dump of the TPU compiler."""
    text = gzip.decompress(Path(str(path).replace(".hlo.pb", ".txt")).read_bytes()).decode()
    found, expected = read_proto(gzip.decompress(path.read_bytes())), read_module(text)
    assert found == as_of_a_proto(expected)
    assert [line.line for line in found.entry.instructions] == [
        line.line for line in expected.entry.instructions
    ]


@pytest.mark.parametrize("name", ["cond", "mlp", "scan_rnn"])
def test_the_buffer_assignment_is_that_of_the_text(name: str) -> None:
    found = read_proto_assignment(data_of(f"{name}.after_optimizations"))
    assert found == read_assignment((DATA / f"{name}.buffer-assignment.txt").read_text())
    with pytest.raises(ProtoError, match="has no buffer assignment"):
        read_proto_assignment(data_of(f"{name}.after_codegen"))


def test_the_module_alone_is_read_too() -> None:
    whole = parsed_proto(data_of("mlp.after_codegen"))
    assert read_proto(whole.hlo_module.SerializeToString()) == read_proto(whole.SerializeToString())


def test_an_older_version_names_the_entry_and_has_no_id_for_it() -> None:
    data = data_of("cond.after_codegen")
    whole = parsed_proto(data)
    assert whole.hlo_module.entry_computation_name == read_proto(data).entry.name
    whole.hlo_module.ClearField("entry_computation_id")
    assert read_proto(whole.SerializeToString()) == read_proto(data)


def test_fields_of_a_newer_version_are_listed() -> None:
    """Field 2000 of an instruction, 3000 of its metadata, both with a 1."""
    whole = parsed_proto(data_of("mlp.after_codegen"))
    root = whole.hlo_module.computations[-1].instructions[-1]
    root.metadata.MergeFromString(b"\xc0\xbb\x01\x01")
    root.MergeFromString(b"\x80\x7d\x01")
    found = read_proto(whole.SerializeToString())
    line = found.entry.instruction(root.name)
    assert line.attributes["unknown_fields"] == "{2000,metadata.3000}"
    assert read_module(str(found)) == found
    root.shape.layout.MergeFromString(b"\x80\x7d\x01")
    with pytest.raises(
        UnsupportedError, match=r"the shape of .* has fields of a newer XLA: shape.layout.2000"
    ):
        read_proto(whole.SerializeToString())
    root.shape.layout.Clear()
    root.shape.element_type = 99
    with pytest.raises(UnsupportedError, match="element type 99 is not known"):
        read_proto(whole.SerializeToString())


def test_bytes_that_are_no_module() -> None:
    data = data_of("mlp.after_codegen")
    for bad, says in (
        (b"", "is empty"),
        (b"HloModule m\n\nENTRY e {", "It is text: give the file a name that ends in .hlo or .txt."),
        (data[: len(data) // 2], "It is cut short, or of another kind"),
        (b"\x00\xff" * 40, "It is cut short, or of another kind"),
    ):
        with pytest.raises(ProtoError) as raised:
            read_proto(bad)
        assert says in str(raised.value)
    text: Any = "HloModule m"
    with pytest.raises(ProtoError, match="is bytes, not a str"):
        read_proto(text)


def messages(message: Any) -> list[Any]:
    found = [message]
    for field, value in message.ListFields():
        if field.message_type is not None:
            for each in (value,) if hasattr(value, "ListFields") else value:
                found += messages(each)
    return found


def test_a_message_that_contradicts_itself_is_refused() -> None:
    """A field of some message is cleared, or an int of it is another: a module, or an error of ours."""
    draw = random.Random(25)
    data = data_of("scan_rnn.after_optimizations")
    read = 0
    for _ in range(share(100)):
        whole = parsed_proto(data)
        for message in draw.sample(messages(whole), 2):
            fields = [field.name for field, _value in message.ListFields()]
            for name in draw.sample(fields, min(1, len(fields))):
                value = getattr(message, name)
                if isinstance(value, int) and draw.random() < 0.7:
                    setattr(message, name, draw.choice((0, 1, 7, -1, 1 << 40)))
                else:
                    message.ClearField(name)
        for reader in (read_proto, read_proto_assignment):
            try:
                reader(whole.SerializeToString())
                read += 1
            except TlaError:
                pass
    assert read
