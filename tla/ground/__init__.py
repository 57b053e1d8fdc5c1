"""The ground floor: tools that every room uses.

- ``lazy``: packages that load a name when it is asked for; ``arguments``: what a failed call says;
- ``immutable``: the base of values;
- ``text``: the scanner of all notations, and texts for errors; ``dtypes``: element types;
- ``figure``: figures as data; ``display``: how a notebook shows a value;
- ``constexpr``: marks for the mypy plugin.
"""

from typing import TYPE_CHECKING

from .lazy import lazy as lazy

if TYPE_CHECKING:
    from .constexpr import (
        beyond_types as beyond_types,
        beyond_types_of as beyond_types_of,
        constexpr as constexpr,
        is_constexpr as is_constexpr,
        maker_of as maker_of,
        opaque as opaque,
        opaques_of as opaques_of,
        reveal as reveal,
        typed_by as typed_by,
        types_of as types_of,
    )
    from .dtypes import (
        ELEMENT_TYPES as ELEMENT_TYPES,
        ElementType as ElementType,
        element_type as element_type,
    )
    from .figure import (
        NO_COLOUR as NO_COLOUR,
        AnyFigure as AnyFigure,
        Axis as Axis,
        Bar as Bar,
        Bars as Bars,
        Cell as Cell,
        Figure as Figure,
        Grid as Grid,
        Lane as Lane,
        Panels as Panels,
        Place as Place,
        Scheme as Scheme,
        Shown as Shown,
        Steps as Steps,
        Stretch as Stretch,
        Strip as Strip,
        Timeline as Timeline,
    )

if TYPE_CHECKING:
    # for the rooms above
    from . import dtypes as dtypes
    from .arguments import guarded as guarded, refuse as refuse
    from .display import (
        drawn_by as drawn_by,
        figure_of as figure_of,
        html_of as html_of,
        register as register,
        steps_of as steps_of,
    )
    from .immutable import Immutable as Immutable, Record as Record
    from .text import (
        MAX_DIGITS as MAX_DIGITS,
        Scanner as Scanner,
        described as described,
        did_you_mean as did_you_mean,
        int_in as int_in,
        near_words as near_words,
        refused_digits as refused_digits,
        shortened as shortened,
        shown as shown,
        written as written,
    )

lazy(__name__)
