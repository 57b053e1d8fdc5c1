"""Integer sets: exact answers about indexing maps, by isl. Needs islpy, the extra ``exact``.

>>> from tla.indexing import parse_map
>>> slice_ = parse_map("(d0) -> (d0 * 7 + 3), domain: d0 in [0, 2]")
>>> print(relation(slice_).inverse())
{ [d0] -> [e0] : 7e0 = -3 + d0 and 3 <= d0 <= 17 }

=============  =================================================================================
module         subject
=============  =================================================================================
``relation``   `Relation`, what maps say as a set of pairs; its algebra
``parts``      isl's maps with what their parameters are read from
``replicas``   the replica that asks, and the one that is read
``building``   a map as isl's text
``reads``      runtime variables as parameters that keep what they are read from
``pieces``     a relation as maps again
``counting``   how many points a set has
``budget``     isl itself, and how much it may do
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

lazy(__name__)
