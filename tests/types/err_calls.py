"""Calls that do not fit the function: mypy says so itself, and the plugin is silent."""

import asyncio
from typing import Any

from tla import (
    Int,
    Layout,
    _1,
    _2,
    _4,
    _8,
    ceil_div,
    composition,
    get,
    make_layout,
    make_layout_tile,
    parse,
    rank,
    reveal,
    size,
)

a = make_layout((_4, _8))


# not as many arguments, or not by these names
def counts(n: int, t: Layout[Int[4], Int[1]]) -> None:
    rank()  # E[call-arg]: Missing positional argument "x" in call to "rank"
    ceil_div(_8)  # E[call-arg]: Missing positional argument "b" in call to "ceil_div"
    ceil_div(n)  # E[call-arg]: Missing positional argument "b" in call to "ceil_div"
    ceil_div(_8, _2, _1)  # E[call-arg]: Too many arguments for "ceil_div"
    ceil_div(_8, c=_2)  # E[call-arg]: Unexpected keyword argument "c" for "ceil_div"
    composition(t)  # E[call-overload]: No overload variant of "composition" matches ...
    make_layout()  # E[call-overload]: All overload variants of "make_layout" require at least one argument
    make_layout(_4, _1, None, 5)  # E[call-overload]: No overload variant of "make_layout" matches ...
    make_layout(_4, shape=_4)  # E[call-overload]: No overload variant of "make_layout" matches ...
    make_layout_tile(a, (_2, _2), exakt=True)  # E[call-arg]: Unexpected keyword argument "exakt" for "make_layout_tile"; ...
    _8.__add__()  # E[call-arg]: Too few arguments for "__add__" of "Int"
    Int()  # E[call-overload]: All overload variants of "Int" require at least one argument
    Int(1, 2)  # E[call-overload]: No overload variant of "Int" matches ...
    reveal()  # E[call-arg]: Missing positional argument "x" in call to "reveal"
    reveal(a, a)  # E[call-arg]: Too many arguments for "reveal"


# not of these types
def kinds(n: int, x: float) -> None:
    Int(4.0)  # E[call-overload]: No overload variant of "Int" matches argument type "float"
    Int("4")  # E[call-overload]: No overload variant of "Int" matches argument type "str"
    get(a, 1.5)  # E[call-overload]: No overload variant of "get" matches argument types ...
    a(x)  # E[arg-type]: Argument 1 to "__call__" of "Layout" has incompatible type "float"; expected "IntTuple"
    rank(x)  # E[arg-type]: Argument 1 to "rank" has incompatible type "float"; ...
    size([4, 8])  # E[arg-type]: Argument 1 to "size" has incompatible type "list[int]"; ...
    parse(b"(_4,8)")  # E[arg-type]: Argument 1 to "parse" has incompatible type "bytes"; expected "str"
    a + 1  # E[operator]: Unsupported operand types for + ("Layout[...
    n * a  # E[operator]: Unsupported operand types for * ("int" and "Layout[...
    a[0] = 5  # E[index]: Unsupported target for indexed assignment ...
    a.shape = (4, 8)  # E[misc]: Property "shape" defined in "Layout" is read-only  # E[assignment]: Incompatible types in assignment ...
    a.sizes  # E[attr-defined]: "Layout[...
    -a  # E[operator]: Unsupported operand type for unary - ...
    (1, 2) + _8  # E[operator]: ...


# what is declared says more, or another thing
def declared(column: Layout[tuple[int, int], tuple[Int[1], int]], n: int) -> None:
    declared(make_layout((_4, n), (n, _1)), n)  # E[arg-type]: ...
    four: Int[4] = _2 * _4  # E[assignment]: Incompatible types in assignment (expression has type "Int[Literal[8]]", variable has type "Int[Literal[4]]")
    four = _2 * _2
    total = _1
    total = total * _2  # E[assignment]: Incompatible types in assignment (expression has type "Int[Literal[2]]", variable has type "Int[Literal[1]]")
    pair: tuple[Int[4], Int[8]] = a.stride  # E[assignment]: ...
    many: Int[4, 8] = _4  # E[type-arg]: "Int" expects 1 type argument, but 2 given
    some: Int = _4  # E[type-arg]: Missing type arguments for generic type "Int"
    flag: Int[True] = _1  # E[valid-type]: Invalid type: try using Literal[True] instead?


async def later(n: int) -> Any:
    await asyncio.sleep(0)
    return make_layout((_4, n), (_1, n, n))  # E: shape (_4,int) and stride (_1,int,int) are not congruent


class Held:
    row = make_layout((_4, _8), (_8, _1))

    def tile(self, n: int) -> Any:
        return make_layout_tile(self.row, (_2, _2, n))  # E: tile (_2,_2,int) does not fit the layout (_4,_8):(_8,_1)


def inner(n: int) -> None:
    list(map(lambda i: get(a, 2), range(n)))  # E: there is no mode 2 in (_4,_8), of rank 2
