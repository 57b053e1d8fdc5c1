"""Swizzle atoms of shared memory by CuTe's names, tiled over shapes; the printed forms read back."""

from typing import Any

import pytest
from cases import over
from oracle import in_bytes, rows

from tla import (
    ComposedLayout,
    LayoutError,
    Swizzle,
    is_bijective,
    parse,
    read,
    same_function,
    tile_to_shape,
)
from tla.gpu import smem_atoms
from tla.gpu.fields import BITS

BITS_OF = {name: BITS[name] for name in ("half_t", "uint8_t", "float", "float_e2m1_t")}


def width_of(atom: str) -> int:
    return BITS_OF[atom.partition("<")[2].removesuffix(">")] if "<" in atom else 1


@over("row", [*rows("cute_composed.jsonl", "smem_atom"), *rows("cute_composed.jsonl", "smem_atom_bits")])
def test_rows_of_cute(row: Any) -> None:
    atom = row["inputs"]["atom"]
    assert smem_atoms[atom] == in_bytes(row["result"], width_of(atom))


@over("row", rows("cute_composed.jsonl", "tile_to_shape_atom"))
def test_atoms_tile_a_shape(row: Any) -> None:
    atom, shape = row["inputs"]["atom"], tuple(row["inputs"]["shape"])
    order = [tuple(row["inputs"]["order"])] if "order" in row["inputs"] else []
    block: Any = smem_atoms[atom]
    found = tile_to_shape(block, shape, *order)
    assert same_function(found, in_bytes(row["result"], width_of(atom)))


def test_every_atom_fills_its_rows() -> None:
    assert len(smem_atoms) > 200
    for name in [*smem_atoms][::7]:
        atom: Any = smem_atoms[name]
        assert is_bijective(atom)
    with pytest.raises(LayoutError, match=r"Did you mean"):
        smem_atoms["GMMA::Layout_K_SW96_Atom<half_t>"]


def test_printed_forms_are_read() -> None:
    read = parse("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)")
    assert read == smem_atoms["GMMA::Layout_K_SW128_Atom<half_t>"]
    plain = parse("(8,64):(64,1)")
    assert parse("Sw<3,4,3> o smem_ptr o (8,64):(64,1)") == ComposedLayout(Swizzle(3, 4, 3), 0, plain)
    assert parse("S<3,4,3> o 0 o (8,64):(64,1)") == ComposedLayout(Swizzle(3, 4, 3), 0, plain)
    mixed = parse(
        "Sw<3,4,3> o M_64|(16&24)=80 o (8,64):(64,1)"
    )  # an offset of which some bits are static
    assert mixed == ComposedLayout(Swizzle(3, 4, 3), 80, plain)


PRINTED = {
    "gmem_ptr[32b](0x731ff4000200) o (_32,_8,8):(_1,128,1024)": "(_32,_8,8):(_1,128,1024)",
    "ptr[16b](0x7feee1fffbe0) o ((_2,_2),_1):((_1,_2),_0)": "((_2,_2),_1):((_1,_2),_0)",
    "smem_ptr[16b](0x7f8f00000c00) o Sw<3,3,3> o _0 o (8,64):(64,1)": "Sw<3,3,3> o _0 o (8,64):(64,1)",
    "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)": "Sw<3,3,3> o _0 o (8,64):(64,1)",
    "Sw<3,4,3>_smem_ptr[16b](SMEM) o (8,64):(64,1)": "Sw<3,3,3> o _0 o (8,64):(64,1)",
    "Sw<3,4,3>_smem_ptr[16b](0x7f8800000400) o (8,64):(64,1)": "Sw<3,3,3> o _0 o (8,64):(64,1)",
    "Sw<3,4,3>_smem_ptr[32b](0x7f88000004e0) o _4:_1": "Sw<3,2,3> o 56 o _4:_1",
}


@over("text, layout", PRINTED.items())
def test_tensors_are_read_as_cute_prints_them(text: str, layout: str) -> None:
    assert read(text) == parse(text) == parse(layout)


def test_the_address_of_a_swizzled_pointer_counts() -> None:
    """Addresses in bytes are swizzled; from a multiple of the swizzle on, elements are as by address."""
    address, swizzle = 0x7F88000004E0, Swizzle(3, 4, 3)
    part = parse(f"Sw<3,4,3>_smem_ptr[16b]({address:#x}) o (8,4):(1,64)")
    begin = address - address % 1024
    assert [begin + 2 * part(i) for i in range(32)] == [
        swizzle(address + 2 * part.inner(i)) for i in range(32)
    ]
