# SPDX-License-Identifier: Apache-2.0
"""The ground floor: tools that every room uses.

- ``lazy``: packages that load a name when it is asked for; ``arguments``: what a failed call says;
- ``immutable``: the base of values; ``limits``: the table of all limits;
- ``text``: the scanner of all notations; ``pasted``: the signs that pages print;
- ``words``: words in texts for errors;
- ``dtypes``: element types;
- ``output``: the lines that leave the program; ``pieces``: work by executors, and its results in a file;
- ``figure``: figures as data; ``display``: how a notebook shows a value;
- ``constexpr``: marks for the mypy plugin.
"""

from typing import TYPE_CHECKING

from .lazy import lazy as lazy

if TYPE_CHECKING:
    from .constexpr import (
        beyond_types as beyond_types,
        beyond_types_of as beyond_types_of,
        check_of as check_of,
        checked_by as checked_by,
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
        BANKS as BANKS,
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
        bank_of as bank_of,
    )
    from .limits import LIMITS as LIMITS, Limit as Limit, limits as limits

if TYPE_CHECKING:
    # for the rooms above
    from . import dtypes as dtypes
    from .arguments import (
        guarded as guarded,
        naming_argument as naming_argument,
        naming_call as naming_call,
        refuse as refuse,
        unknown_argument as unknown_argument,
    )
    from .display import (
        drawn_by as drawn_by,
        figure_of as figure_of,
        html_of as html_of,
        register as register,
        steps_of as steps_of,
    )
    from .figure import SHADES as SHADES, shade as shade
    from .immutable import Immutable as Immutable, Record as Record
    from .limits import (
        LEVELS as LEVELS,
        MAX_DEPTH as MAX_DEPTH,
        SMALL as SMALL,
        WIDE as WIDE,
        is_too_deep as is_too_deep,
        is_too_long as is_too_long,
        limit_error as limit_error,
        limit_of as limit_of,
        most_digits as most_digits,
        way_out as way_out,
    )
    from .output import (
        put as put,
        put_bytes as put_bytes,
        say as say,
        terminal_width as terminal_width,
        visible as visible,
    )
    from .pasted import read_typed as read_typed
    from .pieces import read_results as read_results, run_pieces as run_pieces
    from .text import (
        Scanner as Scanner,
        int_in as int_in,
        refused_digits as refused_digits,
        too_long_in as too_long_in,
        written as written,
    )
    from .words import (
        described as described,
        did_you_mean as did_you_mean,
        near_words as near_words,
        plural as plural,
        shortened as shortened,
        shown as shown,
    )

lazy(__name__)
