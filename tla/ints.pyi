from .numbers.ints import *
