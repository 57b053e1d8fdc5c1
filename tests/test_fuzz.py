"""The algebra passes a short fuzz, the fuzz sees planted errors, and the naive truths are right."""

from itertools import product
from math import prod
from random import Random
from types import SimpleNamespace
from typing import Any

import fuzz
import pytest
from differences import OURS
from fuzz import OPS, Case, Outcome, judge
from hypothesis import given, strategies as st

import tla
from tla import Int, Layout, LayoutError, UndecidedError, parse
from tla.testing import (
    layouts,
    naive_complement,
    naive_composition,
    naive_covers,
    naive_extended,
    naive_is_complement,
    naive_is_injective,
    naive_is_left_inverse,
    naive_is_right_inverse,
    naive_offsets,
    naive_reach,
    naive_refines,
    shapes,
)

SEED, COUNT, MANY = 20, 600, 5000
REFUSALS = ("large carry", "large uneven", "large overlap")  # all of their cases have no answer


@pytest.mark.parametrize("count", [COUNT, pytest.param(MANY, marks=pytest.mark.slow)])
def test_short_fuzz(capsys: pytest.CaptureFixture[str], count: int) -> None:
    report = fuzz.run(count, SEED)
    with capsys.disabled():
        print(f"\n{report.cases} cases of the fuzz, seed {SEED}")
    print(report)
    assert report.is_clean, str(report)


# --- planted errors ---


def plant(names: Any, function: Any) -> Any:
    """An algebra whose operations are all one function."""
    return SimpleNamespace(**{OPS[name].calls: function for name in names})


def outcomes(name: str, function: Any, count: int = 60) -> set[Outcome]:
    report = fuzz.run(count, SEED, [name], algebra=plant([name], function))
    assert report.cases == count
    return {outcome for outcome, n in report.counts[name].items() if n}


def raiser(error: Exception) -> Any:
    def operation(*_args: object, **_options: object) -> None:
        raise error

    return operation


@pytest.mark.parametrize("name", OPS)
def test_a_wrong_layout_is_seen(name: str) -> None:
    assert Outcome.WRONG in outcomes(name, lambda *_args, **_options: Layout(Int(7), Int(3)))


@pytest.mark.parametrize("name", OPS)
def test_a_result_that_is_no_layout_is_seen(name: str) -> None:
    assert outcomes(name, lambda *_args, **_options: None) == {Outcome.WRONG}


@pytest.mark.parametrize("name", OPS)
def test_refusing_everything_is_seen(name: str) -> None:
    seen = outcomes(name, raiser(LayoutError("no")))
    assert (Outcome.WRONG_REFUSAL in seen) is (name not in REFUSALS)
    assert not seen & {Outcome.WRONG, Outcome.CRASH, Outcome.ACCEPTED}


@pytest.mark.parametrize("name", OPS)
def test_an_undecided_answer_is_a_wrong_refusal(name: str) -> None:
    seen = outcomes(name, raiser(UndecidedError("too many modes")))
    assert seen <= {Outcome.WRONG_REFUSAL, Outcome.UNDECIDED}
    assert Outcome.WRONG_REFUSAL in seen


@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("error", [ZeroDivisionError(), RecursionError(), IndexError(), ValueError()])
def test_other_exceptions_are_seen(name: str, error: Exception) -> None:
    assert outcomes(name, raiser(error), 5) == {Outcome.CRASH}


def test_no_answer_in_time_is_seen() -> None:
    def hangs(_layout: Any) -> None:
        while True:
            pass

    op = OPS["coalesce"]._replace(seconds=0.05)
    verdict = judge(op, Case((Layout(2, 1),)), SimpleNamespace(coalesce=hangs))
    assert verdict == (Outcome.CRASH, "OutOfTimeError: no answer in 0.05 s of CPU time")


