"""Hypothesis strategies and naive truths, for our tests and for those of users.

The strategies draw what the library takes: `int_tuples`, `shapes`, `layouts`, `coords_of` a shape, and
whole `programs`. The truths, `naive_offset`, `naive_table` and their kin, count everything one by one
from the definition of a layout, share no code with what they check, and are slow.

>>> from hypothesis import given
>>> @given(layouts())
... def law(layout):
...     assert [layout(i) for i in range(layout.size)] == naive_offsets(layout)
>>> law()

Needs ``hypothesis``; nothing else in the library imports this package.
"""

from .operations import OPERATIONS
from .programs import Program, Statement, programs, random_program
from .truths import (
    naive_complement,
    naive_composition,
    naive_coords,
    naive_covers,
    naive_extended,
    naive_is_complement,
    naive_is_injective,
    naive_is_left_inverse,
    naive_is_right_inverse,
    naive_offset,
    naive_offsets,
    naive_reach,
    naive_refines,
    naive_size,
    naive_table,
)
from .values import coords_of, int_tuples, layouts, shapes

__all__ = [
    "OPERATIONS",
    "Program",
    "Statement",
    "coords_of",
    "int_tuples",
    "layouts",
    "naive_complement",
    "naive_composition",
    "naive_coords",
    "naive_covers",
    "naive_extended",
    "naive_is_complement",
    "naive_is_injective",
    "naive_is_left_inverse",
    "naive_is_right_inverse",
    "naive_offset",
    "naive_offsets",
    "naive_reach",
    "naive_refines",
    "naive_size",
    "naive_table",
    "programs",
    "random_program",
    "shapes",
]
