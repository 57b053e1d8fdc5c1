"""Integer sets: exact answers about indexing maps, by isl. Needs islpy, the extra ``exact``.

>>> from tla.indexing import parse_map
>>> slice_ = parse_map("(d0) -> (d0 * 7 + 3), domain: d0 in [0, 2]")
>>> print(relation(slice_).inverse())
{ [d0] -> [e0] : 7e0 = -3 + d0 and 3 <= d0 <= 17 }

=============  =================================================================================
module         subject
=============  =================================================================================
``relation``   `Relation`, the set of pairs of some maps, and its algebra
``parts``      isl's maps with the sources of their parameters
``replicas``   the replica that asks, and the one that is read
``building``   a map as isl's text
``reads``      runtime variables as parameters with their sources
``pieces``     a relation as maps again
``counting``   the number of points of a set
``budget``     isl itself, and the limit of its work
=============  =================================================================================

Source: isl, "An Integer Set Library", manual and ``isl_map.h``.
"""

from typing import TYPE_CHECKING

from ...ground import lazy

if TYPE_CHECKING:
    from .relation import Pair as Pair, Relation as Relation, relation as relation

if TYPE_CHECKING:
    # for the rooms above
    from .budget import isl as isl

lazy(__name__, guard=True)