@pytest.mark.parametrize(
    ("name", "args", "answer", "note"),
    [
        ("composition", "(6,2):(1,7) (3,2):(2,3)", "(3,2):(2,3)", "there is no answer"),
        ("composition", "4:2 (2,2):(1,2)", "4:2", "its shape does not refine (2,2)"),
        ("composition", "(4,6,8):(2,3,5) 6:3", "(2,3):(6,3)", "there is no answer"),
        ("composition", "(4,2):(2,1) 3:1", "4:2", "its shape does not refine 3"),
        ("composition", "_4:_2 _2:_1", "2:_2", "it is not static although all arguments are"),
        ("composition inside", "4:1 3:2", "3:2", "there is no answer"),
        ("coalesce", "(2,2):(1,2)", "(2,2):(1,2)", "it has more modes than needed"),
        ("coalesce", "((2,2),2):((4,1),2)", "((2,4)):((4,1))", "it is nested"),
        ("coalesce", "(2,3):(1,5)", "(2,2):(1,5)", "its size is 4 instead of 6"),
        ("complement", "(4,4):(5,2) 64", "(2,4):(1,20)", "there is no answer"),
        ("complement", "4:2 24", "(2,3):(8,1)", "it does not grow, or is not disjoint"),
        ("complement", "4:2 24", "2:1", "its size is not 6, that of the gaps"),
        ("complement", "4:2 24", "(2,3):(1,9)", "it leaves out an offset below 24"),
        ("right_inverse", "(2,4):(1,0)", "1:0", "its size is not 2, the longest possible"),
        ("right_inverse", "(2,4):(4,1)", "(2,4):(4,1)", "a(r(i)) is not i"),
        ("left_inverse", "(4,2):(8,5)", "1:0", "it ends before 29, an offset of a"),
        ("left_inverse", "(4,2):(8,5)", "30:1", "l(a(i)) is not i"),
        ("left_inverse", "(2,4):(0,1)", "1:0", "a(l(a(i))) is not a(i)"),
        (
            "logical_divide",
            "(4,2):(1,4) 2:1",
            "(4,2):(1,4)",
            "its modes have sizes [4, 2] instead of [2, 4]",
        ),
        ("logical_divide exact", "10:1 4:1", "(4,3):(1,4)", "there is no answer"),
        ("logical_divide exact", "5:1 (2,2):(1,3)", "((2,2),1):((1,3),0)", "there is no answer"),
        ("logical_divide exact", "4:1 2:0", "(2,4):(0,1)", "there is no answer"),
        ("flat_divide", "(4,2):(1,4) 2:1", "(2,4):(2,1)", "its offset at 1 is 2 instead of 1"),
        ("logical_product", "4:1 3:1", "(3,4):(4,1)", "its offset at 1 is 4 instead of 1"),
        ("logical_product", "(2,2):(1,2) 3:1", "(4,3):(1,4)", "mode 0 is not the block"),
        ("blocked_product", "8:2 4:1", "((8,4)):((2,15))", "its offset at 8 is 15 instead of 1"),
        ("raked_product", "2:1 3:1", "((2,3)):((1,2))", "its offset at 1 is 1 instead of 2"),
    ],
)
def test_known_wrong_results_are_told_apart(name: str, args: str, answer: str, note: str) -> None:
    """Many are what other implementations answer."""
    given = Case(tuple(map(parse, args.split())))
    verdict = judge(OPS[name], given, plant([name], lambda *_args, **_options: parse(answer)))
    assert verdict == (Outcome.WRONG, f"{answer}: {note}")


@pytest.mark.parametrize(
    ("name", "args", "answer"),
    [
        ("composition", "(6,2):(8,2) (4,3):(3,1)", "((2,2),3):((24,2),8)"),
        ("composition", "(2,2,2):(1,3,5) (2,2):(1,3)", "(2,2):(1,4)"),
        ("composition", "(2,2):(2,1) 2:3", "2:3"),
        ("composition", "(8,2):(2,1) 2:3", "2:6"),
        ("composition", "1:1 5:1", "5:1"),
        ("coalesce", "(2,(1,6)):(1,(6,2))", "12:1"),
        ("complement", "(2,2):(1,6) 24", "(3,2):(2,12)"),
        ("right_inverse", "(2,4):(1,0)", "2:1"),
        ("left_inverse", "(2,4):(0,1)", "4:2"),
        ("logical_divide", "(4,2,3):(2,1,8) 4:2", "((2,2),(2,3)):((4,1),(2,8))"),
        ("logical_divide", "10:1 4:1", "(4,3):(1,4)"),
        ("zipped_divide", "(8,6):(1,8) (4,3)", "((4,3),(2,2)):((1,8),(4,24))"),
        ("tiled_divide", "(8,6):(1,8) (4,3)", "((4,3),2,2):((1,8),4,24)"),
        ("flat_divide", "(8,6):(1,8) (4,3)", "(4,3,2,2):(1,8,4,24)"),
        ("logical_product", "(2,2):(4,1) 6:1", "((2,2),(2,3)):((4,1),(2,8))"),
        ("blocked_product", "8:2 4:1", "((8,(2,2))):((2,(1,16)))"),
        ("raked_product", "(2,5):(5,1) (3,4):(1,3)", "((3,2),(4,5)):((10,5),(30,1))"),
    ],
)
def test_known_right_results_are_accepted(name: str, args: str, answer: str) -> None:
    """Worked examples of CuTe 02_layout_algebra.md, and cases that CuTe refuses or gets wrong."""
    given = Case(tuple(map(parse, args.split())))
    verdict = judge(OPS[name], given, plant([name], lambda *_args, **_options: parse(answer)))
    assert verdict == (Outcome.ACCEPTED, "")


