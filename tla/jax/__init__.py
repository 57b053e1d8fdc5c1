# SPDX-License-Identifier: Apache-2.0
"""Layouts and memory of jax programs: reports, advice as arguments of `jax.jit`, blocks of kernels.

- ``compiling``: a function compiled, here or for a described TPU; ``reporting``: what is said of it;
- ``formats``: jax's ``Format`` and ``Layout`` both ways, and advice as trees of them;
- ``verifying``: the function compiled again with advice; ``blocks``: ``pl.BlockSpec``.

jax is imported when a function first needs it: ``pip install 'tla-layouts[jax]'``. A TPU is not needed:
libtpu compiles for a chip that is only described.
"""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .blocks import block_spec_report as block_spec_report
    from .formats import (
        from_format as from_format,
        shardings as shardings,
        to_format as to_format,
        to_layout as to_layout,
    )
    from .reporting import Report as Report, report as report
    from .verifying import Verification as Verification, verify as verify

if TYPE_CHECKING:
    # for the rooms above
    from .compiling import compiled as compiled

lazy(__name__, guard=True)
