"""One end of a copy: a layout, and the tile of it that the copy reads or writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...errors import CoordinateError

if TYPE_CHECKING:
    from ...layouts import AnyLayout
    from ..elements import Element


class Matrix(NamedTuple):
    """A layout that a copy reads or writes: its tag, its elements, and where in it the tile starts.

    >>> from tla.ascend.copies import gm_to_l1
    >>> a = row_major(100, 60)
    >>> moved = gm_to_l1(a, "zN", arch="AtlasA2", element="half", tile=(48, 32), at=(48, 0))
    >>> moved.src.tag, moved.src.element.name, moved.src.at, moved.src.start
    ('RowMajor', 'half', (48, 0), 2880)
    """

    layout: AnyLayout
    tag: str
    element: Element
    at: tuple[int, ...]

    @property
    def start(self) -> int:
        """The offset of the tile's first element."""
        return int(self.layout(self.at))

    @property
    def bytes(self) -> int:
        """The bytes from the first element of the layout to the end of its last."""
        return self.element.bytes_of(int(self.layout.cosize))

    def offset(self, coordinate: tuple[int, ...]) -> int:
        """The offset of an element of the tile."""
        if len(coordinate) != len(self.at):
            raise CoordinateError(f"a coordinate has {len(self.at)} ints, not {len(coordinate)}")
        return int(self.layout(tuple(a + c for a, c in zip(self.at, coordinate, strict=True))))

    def __str__(self) -> str:
        return f"{self.tag}<{self.element}>"