def test_a_fault_is_shrunk_to_a_line_that_shows_it() -> None:
    def coalesce(layout: Any) -> Any:
        flat = fuzz.merged(fuzz.leaves(layout)) or [(1, 0)]
        if max(s for s, _d in fuzz.leaves(layout)) >= 3:
            flat = [(1, 0)]
        kind = Int if layout.is_static else int
        return Layout(tuple(kind(s) for s, _d in flat), tuple(kind(d) for _s, d in flat))

    report = fuzz.run(200, SEED, ["coalesce"], algebra=SimpleNamespace(coalesce=coalesce))
    assert not report.is_clean
    assert [str(fault) for fault in report.found] == [
        'wrong result: coalesce(parse("3:0"))\n    (1):(0): its size is 1 instead of 3'
    ]


@pytest.mark.parametrize("name", OPS)
def test_the_line_of_a_case_makes_it_again(name: str) -> None:
    rng = Random(SEED)
    made: list[tuple[Any, ...]] = []

    def note(*args: Any, **options: Any) -> None:
        made.append((args, options))

    for _ in range(20):
        case = OPS[name].draw(fuzz.Draw(rng))
        eval(fuzz.line_of(OPS[name], case), {**OURS, OPS[name].calls: note})
        assert made.pop() == (case.args, dict(OPS[name].options))
        assert {"parse", "Int"} <= set(tla.__all__)


def test_an_operation_that_is_not_there_is_missing() -> None:
    report = fuzz.run(10, SEED, ["coalesce", "large complement"], algebra=SimpleNamespace())
    assert report.missing == ["coalesce", "complement"]
    assert not report.is_clean


def test_a_seed_makes_a_run_again() -> None:
    runs = [fuzz.run(60, SEED, algebra=plant(OPS, raiser(LayoutError("no")))) for _ in range(2)]
    assert runs[0].counts == runs[1].counts
    assert runs[0].found == runs[1].found


def test_composition_is_tried_on_many_cases_of_either_kind() -> None:
    refusing = plant(["composition"], raiser(LayoutError("no")))
    counts = fuzz.run(1000, SEED, ["composition"], algebra=refusing).counts["composition"]
    assert counts[Outcome.WRONG_REFUSAL] > 300  # valid pairs
    assert counts[Outcome.REFUSED] > 200  # pairs without an answer


# --- the command ---


