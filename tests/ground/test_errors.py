"""The error family: builtin bases, one line above the details, the data as attributes."""

import copy
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import tla
from tla import Layout, ParseError, TlaError, _, errors

FAMILY: dict[type[TlaError], tuple[type[BaseException], ...]] = {
    tla.ParseError: (ValueError,),
    tla.LayoutError: (ValueError,),
    tla.CongruenceError: (tla.LayoutError, ValueError),
    tla.DivisibilityError: (tla.LayoutError, ValueError),
    tla.OverlapError: (tla.LayoutError, ValueError),
    tla.CapacityError: (tla.LayoutError, ValueError),
    tla.CoordinateError: (IndexError, LookupError),
    tla.LeafError: (TypeError,),
    tla.StaticIntError: (tla.LeafError, TypeError),
    tla.KindError: (TypeError,),
    tla.NotALayoutError: (TypeError,),
    tla.UnsupportedError: (),
    tla.UndecidedError: (),
    tla.LimitError: (tla.UndecidedError,),
    tla.ContradictionError: (ValueError,),
    tla.BindingError: (ValueError,),
    tla.ArgumentError: (ValueError,),
    tla.ZeroDivisorError: (ZeroDivisionError,),
}


def test_the_family_is_complete() -> None:
    classes = {x for x in vars(errors).values() if inspect.isclass(x) and issubclass(x, Exception)}
    assert classes == {TlaError, *FAMILY}
    assert {c.__name__ for c in classes} == set(errors.__all__)


@pytest.mark.parametrize("kind", FAMILY)
def test_each_error_is_the_builtin_a_reader_expects(kind: type[TlaError]) -> None:
    assert issubclass(kind, TlaError)
    assert all(issubclass(kind, base) for base in FAMILY[kind])
    assert (kind.__doc__ or "").strip()


def test_bases_of_what_is_not_a_layout() -> None:
    """It is no fault of a leaf nor of a layout, so neither of their handlers takes it."""
    assert tla.NotALayoutError.__bases__ == (TlaError, TypeError)
    assert not issubclass(tla.NotALayoutError, tla.LeafError | tla.LayoutError)


def test_summary_details_and_data() -> None:
    error = tla.LayoutError("what is wrong", "The numbers.", "One way out.", shape=(2, 3), tile=4)
    assert error.summary == "what is wrong"
    assert str(error) == "what is wrong\n  The numbers.\n  One way out."
    assert error.args == ("what is wrong", "The numbers.", "One way out.")
    assert (error.shape, error.tile) == ((2, 3), 4)
    assert str(TlaError("alone")) == "alone"
    assert not hasattr(error, "other")


