"""What a module takes and gives: the compiler's own counts, to the byte."""

from __future__ import annotations

import pytest

from tla.errors import UnsupportedError
from tla.hlo import read_module
from tla.memory import alias_bytes, argument_bytes, index_tables_bytes, output_bytes
from tla.xla_bridge import CHIPS, XlaShape, XlaTuple

from .modules import NAMES, chip_of, counted, module_of


def test_there_are_25_modules() -> None:
    assert len(NAMES) == 25


@pytest.mark.parametrize("name", NAMES)
def test_the_modules_to_the_byte(name: str) -> None:
    module, numbers = module_of(name), counted(name)
    assert argument_bytes(module) == numbers["argument_size_in_bytes"]
    assert output_bytes(module, chip_of(name)) == numbers["output_size_in_bytes"]
    assert alias_bytes(module) == numbers["alias_size_in_bytes"]


def test_the_table_of_pointers_is_there_for_tuples_alone() -> None:
    tables = {name: index_tables_bytes(module_of(name).entry.root.shape, "v5e") for name in NAMES}
    assert {name for name, size in tables.items() if size} == {
        "v4_sort",
        "v5e_attention_train",
        "v5e_bools",
        "v5e_dynamic_slices",
        "v5e_sort",
    }
    assert set(tables.values()) == {0, 512}


# Measured: output_size_in_bytes of programs with so many results, less the arrays.
MEASURED = [
    *(("v5e", n, size) for n, size in [(2, 512), (64, 512), (65, 512), (128, 512)]),
    *(("v5e", n, size) for n, size in [(129, 1024), (200, 1024), (300, 1536)]),
    *(("v4", n, size) for n, size in [(2, 512), (129, 1024)]),
    *((chip, n, size) for chip in ("v2", "v3") for n, size in [(2, 1024), (129, 1024)]),
    *((chip, n, size) for chip in ("v5p", "v6e", "tpu7x") for n, size in [(2, 32), (129, 544)]),
]


@pytest.mark.parametrize(("chip", "results", "size"), MEASURED)
def test_the_table_of_pointers(chip: str, results: int, size: int) -> None:
    shape = XlaTuple([XlaShape("f32", [100, 200])] * results)
    assert index_tables_bytes(shape, chip) == size


@pytest.mark.parametrize(("results", "size"), [(2, 16), (5, 40), (200, 1600)])
def test_the_table_of_pointers_of_a_cpu(results: int, size: int) -> None:
    """Measured with jaxlib 0.10.2: output_size_in_bytes, less the arrays."""
    assert index_tables_bytes(XlaTuple([XlaShape("f32", [7])] * results)) == size


def test_the_alignment_of_every_chip_is_measured() -> None:
    """Of a chip in no table it would be taken for that of v5e."""
    assert {chip for chip, _results, _size in MEASURED} == set(CHIPS)


def test_each_tuple_has_a_table() -> None:
    inner = XlaTuple([XlaShape("f32", [2])] * 129)
    assert index_tables_bytes(XlaTuple([inner, XlaShape("f32", [2])]), "v5e") == 1024 + 512
    assert index_tables_bytes(XlaShape("f32", [2]), "v5e") == 0


def test_an_unknown_chip_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="no TPU 'v0'"):
        index_tables_bytes(XlaTuple([]), "v0")


def test_the_memory_of_the_host_is_counted_elsewhere() -> None:
    """A program with one argument and one result in pinned host memory, compiled for v5e: 102400 bytes
    of arguments and 102912 of results, as many again on the host."""
    module = read_module(
        """
        ENTRY e {
          x = f32[100,200]{0,1:T(8,128)} parameter(0)
          y = f32[100,200]{0,1:T(8,128)S(5)} parameter(1)
          ROOT t = (f32[100,200]{0,1:T(8,128)}, f32[100,200]{0,1:T(8,128)S(5)}) tuple(x, y)
        }
        """
    )
    assert (argument_bytes(module), output_bytes(module, "v5e")) == (102400, 102912)


def test_donated_parameters() -> None:
    module = read_module(
        """
        HloModule m, input_output_alias={ {1}: (0, {}, may-alias) }

        ENTRY e {
          x = f32[100] parameter(0)
          y = f32[10] parameter(1)
          n = f32[100] negate(x)
          ROOT t = (f32[10], f32[100]) tuple(y, n)
        }
        """
    )
    assert alias_bytes(module) == 400
