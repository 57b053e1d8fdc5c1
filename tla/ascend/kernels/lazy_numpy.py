# SPDX-License-Identifier: Apache-2.0
"""numpy, imported when a function first uses it: a kernel is written and translated without it.

>>> from tla.ascend.kernels.lazy_numpy import np
>>> int(np.arange(4).sum())
6
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["np"]

if TYPE_CHECKING:
    import numpy as np
else:

    class _Numpy:
        """Keeps each name of numpy that was asked for."""

        def __getattr__(self, name):
            import numpy

            value = getattr(numpy, name)
            setattr(self, name, value)
            return value

    np = _Numpy()