M = tla.sym("M")
RAISERS: list[Callable[[], Any]] = [
    lambda: tla.Int(4.5),  # pyright: ignore[reportCallIssue, reportArgumentType]  # ty: ignore[no-matching-overload]
    lambda: Layout((2, 3), (1,)),
    lambda: Layout((2, True)),
    lambda: Layout((2, -3)),
    lambda: Layout((2, 3), (3, 1), (2, 4)),
    lambda: Layout((2, 3))(2, 0),
    lambda: Layout((2, 3))[_, 5],
    lambda: Layout((2, 3))[1, 2],
    lambda: Layout((2, 3))[_, (_, 1)],
    lambda: tla.get((2, 3), 4),
    lambda: tla.Int(4) % tla.Int(0),
    lambda: tla.Int(4) << tla.Int(-1),
    lambda: M % 0,
    lambda: M**-1,
    lambda: tla.xla_bridge.to_layout(None),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    lambda: tla.shape_div(4, 3),
    lambda: tla.flatten("x"),
    lambda: tla.unflatten((1, 2), 3),
    lambda: tla.make_layout_tile(Layout((8, 6)), (3, 3)),
    lambda: tla.make_layout_tile(Layout((8, 6)), (3,)),
    lambda: tla.get_tile_layout(Layout((8, 6)), (3, 3), (-1, 0)),
    lambda: tla.offsets(Layout(2, 2**64)),
    lambda: tla.zN(4, 4, block=(0, 1)),
    lambda: tla.offset_lists(Layout((10**5, 10**5))),
    lambda: tla.parse("(2,3):(1)"),
    lambda: tla.parse("(2,\n !)"),
    lambda: tla.parse("(M{div=4},M/8)"),
    lambda: tla.sym("M", min=5, max=3),
    lambda: tla.sym("2"),
    lambda: tla.sym("M", divisible_by=16) // tla.sym("N", min=0),
    lambda: Layout(M).bind(M=0),
    lambda: Layout(M * 2).bind(M=tla.sym("N", min=-9, max=-3)),
    lambda: Layout(tla.sym("M", divisible_by=4)).bind(M=M),
    lambda: tla.zipped_divide(Layout(M), 48, exact=True),
    lambda: tla.zipped_divide(Layout(M), 48, exact=True, assume=M % 48 == 0).bind(M=47),
    lambda: tla.coalesce(Layout(M), assume=(M % 4 == 0, M % 2 == 1)),
    lambda: tla.coalesce(Layout(M), assume=M < 1),
    lambda: tla.read("!"),
    lambda: tla.size("8:1"),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    lambda: tla.coalesce("8:1"),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    lambda: tla.complement(tla.Swizzle(1, 0, 1), 8),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    lambda: tla.composition(Layout((4, 2), (2, 1)), Layout(6)),
    lambda: tla.complement(Layout((4, 4), (5, 2)), 64),
    lambda: tla.left_inverse(Layout((2, 2, 2), (4, 5, 4))),
    lambda: tla.logical_divide(Layout((8, 6), (1, 9)), 3),
    lambda: tla.logical_divide(Layout(10), 4, exact=True),
    lambda: tla.logical_product(Layout(2, 3), 4),
    lambda: tla.tile_to_shape(Layout((2, 0), (4, 1)), (4, 0)),
    lambda: tla.make_layout_tv(Layout(2), Layout(2, 3)),
    lambda: Layout(((4, 2), 3), ((1, 4), 8), (5, 3))[(_, _), 0],
]


@pytest.mark.parametrize("act", RAISERS)
def test_errors_of_the_library(act: Callable[[], Any]) -> None:
    with pytest.raises(TlaError) as caught:
        act()
    error = caught.value
    assert error.summary
    assert "\n" not in error.summary
    assert not error.summary.endswith(".")
    assert str(error).startswith(error.summary)
    details = str(error).split("\n")[1:]
    assert all(line.startswith("  ") for line in details)
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None


@pytest.mark.parametrize("act", RAISERS)
def test_errors_survive_pickle_and_copy(act: Callable[[], Any]) -> None:
    with pytest.raises(TlaError) as caught:
        act()
    error = caught.value
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert (str(again), again.summary, again.args) == (str(error), error.summary, error.args)
        assert vars(again) == vars(error)


def test_a_parse_error_knows_its_place() -> None:
    error = ParseError("odd", "(2,\n x)", 5, 6, "A detail.")
    assert (error.text, error.start, error.end, error.line, error.column) == ("(2,\n x)", 5, 6, 2, 2)
    assert str(error) == "odd\n  A detail.\n  line 2, column 2\n     x)\n     ^"


def test_a_hint_is_worked_out_when_it_is_read() -> None:
    asked: list[int] = []

    def hint() -> str:
        asked.append(1)
        return "Write less."

    def error() -> TlaError:
        return errors.LayoutError("too much", "It is 5.", n=5).with_hint(hint)

    unread = error()
    assert (unread.summary, unread.data, asked) == ("too much", {"n": 5}, [])
    for read in (
        lambda e: str(e).split("\n  "),
        lambda e: list(e.args),
        lambda e: [e.summary, *e.details],
        lambda e: list(copy.copy(e).args),
        lambda e: list(pickle.loads(pickle.dumps(e)).args),
        lambda e: list(eval(repr(e), dict(vars(errors))).args),
    ):
        asked.clear()
        raised = error()
        assert [*read(raised)] == [*read(raised)] == ["too much", "It is 5.", "Write less."]
        assert asked == [1]
    assert str(errors.LayoutError("no way").with_hint(str)) == "no way"


def test_a_hint_stands_under_the_assumptions_of_its_error() -> None:
    with tla.assume(tla.sym("M") % 4 == 0):
        error = errors.LayoutError("odd").with_hint(lambda: str(tla.known_divides(4, tla.sym("M"))))
    assert error.details == ("True",)
    assert tla.known_divides(4, tla.sym("M")) is None
