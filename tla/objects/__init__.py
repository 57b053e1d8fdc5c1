# SPDX-License-Identifier: Apache-2.0
"""Objects of other libraries as layouts: one row for each library, and none of them is imported.

An object is recognised by the module and the name of its class, so its library is there already.

>>> import numpy as np
>>> print(read_object(np.zeros((3, 5))[::-1]))
(3,5):(-5,1)

`libraries` is the table, and the readers of layouts stand in `layouts`, of arrays in `arrays`, of Pallas
blocks in `pallas`, and of what is written as a map in `mapped`.
"""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .libraries import LIBRARIES as LIBRARIES, Library as Library, read_object as read_object
    from .mapped import (
        memref_of as memref_of,
        read_index_map as read_index_map,
        read_memref as read_memref,
        read_tilelang as read_tilelang,
    )

if TYPE_CHECKING:
    # for the rooms above
    from .arrays import chunked as chunked, read_jax as read_jax
    from .libraries import KNOWN as KNOWN, is_known as is_known, peer as peer
    from .mapped import refuse_index_map as refuse_index_map
    from .pallas import read_block as read_block

lazy(__name__, guard=True)
