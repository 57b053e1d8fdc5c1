# SPDX-License-Identifier: Apache-2.0
"""The numbers of layouts: static, dynamic and symbolic ints, and the questions asked of them.

`ints` holds static ints and the arithmetic of all kinds, `questions` asks in the name of an operation.
A symbolic int is a quasi-affine expression of named unknowns: `nodes` holds its value, `rules` rewrite
it, `facts` prove, `assumptions` are what `assume` adds, `cases` run an operation in every way it can go.

>>> M = sym("M", divisible_by=16)
>>> x = (M + 5) // 16 * 4 + (M + 5) % 16
>>> print(x, x.bounds, x.divisor)
M{div=16}/4+5 (9, None) 1
"""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .assumptions import Conditions as Conditions, assume as assume
    from .basis import E as E
    from .evaluation import evaluate as evaluate, free_symbols as free_symbols, substitute as substitute
    from .nodes import Condition as Condition, Expr as Expr, Symbol as Symbol, Value as Value
    from .printers import (
        to_cpp as to_cpp,
        to_mlir as to_mlir,
        to_notation as to_notation,
        to_python as to_python,
    )
    from .rules import (
        ceil_divided as ceil_divided,
        floor_divided as floor_divided,
        greatest as greatest,
        least as least,
        remainder as remainder,
        simplify as simplify,
    )
    from .symbols import sym as sym

if TYPE_CHECKING:
    # for the rooms above
    from . import ints as ints
    from .assumptions import conditions_in as conditions_in, consistent as consistent
    from .basis import (
        ArithmeticTuple as ArithmeticTuple,
        Basis as Basis,
        evaluated as evaluated,
        nested as nested,
    )
    from .cases import Unknown as Unknown, cases as cases
    from .context import assumed as assumed, used_here as used_here
    from .evaluation import (
        compute as compute,
        facts_of as facts_of,
        open_conditions as open_conditions,
        operate as operate,
        rebind as rebind,
        rebuild as rebuild,
    )
    from .intervals import Interval as Interval
    from .ints import (
        INT as INT,
        PLAIN_INTS as PLAIN_INTS,
        STATIC as STATIC,
        TUPLE as TUPLE,
        Int as Int,
        IntLike as IntLike,
        IntTuple as IntTuple,
        ManyLeavesError as ManyLeavesError,
        SymbolicInt as SymbolicInt,
        _0 as _0,
        _1 as _1,
        _2 as _2,
        _16 as _16,
        add as add,
        ceil_div as ceil_div,
        is_asked as is_asked,
        is_dynamic as is_dynamic,
        is_open as is_open,
        is_plain_tuple as is_plain_tuple,
        is_static as is_static,
        is_tuple as is_tuple,
        known_divides as known_divides,
        known_eq as known_eq,
        known_int as known_int,
        known_lt as known_lt,
        leaf as leaf,
        limit_leaves as limit_leaves,
        limit_nesting as limit_nesting,
        max_ as max_,
        min_ as min_,
        round_down as round_down,
        round_up as round_up,
        static_int as static_int,
        too_deep as too_deep,
    )
    from .keeping import (
        attach_assumptions as attach_assumptions,
        call_assuming as call_assuming,
        keeps_assumptions as keeps_assumptions,
        of_domain as of_domain,
    )
    from .nodes import (
        Atom as Atom,
        Least as Least,
        Monomial as Monomial,
        Quotient as Quotient,
        Remainder as Remainder,
        Terms as Terms,
        atom_expr as atom_expr,
        atoms_of as atoms_of,
        bounds_of as bounds_of,
        expr_of as expr_of,
        inner_first as inner_first,
        key_of as key_of,
        raw_sum as raw_sum,
        required as required,
        sum_of as sum_of,
        symbols_in as symbols_in,
        total as total,
    )
    from .printers import (
        Notation as Notation,
        Style as Style,
        mlir_style as mlir_style,
        text_in as text_in,
    )
    from .questions import (
        Question as Question,
        Questions as Questions,
        asking as asking,
        at_least as at_least,
        comparison as comparison,
        decide as decide,
        decide_all as decide_all,
        differs as differs,
        divides as divides,
        division as division,
        equal as equal,
        equality as equality,
        less as less,
        neither_divides as neither_divides,
        order as order,
        undecided as undecided,
    )
    from .reading import (
        Names as Names,
        condition_at as condition_at,
        expr_at as expr_at,
        goes_on as goes_on,
    )

__all__ = ["_0", "_1", "_2", "_16"]

lazy(__name__)
