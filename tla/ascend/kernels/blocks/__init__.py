# SPDX-License-Identifier: Apache-2.0
"""CATLASS's blocks as Python: a class is made on a core, computes block by block, and is closed.

- ``pingpong``: `MmadPingpong` and `MmadAtlasA2Pingpong`, a tile in use and the next on its way.
"""

from typing import TYPE_CHECKING

from ....ground import lazy

if TYPE_CHECKING:
    from .pingpong import MmadAtlasA2Pingpong as MmadAtlasA2Pingpong, MmadPingpong as MmadPingpong

lazy(__name__, guard=True)
