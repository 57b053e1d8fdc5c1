# SPDX-License-Identifier: Apache-2.0
"""What GPUs do with layouts: the banks and lines that the threads of a warp reach, functions of bits."""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from ..algebra import (
        LinearLayout as LinearLayout,
        from_linear as from_linear,
        to_linear as to_linear,
    )
    from .banks import (
        Access as Access,
        BankConflicts as BankConflicts,
        Best as Best,
        Phase as Phase,
        bank_conflicts as bank_conflicts,
        best_swizzle as best_swizzle,
        memory_lines as memory_lines,
    )
    from .catalogue import Catalogue as Catalogue
    from .copies import CopyAtom as CopyAtom, copy_atoms as copy_atoms
    from .fields import ValueTypes as ValueTypes
    from .mma import MmaAtom as MmaAtom, atoms as atoms
    from .shared import smem_atoms as smem_atoms
    from .tiles import (
        TiledCopy as TiledCopy,
        TiledMma as TiledMma,
        tiled_copy as tiled_copy,
        tiled_copy_of as tiled_copy_of,
        tiled_mma as tiled_mma,
        times_held as times_held,
    )
    from .triton import from_triton as from_triton

lazy(__name__, guard=True)
