# SPDX-License-Identifier: Apache-2.0
"""A door to `tla.numbers.ints`, the ints of layouts."""

from .numbers.ints import *
