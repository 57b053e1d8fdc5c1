# SPDX-License-Identifier: Apache-2.0
"""XLA's indexing analysis, exact and sound: the elements that an HLO instruction reads for each result.

>>> m = parse_map("(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]")
>>> print(inverse(m))
(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]

==================  ============================================================================
modules             what they have
==================  ============================================================================
variables, maps     the values: variables and maps; `making` their fields
text, reading       the writer and the reader of XLA's texts of maps
compose, invert     one map after another, and the way back
simplify            XLA's canonical text, soundly; `constraints` the rules of constraints
solving, tables     ranges that a constraint decides; expressions with given values
unused, rescale     edits of variables: without unused ones, with other steps, as dims
ops, dependences    the maps of HLO instructions, both ways
fusion, runtime     whole computations; known values of numbers read at run time
layouts             maps of layouts, and layouts of maps
exact               integer sets: proofs, counts, unions
==================  ============================================================================
"""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from ..numbers import Interval as Interval
    from .accesses import (
        Accesses as Accesses,
        Schedule as Schedule,
        accesses as accesses,
        loop_schedule as loop_schedule,
        register_schedule as register_schedule,
        row_reduction_schedule as row_reduction_schedule,
        schedule_of as schedule_of,
        transpose_schedule as transpose_schedule,
    )
    from .compose import compose as compose
    from .deciding import union as union
    from .dependences import input_to_output as input_to_output, output_to_input as output_to_input
    from .exact import Relation as Relation, relation as relation
    from .figures import Operand as Operand, map_figure as map_figure, reads_figure as reads_figure
    from .fusion import computation_maps as computation_maps, maps_to as maps_to
    from .invert import inverse as inverse
    from .layouts import (
        from_layout as from_layout,
        layout_and_offset as layout_and_offset,
        to_layout as to_layout,
    )
    from .making import Constraint as Constraint
    from .maps import IndexingMap as IndexingMap, Point as Point, to_text as to_text
    from .ops import MalformedError as MalformedError
    from .propagation import (
        Propagation as Propagation,
        TiledArray as TiledArray,
        propagate_tile as propagate_tile,
        tile_faults as tile_faults,
        tile_sizes as tile_sizes,
    )
    from .reading import parse_map as parse_map
    from .rescale import (
        ranges_to_dims as ranges_to_dims,
        rescale_symbols as rescale_symbols,
        symbols_to_dims as symbols_to_dims,
    )
    from .runtime import fold as fold
    from .simplify import simplify as simplify
    from .tiles import Tile as Tile, tile as tile
    from .traffic import (
        ArrayTraffic as ArrayTraffic,
        Counts as Counts,
        Traffic as Traffic,
        traffic as traffic,
    )
    from .unused import (
        remove_unused_symbols as remove_unused_symbols,
        remove_unused_vars as remove_unused_vars,
    )
    from .variables import (
        REPLICA as REPLICA,
        RuntimeVariable as RuntimeVariable,
        Source as Source,
        Variable as Variable,
        dim as dim,
        rng as rng,
        rt as rt,
    )

if TYPE_CHECKING:
    # for the rooms above
    from .dependences import accesses_of as accesses_of
    from .exact import isl as isl
    from .fusion import reached_maps as reached_maps
    from .layouts import Memory as Memory
    from .ops import Devices as Devices, Leaf as Leaf, Op as Op, leaves as leaves
    from .text import FORMS as FORMS

lazy(__name__, guard=True)
