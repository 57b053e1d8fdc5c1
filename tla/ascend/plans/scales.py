# SPDX-License-Identifier: Apache-2.0
"""The scales of a plan: one number, one for each channel, or one for each token as well.

>>> from tla.ascend import GemmCoord
>>> scale_of("channel", GemmCoord(512, 256, 64))
Scale(kind='channel', shape=(256,))

With ``tensor`` and ``channel`` the fixpipe scales the sums on their way out of L0C. It reads the scales
of channels from the buffer FB, as words of 64 bits. With ``token`` the vector cores scale them: C is in
the workspace, and the epilogue has one scale for each column and one for each row.

Source: CATLASS gemm/tile/ascend950/copy_l0c_to_dst.hpp, ScaleGranularity;
gemm/block/block_mmad_pingpong_dequant_tla.hpp; examples 12, 38, 48 and 52.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from ...errors import KindError, LayoutError, UnsupportedError
from ...ground import described, did_you_mean, near_words, shortened
from ..shapes import index_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..shapes import GemmCoord

ScaleKind: TypeAlias = Literal["tensor", "channel", "token"]
KINDS: Final[tuple[ScaleKind, ...]] = ("tensor", "channel", "token")
MX_GROUP: Final = 32
"""The elements along k that share an MX scale, of one byte."""
SCALE_BYTES: Final = 8
"""The bytes of the scale of a channel: the fixpipe reads words of 64 bits."""


class Scale(NamedTuple):
    """The scales of a plan, and the shape of their tensor: of ``token`` that of the rows' scales.

    >>> from tla.ascend import gemm
    >>> gemm("Ascend950", (512, 256, 64), "int8_t", scale="channel").scale
    Scale(kind='channel', shape=(256,))
    """

    kind: ScaleKind
    shape: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"a scale by {self.kind}"


ScaleLike: TypeAlias = "ScaleKind | str | Scale | Sequence[object]"
"""A kind of scales, alone or with the shape of their tensor: ``channel``, ``("channel", (256,))``."""


def scale_of(what: ScaleLike, problem: GemmCoord) -> Scale:
    """Return the scales of a product, with their shape.

    >>> from tla.ascend import GemmCoord
    >>> scale_of(("token", (512, 1)), GemmCoord(512, 256, 64)).shape
    (512, 1)

    Raises:
        UnsupportedError: there is no such kind.
        LayoutError: the shape is not that of the kind's scales.
    """
    kind: Any
    kind, shape = (what, None) if isinstance(what, str) else _pair(what)
    if kind not in KINDS:
        near = near_words(shortened(kind).lower(), KINDS)
        raise UnsupportedError(f"{shortened(kind)!r} is no kind of scales", did_you_mean(near, KINDS))
    needed = {"tensor": (), "channel": (problem.n,), "token": (problem.m,)}[kind]
    if shape is None:
        return Scale(kind, needed)
    extents = tuple(index_of("an extent of the scales", extent) for extent in shape)
    if [x for x in extents if x != 1] != [x for x in needed if x != 1]:
        of = {"tensor": "all", "channel": "each column of C", "token": "each row of C"}[kind]
        raise LayoutError(
            f"the scales have the shape {extents}: one by {kind} has {needed}, a number for {of}",
            scale=extents, needed=needed,
        )  # fmt: skip
    return Scale(kind, extents)


def _pair(what: object) -> tuple[str, Any]:
    parts: Any = what
    is_pair = isinstance(what, (tuple, list)) and len(parts) == 2
    if not is_pair or not isinstance(parts[0], str) or not isinstance(parts[1], (tuple, list)):
        raise KindError(f"a scale is a kind and a shape, not {described(parts)}", value=parts)
    return parts[0], parts[1]
