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
