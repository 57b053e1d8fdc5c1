"""A door to `tla.numbers.ints`, the ints of layouts."""

from .numbers.ints import *
