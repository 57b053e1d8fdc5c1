# SPDX-License-Identifier: Apache-2.0
"""Layouts as objects of other libraries, and arrays of theirs as layouts.

A library is imported when one of these functions is called for it; `tla.read` imports none.

>>> import numpy as np
>>> print(from_array(np.zeros((3, 4)).T))
(4,3):(1,4)
"""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .arrays import (
        from_array as from_array,
        to_jax_format as to_jax_format,
        to_numpy_view as to_numpy_view,
        to_torch as to_torch,
        to_zarr as to_zarr,
    )
    from .layouts import (
        to_cute_dsl as to_cute_dsl,
        to_memref as to_memref,
        to_pycute as to_pycute,
        to_tensor_layouts as to_tensor_layouts,
    )

lazy(__name__, guard=True)
