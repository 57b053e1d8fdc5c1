"""Hypothesis strategies and naive truths, for our tests and for those of users.

The strategies draw arguments of the library: `int_tuples`, `shapes`, `layouts`, `coords_of` a shape, and
whole `programs`. The truths, `naive_offset`, `naive_table` and their kin, count everything one by one
from the definition of a layout. They share no code with the functions that they check, and are slow.

>>> from hypothesis import given
>>> from tla.testing import layouts, naive_offsets
>>> @given(layouts())
... def law(layout):
...     assert [layout(i) for i in range(layout.size)] == naive_offsets(layout)
>>> law()

Needs ``hypothesis``; nothing else in the library imports this package.
"""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .operations import OPERATIONS as OPERATIONS
    from .programs import (
        Program as Program,
        Statement as Statement,
        programs as programs,
        random_program as random_program,
    )
    from .truths import (
        naive_complement as naive_complement,
        naive_composition as naive_composition,
        naive_coords as naive_coords,
        naive_covers as naive_covers,
        naive_extended as naive_extended,
        naive_is_complement as naive_is_complement,
        naive_is_injective as naive_is_injective,
        naive_is_left_inverse as naive_is_left_inverse,
        naive_is_right_inverse as naive_is_right_inverse,
        naive_offset as naive_offset,
        naive_offsets as naive_offsets,
        naive_reach as naive_reach,
        naive_refines as naive_refines,
        naive_size as naive_size,
        naive_table as naive_table,
    )
    from .values import (
        coords_of as coords_of,
        int_tuples as int_tuples,
        layouts as layouts,
        shapes as shapes,
    )

lazy(__name__, guard=True)
