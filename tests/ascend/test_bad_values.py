"""What the type checker may run raises errors of the library alone, whatever its arguments are.

The mypy plugin runs a function marked `constexpr` on the values of its arguments' types, of wrong kinds
too, and lets through what is neither a `TlaError` nor an `ArithmeticError`: the checker would crash. So
in right calls of each function one argument, or two, give way to values of every kind that a type tells.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import random
from itertools import combinations, islice, product
from typing import TYPE_CHECKING, Any, Final

import pytest

import tla.ascend
import tla.layouts.tensor
from tla import Int, Layout, TlaError, _, make_tensor, row_major, zN
from tla.ascend import AtlasA2, GemmCoord, GemmShape, is_zN, make_layout
from tla.ground.constexpr import is_constexpr
from tla.numbers.cases import cases
from tla.numbers.ints import _0, _2, _16
from tla.types.terms import OPAQUE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BAD: Final[tuple[Any, ...]] = (
    0, -1, 1, 3, 16, 1 << 70, _0, Int(-4), _16, True, None, _,
    "", "half", "e8m0", "zN", "A", "L0A", "1,2,3", "0x", "<>", "half,half", "\n", "é" * 200, "²",
    (), (0,), (1, 2), (-1, _2), (16, 16, 16), ((1, 2), (3, 4)), (None, "half"), ("zN", "nZ"), (_, 1),
    ((),), (True,), Layout(4, 1), Layout((), ()), row_major(8, 16), zN(20, 48), Layout((4, 4), (0, -3)),
    (row_major(2, 2),), make_tensor("A", row_major(8, 16)), make_tensor(None, Layout(8, 1)),
    AtlasA2, is_zN, GemmShape(1, 2, 3), GemmCoord(0, -1, 2),
)  # fmt: skip
"""Values of every kind that a type can tell, each of them wrong somewhere."""

PAIRS: Final = 300
"""How many pairs of arguments are replaced at once in a call, chosen by chance."""

_Call = tuple[tuple[Any, ...], dict[str, Any]]


def _of(*args: Any, **named: Any) -> _Call:
    return args, named


_ROWS: Final = row_major(8, 16)
_TENSOR: Final = make_tensor("A", zN(64, 64))
_TILE: Final = make_layout("half", "zZ", 32, 32)
_SHAPE, _SIZE = GemmShape(128, 256, 64), GemmCoord(300, 300, 300)

RIGHT: Final[dict[str, tuple[_Call, ...]]] = {
    "tla.layouts.tensor.Tensor": (_of(OPAQUE, _ROWS, (1, 2), "GM", data_offset=3),),
    "tla.layouts.tensor.Tensor.__call__": (_of(_TENSOR, 1, 2),),
    "tla.layouts.tensor.Tensor.offset": (_of(_TENSOR, 1, 2),),
    "tla.layouts.tensor.Tensor.__getitem__": (_of(_TENSOR, (_, 2)),),
    "tla.layouts.tensor.Tensor.shape": (_of(_TENSOR),),
    "tla.layouts.tensor.Tensor.stride": (_of(_TENSOR),),
    "tla.layouts.tensor.get_tile": (_of(_TENSOR, (16, 0), (16, 16), True),),
    "tla.layouts.tensor.tile_view": (_of(_TENSOR, (1, 0), (16, 16), aligned=False),),
    "tla.layouts.tensor.make_tensor": (_of(OPAQUE, _ROWS, (1, 2), "GM"),),
    "tla.ascend.arch.arch": (_of("AtlasA2"),),
    "tla.ascend.arch.KnownArch": (_of("AtlasA2"),),
    "tla.ascend.arch.Arch.capacity": (_of(AtlasA2, "L1"),),
    "tla.ascend.arch.Arch.start_alignment": (_of(AtlasA2, "L1"),),
    "tla.ascend.arch.Arch.limit": (_of(AtlasA2, "Mmad", "m"),),
    "tla.ascend.arch.Arch.product": (_of(AtlasA2, "half", "half"),),
    "tla.ascend.arch.Arch.accumulator": (_of(AtlasA2, "half", "half"),),
    "tla.ascend.arch.Arch.macs_per_cycle": (_of(AtlasA2, "half", "half"),),
    "tla.ascend.elements.element": (_of("half"),),
    "tla.ascend.elements.accumulator": (_of("half", "half"),),
    "tla.ascend.shapes.gemm_shape": (_of((1, 2, 3), "tile"),),
    "tla.ascend.allocation.allocate": (
        _of(AtlasA2, "L0A", _TILE, "half", start=512),
        _of("Ascend950", "UB", _ROWS, "float", start=32),
    ),
    "tla.ascend.allocation.allocate_stages": (_of(AtlasA2, "L0A", _TILE, "half", 2, start=512),),
    "tla.ascend.tags.table.make_layout": (
        _of("half", "RowMajor", 20, 48, ld=64, batch=(2, 3)),
        _of("half", "zN", 20, 48),
        _of("half", "PaddingRowMajor", 20, 48, block=(4, 2)),
        _of("half", "NC1HWC0", 1, 2, 3, 4, c0=8),
        _of("half", "Filter", 1, 2, 3, 4, position="L1"),
        _of("half", "VectorLayout", 1, 4),
        _of("e8m0", "MxScalezZ", 8, 4),
    ),
    "tla.ascend.tags.table.make_layout_in_ub": (_of("half", "RowMajor", 5, 20),),
    "tla.ascend.tags.conv.make_layout_fmap": (_of("half", 1, 2, 3, 4),),
    "tla.ascend.tags.conv.make_layout_filter": (_of("half", 1, 2, 3, 4, "L1"),),
    "tla.ascend.tags.mx.make_mx_scale_layout": (_of("e8m0", "RowMajor", 3, 4, False),),
    "tla.ascend.tags.mx.mx_scales": (_of(64),),
    "tla.ascend.tags.mx.mx_aligned_k": (_of(64),),
    "tla.ascend.tags.recognise.Predicate.__call__": (_of(is_zN, zN(20, 48), "half"),),
    "tla.ascend.tags.recognise.tag_of": (_of(zN(20, 48), "half"),),
    "tla.ascend.tags.recognise.tags_of": (_of(zN(20, 48), "half"),),
    "tla.ascend.tags.recognise.recognitions": (_of(zN(20, 48), "half"),),
    "tla.ascend.tags.recognise.recognition": (_of(zN(20, 48), "zN", "half"),),
    "tla.ascend.tags.recognise.why_not": (_of(zN(20, 48), "zN", "half"),),
    "tla.ascend.tags.text.parse_tagged": (_of("zN<half>(20,48)"),),
    "tla.ascend.decisions.needs_padding": (_of("RowMajor", 5, 7, "half", ld=8),),
    "tla.ascend.decisions.padded": (
        _of("PADDING_BLOCK_ND", "RowMajor", 5, 7, "half", block=(2, 2)),
        _of("PADDING_NZ", "ColumnMajor", 5, 7, "half"),
    ),
    "tla.ascend.decisions.splitk_factor": (_of(_SIZE, _SHAPE, 24),),
    "tla.ascend.decisions.multi_core_splitk_factor": (_of(_SIZE, _SHAPE, 24),),
    "tla.ascend.decisions.workspace": (
        _of("SplitkMatmul", _SIZE, _SHAPE, 24, ("half", "half")),
        _of("StreamkMatmul", _SIZE, _SHAPE, cores=24),
    ),
    "tla.ascend.decisions.judge_space": (_of(128, 256, 64, "half", "AtlasA2"),),
    "tla.ascend.decisions.max_k1": (_of(128, 256, "half", "AtlasA2"),),
    "tla.ascend.decisions.balance_workload": (_of(1000, 4096, 128, 256, cores=24, threshold=32),),
    "tla.ascend.decisions.data_read": (_of(_SIZE, _SHAPE, ("half", "half"), "common"),),
    "tla.ascend.decisions.data_written": (_of(_SIZE, _SHAPE, "half", "splitk", factor=2),),
    "tla.ascend.plans.plan.gemm": (
        _of(AtlasA2, _SIZE, ("half", "half", "float"), "RowMajor"),
        _of(
            "Ascend950", (64, 64, 64), "half", "RowMajor", (64, 64, 64), (64, 64, 16), "Pingpong",
            "identity<3,0>", bias="float", cores=8, ld=(64, None, 128),
        ),
    ),
    "tla.ascend.plans.plan.grouped": (
        _of("AtlasA2", _SIZE, (_SIZE[0], 0)), _of("AtlasA2", None, [_SIZE]),
    ),
    "tla.ascend.plans.plan.batched": (_of("AtlasA2", _SIZE, 3),),
    "tla.ascend.plans.epilogues.epilogue": (_of("per_token_dequant", (32, 256), stages=2, out="half"),),
    "tla.ascend.plans.policies.policy": (_of("Pingpong"),),
    "tla.ascend.schedules.swizzles.swizzle": (_of("identity<3,0>"),),
    "tla.ascend.schedules.swizzles.default_swizzle": (_of(_SIZE),),
}  # fmt: skip
"""Right calls of each function that is marked."""


def _marked() -> Iterator[tuple[str, Callable[..., Any]]]:
    inside = pkgutil.walk_packages(tla.ascend.__path__, "tla.ascend.")
    for module in [tla.layouts.tensor, *(importlib.import_module(found.name) for found in inside)]:
        for name, x in vars(module).items():
            if (getattr(x, "__module__", None), getattr(x, "__qualname__", None)) != (
                module.__name__,
                name,
            ):
                continue
            if is_constexpr(x):
                yield f"{module.__name__}.{name}", x
            for inner, y in vars(x).items() if inspect.isclass(x) else ():
                function: Any = y.fget if isinstance(y, property) else y
                if is_constexpr(function):
                    yield f"{module.__name__}.{name}.{inner}", function


MARKED: Final = dict(_marked())


def _replaced(call: _Call, values: dict[Any, Any]) -> _Call:
    args, named = call
    return tuple(values.get(i, x) for i, x in enumerate(args)), {
        k: values.get(k, x) for k, x in named.items()
    }


def _variants(call: _Call, name: str) -> Iterator[_Call]:
    """The call itself, with each value in each place, and with pairs of them in pairs of places."""
    args, named = call
    # what a method is called on is of its class
    places = [*range(int("self" in inspect.signature(MARKED[name]).parameters), len(args)), *named]
    yield call
    for place, value in product(places, BAD):
        yield _replaced(call, {place: value})
    chance, pairs = random.Random(name), list(combinations(places, 2))
    for _i in range(PAIRS if pairs else 0):
        one, other = chance.choice(pairs)
        yield _replaced(call, {one: chance.choice(BAD), other: chance.choice(BAD)})


def test_each_function_has_a_right_call() -> None:
    assert RIGHT.keys() == MARKED.keys()


@pytest.mark.parametrize("name", MARKED)
def test_errors_are_the_librarys(name: str) -> None:
    wrong: dict[str, str] = {}
    for call in RIGHT[name]:
        for args, named in _variants(call, name):
            try:
                MARKED[name](*args, **named)
            except (TlaError, ArithmeticError):
                pass
            except Exception as error:  # what it is does not matter: it would crash the checker
                wrong.setdefault(f"{type(error).__name__}: {error}", f"{args} {named}")
    assert not wrong


def _with_unknowns(x: Any, unknown: Callable[..., Any]) -> Any:
    """A value whose dynamic ints are unknown."""
    if type(x) is int:
        return unknown()
    return tuple(_with_unknowns(i, unknown) for i in x) if type(x) is tuple else x


@pytest.mark.parametrize("name", MARKED)
def test_errors_are_the_librarys_for_unknown_ints(name: str) -> None:
    wrong: dict[str, str] = {}
    for call in RIGHT[name]:
        for args, named in islice(_variants(call, name), 0, None, 5):

            def run(unknown: Any, args: Any = args, named: Any = named) -> Any:
                given = [_with_unknowns(x, unknown) for x in args]
                return MARKED[name](*given, **{k: _with_unknowns(x, unknown) for k, x in named.items()})

            try:
                list(cases(run))
            except TlaError:
                pass
            except Exception as error:  # what it is does not matter: it would crash the checker
                wrong.setdefault(f"{type(error).__name__}: {error}", f"{args} {named}")
    assert not wrong
