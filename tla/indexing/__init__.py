"""XLA's indexing analysis, exact and sound: which elements an HLO instruction reads for which result.

>>> m = parse_map("(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]")
>>> print(inverse(m))
(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]

==================  ============================================================================
modules             what they have
==================  ============================================================================
variables, maps     the values: intervals, variables, maps; `making` how a map is made
text, reading       XLA's texts of maps, written and read
compose, invert     one map after another, and back
simplify            XLA's canonical text, soundly; `constraints` what it does to those
unused, rescale     variables left out, scaled, made dims
ops, accesses       the maps of HLO instructions, both ways
fusion, runtime     whole computations; numbers read at run time that are known
layouts             maps of layouts, and layouts of maps
exact               integer sets: proofs, counts, unions
==================  ============================================================================
"""

from typing import TYPE_CHECKING

from .accesses import input_to_output, output_to_input
from .compose import compose
from .invert import inverse
from .maps import Constraint, IndexingMap, Point, to_text
from .reading import parse_map
from .rescale import ranges_to_dims, rescale_symbols, symbols_to_dims
from .simplify import simplify
from .unused import remove_unused_symbols, remove_unused_vars
from .variables import REPLICA, Interval, RuntimeVariable, Source, Variable, dim, rng, rt

if TYPE_CHECKING:
    from .exact import Relation, relation
    from .fusion import computation_maps
    from .layouts import from_layout, layout_and_offset, to_layout
    from .runtime import fold
else:
    _LATER = {
        "Relation": ".exact",
        "computation_maps": ".fusion",
        "fold": ".runtime",
        "from_layout": ".layouts",
        "layout_and_offset": ".layouts",
        "relation": ".exact",
        "to_layout": ".layouts",
    }

    def __getattr__(name):
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = globals()[name] = getattr(import_module(_LATER[name], __name__), name)
        return value


__all__ = [
    "REPLICA",
    "Constraint",
    "IndexingMap",
    "Interval",
    "Point",
    "Relation",
    "RuntimeVariable",
    "Source",
    "Variable",
    "compose",
    "computation_maps",
    "dim",
    "fold",
    "from_layout",
    "input_to_output",
    "inverse",
    "layout_and_offset",
    "output_to_input",
    "parse_map",
    "ranges_to_dims",
    "relation",
    "remove_unused_symbols",
    "remove_unused_vars",
    "rescale_symbols",
    "rng",
    "rt",
    "simplify",
    "symbols_to_dims",
    "to_layout",
    "to_text",
]