def test_the_command_reports(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.main(["--count", "40", "--seed", "7", "--only", "coalesce"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("seed 7: 40 cases in ")
    assert "rightly refused" in out
    assert "large coalesce" in out
    assert "complement" not in out


def test_the_command_stops_in_time() -> None:
    assert fuzz.main(["--minutes", "0.002", "--only", "coalesce"]) == 0


def test_the_command_fails_on_a_fault(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tla, "coalesce", raiser(ZeroDivisionError("division")), raising=False)
    assert fuzz.main(["--count", "20", "--seed", "7", "--only", "coalesce"]) == 1
    assert 'crash: coalesce(parse("1:0"))\n    ZeroDivisionError: division' in capsys.readouterr().out


def test_the_command_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        fuzz.main(["--help"])
    text = capsys.readouterr().out
    assert all(option in text for option in ("--count", "--seed", "--minutes", "--only"))
    with pytest.raises(SystemExit):
        fuzz.main(["--only", "nothing"])
    assert "no operation is called nothing" in capsys.readouterr().err


# --- the naive truths, by hand ---


@given(layouts(shapes(min_extent=1)), st.integers(0, 200))
def test_naive_extended_is_the_extended_offset(layout: Any, index: int) -> None:
    try:
        offset = naive_extended(layout, index)
    except IndexError:
        with pytest.raises(tla.CoordinateError):
            layout.extended(index)
    else:
        assert layout.extended(index) == offset


@pytest.mark.parametrize("text", ["(0,2):(1,1)", "((2,0),2):((1,1),1)", "():()", "(2,()):(1,())"])
def test_naive_extended_knows_where_nothing_grows(text: str) -> None:
    with pytest.raises(IndexError, match="is no coordinate of"):
        naive_extended(parse(text), 4)
    with pytest.raises(tla.CoordinateError):
        parse(text).extended(4)


def test_naive_extended_is_defined_from_zero() -> None:
    with pytest.raises(IndexError):
        naive_extended(Layout(4, 1), -1)


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        ("(6,2):(8,2)", "(4,3):(3,1)", "((2,2),3):((24,2),8)"),
        ("(10,2):(16,4)", "(5,4):(1,5)", "(5,(2,2)):(16,(80,4))"),
        ("20:2", "(5,4):(4,1)", "(5,4):(8,2)"),
        ("(5,(2,1)):(2,(1,0))", "(4,1):(3,1)", "((2,2),1):((6,3),0)"),
        ("(6,2):(1,7)", "(3,2):(2,3)", None),  # 4 + 3 carries over 6
        ("(8,4):(4,1)", "(2,3,2):(3,1,6)", None),
        ("(4,6,8):(2,3,5)", "6:3", None),
        ("(4,2):(2,1)", "(3,4):(1,3)", None),
        ("(4,2):(2,1)", "6:1", None),
        ("(5,2):(8,2)", "6:1", None),
        ("1:1", "5:1", "5:1"),  # the last mode grows
        ("(8,2):(2,1)", "2:3", "2:6"),  # cut short
        ("(2,2):(2,1)", "2:3", "2:3"),  # a stride of two digits
        ("(2,2,2):(1,3,5)", "(2,2):(1,3)", "(2,2):(1,4)"),  # a carry that cancels
        ("4:-1", "2:2", "2:-2"),
        ("4:1", "(2,0):(1,1)", "(2,0):(1,1)"),
        ("4:1", "():()", "():()"),
    ],
)
def test_naive_composition(a: str, b: str, answer: str | None) -> None:
    """The cases that other implementations get wrong, and worked examples of CuTe."""
    table = naive_composition(parse(a), parse(b))
    assert table == (None if answer is None else naive_offsets(parse(answer)))


def test_naive_composition_leaves_out_negative_offsets() -> None:
    with pytest.raises(ValueError, match="has the negative offset -2"):
        naive_composition(Layout(4, 1), Layout(3, -1))


def tables_of(shape: Any, steps: range) -> set[tuple[int, ...]]:
    """The tables of all flat layouts that refine a flat shape, with strides from a range."""
    choices = [factored(s) for s in shape]
    out = set()
    for parts in product(*choices):
        extents = [f for part in parts for f in part]
        for strides in product(steps, repeat=len(extents)):
            out.add(tuple(naive_offsets(Layout(tuple(extents), strides))))
    return out


def factored(n: int) -> list[tuple[int, ...]]:
    """The ways to write n as a product of factors above 1, in order; n itself where it is 1."""
    ways = [(f, *rest) for f in range(2, n) if n % f == 0 for rest in factored(n // f)]
    return [(n,), *ways]


@pytest.mark.parametrize("shape", [(4,), (6,), (2, 2), (3, 2)])
def test_naive_composition_finds_a_layout_where_there_is_one(shape: tuple[int, ...]) -> None:
    """Against all layouts whose shape refines the right side."""
    existing = tables_of(shape, range(-8, 13))
    found = 0
    for extents, steps in product([(2, 2), (3, 2), (2, 3), (4, 2)], product(range(3), range(3))):
        a = Layout(extents, steps)
        for strides in product(range(4), repeat=len(shape)):
            b = Layout(shape, strides)
            table = tuple(naive_extended(a, i) for i in naive_offsets(b))
            assert (naive_composition(a, b) is not None) is (table in existing), (a, b)
            found += table in existing
    assert found > 20


@pytest.mark.parametrize(
    ("layout", "n", "answer"),
    [
        ("4:1", 24, "(6):(4)"),
        ("6:4", 24, "(4,1):(1,24)"),
        ("(4,6):(1,4)", 24, "(1):(24)"),
        ("4:2", 24, "(2,3):(1,8)"),
        ("(2,4):(1,6)", 24, "(3,1):(2,24)"),
        ("(2,2):(1,6)", 24, "(3,2):(2,12)"),
        ("(2,3):(0,1)", 7, "(3):(3)"),
        ("(3,1):(1,-5)", 3, "(1):(3)"),
        ("(4,4):(5,2)", 64, None),
        ("(3,2):(2,3)", 6, None),
        ("3:-1", 6, None),
        ("(0,2):(1,2)", 6, None),
    ],
)
def test_naive_complement(layout: str, n: int, answer: str | None) -> None:
    """The worked examples of CuTe, and layouts that overlap or interleave."""
    gaps = naive_complement(parse(layout), n)
    assert gaps == (None if answer is None else parse(answer))
    assert gaps is None or naive_is_complement(parse(layout), gaps)


def test_naive_complement_laws() -> None:
    tile = parse("(2,2):(1,6)")
    assert naive_covers(tile, parse("(3,2):(2,12)"), 24)
    assert not naive_covers(tile, parse("(3,2):(2,12)"), 25)
    assert not naive_covers(tile, parse("3:2"), 24)
    assert not naive_is_complement(tile, parse("(2,3):(12,2)"))  # does not grow
    assert not naive_is_complement(tile, parse("4:2"))  # reaches 6 + 0 and 0 + 6
    assert naive_is_complement(parse("(2,3,1):(0,1,7)"), parse("2:3"))


def test_naive_inverse_laws() -> None:
    assert naive_is_right_inverse(parse("(2,4):(1,0)"), parse("2:1"))
    assert not naive_is_right_inverse(parse("4:1"), parse("5:1"))  # leaves the layout
    assert not naive_is_right_inverse(parse("4:1"), parse("2:-1"))
    assert naive_is_left_inverse(parse("(2,4):(0,1)"), parse("4:2"))
    assert not naive_is_left_inverse(parse("(2,4):(0,1)"), parse("4:1"))
    assert not naive_is_left_inverse(parse("4:2"), parse("4:1"))
    assert not naive_is_left_inverse(parse("4:2"), parse("(2,2):(0,1)"))  # too short
    assert not naive_is_left_inverse(parse("4:-1"), parse("4:1"))
    assert [naive_reach(parse(text)) for text in ("4:2", "(2,2):(1,2)", "0:1")] == [1, 4, 0]
    assert naive_is_injective(parse("(2,1):(1,0)"))


def test_naive_refines() -> None:
    assert naive_refines((2, (2, 3)), (2, 6))
    assert naive_refines((), 1)
    assert not naive_refines((2, 6), (2, (2, 3)))
    assert not naive_refines((6, 2), (2, 6))
    assert not naive_refines(12, (2, 6))


# --- against pycute ---


def peer(name: str) -> Any:
    """An operation of pycute, on our layouts; what it asserts is a refusal."""
    pycute = pytest.importorskip("pycute")

    def down(x: Any) -> Any:
        if tla.is_layout(x):
            return pycute.Layout(down(x.shape), down(x.stride))
        return tuple(map(down, x)) if isinstance(x, tuple) else int(x)

    def up(x: Any, kind: type) -> Any:
        return tuple(up(i, kind) for i in x) if isinstance(x, tuple) else kind(x)

    def operation(*args: Any) -> Any:
        kind = Int if tla.is_static(fuzz.to_leaves(args)) else int
        try:
            result = getattr(pycute, name)(*map(down, args))
        except AssertionError as error:
            raise LayoutError(str(error)) from None
        return Layout(up(result.shape, kind), up(result.stride, kind))

    return operation


@pytest.mark.parametrize(
    "name",
    [
        "coalesce",
        "large coalesce",
        "large composition",
        "large complement",
        "large right_inverse",
        "large left_inverse",
        "large logical_divide",
        "large zipped_divide",
        "large logical_product",
    ],
)
def test_pycute_agrees(name: str) -> None:
    report = fuzz.run(100, SEED, [name], algebra=plant([name], peer(OPS[name].calls)))
    assert report.is_clean, str(report)


@pytest.mark.parametrize(
    "name", ["composition", "complement", "left_inverse", "logical_divide", "logical_product", *REFUSALS]
)
def test_the_known_errors_of_pycute_are_found(name: str) -> None:
    assert Outcome.WRONG in outcomes(name, peer(OPS[name].calls), 200)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("(6,2):(8,2)", "(4,3):(3,1)"),
        ("(10,2):(16,4)", "(5,4):(1,5)"),
        ("20:2", "(5,4):(4,1)"),
        ("((4,2),(4,3)):((4,16),(1,32))", "(4,12):(2,8)"),
    ],
)
def test_pycute_composes_alike(a: str, b: str) -> None:
    assert naive_composition(parse(a), parse(b)) == naive_offsets(
        peer("composition")(parse(a), parse(b))
    )


@given(layouts(shapes(max_size=24), compact=True, static=False), st.integers(1, 60))
def test_pycute_complements_alike(layout: Any, n: int) -> None:
    gaps = naive_complement(layout, n)
    assert gaps is not None
    assert naive_offsets(gaps) == naive_offsets(peer("complement")(layout, n))
    assert len(naive_offsets(gaps)) == -(-n // max(1, prod(tla.flatten_to_tuple(layout.shape))))
