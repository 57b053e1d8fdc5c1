# SPDX-License-Identifier: Apache-2.0
"""MMA atoms: which elements of A, B and C each thread of a matrix instruction holds.

An atom multiplies an M x K tile A by an N x K tile B and adds to an M x N tile C. Its layouts take
(thread, value) to the index of an element in the tile, columns first: ``m + M * k``, ``n + N * k``,
``m + M * n``.

>>> atom = atoms["SM80_16x8x16_F32F16F16F32_TN"]
>>> print(atom)
SM80_16x8x16_F32F16F16F32_TN
  shape  (_16,_8,_16)
  thr    _32:_1
  a      ((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))  half_t
  b      ((_4,_8),(_2,_2)):((_16,_1),(_8,_64))          half_t
  c      ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))          float
>>> divmod(atom.c(5, 1), 16)[::-1]  # the row and the column of value 1 of thread 5
(1, 3)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ..ground import drawn_by, figure_of, html_of
from ..layouts import to_text
from . import matrix_cores, nvidia
from .catalogue import Catalogue
from .fields import OPERANDS, one_of

if TYPE_CHECKING:
    from ..ground import Figure
    from ..layouts import AnyLayout
    from .fields import Operand, ValueTypes


@drawn_by("tla.gpu.figures", "held_figure")
class MmaAtom(NamedTuple):
    """A matrix instruction: its tile and the layouts of its threads and values.

    >>> atom = atoms["SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::MN>"]
    >>> atom.shape_mnk, atom.thr.size
    ((_64, _128, _16), _128)
    >>> print(atom.b)  # in shared memory, read by all threads
    (_128,(_128,_16)):(_0,(_1,_128))

    Attributes:
        name: CuTe's name, without blanks.
        shape_mnk: The extents of the tile.
        thr: From the threads of the atom to the threads of the warp, warp group or cluster.
        a, b, c: From (thread, value) to the index in the M x K, N x K, M x N tile.
        types: The element types.
        source: Where the facts are from.
        sfa, sfb: The scale factors of A and B, where the instruction takes them from registers.
        e: The metadata of a sparse A, in registers: from (thread, value) to the index in the M x K tile.
    """

    name: str
    shape_mnk: tuple[int, int, int]
    thr: AnyLayout
    a: AnyLayout
    b: AnyLayout
    c: AnyLayout
    types: ValueTypes
    source: str
    sfa: AnyLayout | None = None
    sfb: AnyLayout | None = None
    e: AnyLayout | None = None

    def extents(self, operand: Operand) -> tuple[int, int]:
        """Return the extents of the tile of an operand.

        >>> atoms["SM80_16x8x16_F32F16F16F32_TN"].extents("b")
        (_8, _16)
        """
        one_of(operand, OPERANDS, "an operand")
        first, second = OPERANDS[operand]
        return self.shape_mnk[first], self.shape_mnk[second]

    def figure(
        self, operand: Operand = "c", rows: int = 16, columns: int = 32, slices: int = 2
    ) -> Figure:
        """Return the picture of an operand, as data: the thread and value of each element.

        >>> grid = atoms["SM80_8x8x4_F64F64F64F64_TN"].figure("a").grids[0]
        >>> [cell.text for cell in grid.cells[1]]
        ['T4 V0', 'T5 V0', 'T6 V0', 'T7 V0']
        """
        found: Figure = figure_of(self, part=operand, rows=rows, columns=columns, slices=slices)
        return found

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def __str__(self) -> str:
        rows: list[tuple[str, str, str]] = [("shape", to_text(self.shape_mnk), "")]
        for field in ("thr", "a", "b", "c", "sfa", "sfb", "e"):
            layout = getattr(self, field)
            if layout is not None:
                rows.append((field, str(layout), getattr(self.types, field.rstrip("ab") or field, "")))
        width = max(len(layout) for _field, layout, _type in rows)
        return "\n".join([self.name, *(f"  {f:<6} {t:<{width}}  {of}".rstrip() for f, t, of in rows)])


atoms: Final = Catalogue("MMA", MmaAtom, (*nvidia.FAMILIES, *matrix_cores.FAMILIES))
"""The MMA atoms by name, as `MmaAtom`."""
