"""No public callable raises an error of Python's own, whatever it is given; errors name the argument."""

from __future__ import annotations

import importlib.util
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest

import tla
from tla import KindError, Layout, LeafError, TlaError
from tla.ground import guarded
from tla.hlo import Computation, read_module

SEED, COUNT, LONG = 19, 2_200, 20_000


def _fuzzer() -> Any:
    path = Path(__file__).parent / "fuzz" / "arguments.py"
    spec = importlib.util.spec_from_file_location("arguments", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["arguments"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(sys.platform != "linux", reason="the limits of a call are Linux's")
def test_hostile_arguments() -> None:
    report = _fuzzer().run(COUNT, SEED)
    assert report.faults == {}
    assert report.calls > COUNT // 2


def test_the_fuzzer_sees_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    fuzzer = _fuzzer()
    fuzzer.harvest()
    monkeypatch.setattr(tla.xla_bridge.shape, "commas", None)
    monkeypatch.setattr("tla.layouts.int_tuple.leaf", lambda x: x + 0)
    report = fuzzer.run(len(fuzzer.entries()), SEED, "tla.layouts.flatten")
    assert any("TypeError" in fault for fault in report.faults)


MODULE = "HloModule m\n\nENTRY e {\n  ROOT a = f32[] parameter(0)\n}"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: read_module(None), "read_module() takes str as 'text', not NoneType None"),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        (
            lambda: tla.memory.live(3),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
            "live() takes Module as 'module', not int 3",
        ),
        (lambda: Computation((), (3,)), "Computation() takes str as 'name', not tuple ()"),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        (
            lambda: read_module(MODULE).computation(b"e"),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
            "Module.computation() takes str as 'name', not bytes b'e'",
        ),
        (
            lambda: tla.indexing.computation_maps("x"),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
            "computation_maps() takes Computation as 'computation', not str 'x'",
        ),
    ],
)
def test_an_argument_of_the_wrong_type_is_named(call: Any, said: str) -> None:
    with pytest.raises(KindError) as caught:
        call()
    assert caught.value.summary == said


def test_a_name_for_several_types_is_explained() -> None:
    with pytest.raises(KindError) as caught:
        tla.show.svg(3)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    assert caught.value.details[0] == "AnyFigure is Figure | Strip | Panels | Steps | Timeline | Bars."


def test_what_python_says_of_a_call_stays() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'text'"):
        read_module()  # type: ignore[call-arg]  # ty: ignore[missing-argument]
    with pytest.raises(TypeError, match="unexpected keyword argument 'texts'"):
        read_module(texts="")  # type: ignore[call-arg]  # ty: ignore[missing-argument, unknown-argument]


def test_an_error_of_the_callers_own_function_passes() -> None:
    @guarded
    def mapped(f: Any, sizes: list[int]) -> list[Any]:
        return [f(n) for n in sizes]

    with pytest.raises(ZeroDivisionError):
        mapped(lambda n: 1 // n, [0])
    with pytest.raises(KindError, match=r"mapped\(\) takes list\[int\] as 'sizes', not list \['x'\]"):
        mapped(lambda n: 1 // n, ["x"])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]


def test_a_guarded_generator_says_it_too() -> None:
    @guarded
    def doubled(sizes: list[int]) -> Any:
        for n in sizes:
            yield n + 0

    assert list(doubled([1, 2])) == [1, 2]
    with pytest.raises(KindError, match="as 'sizes'"):
        list(doubled(["x"]))  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]


def test_a_guarded_function_is_pickled_by_its_name() -> None:
    for function in (tla.xla_bridge.to_layout, tla.memory.live, tla.ascend.gemm, tla.from_cpp):
        assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize(
    "call",
    [
        lambda: tla.known_lt(1.5, 4),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        lambda: tla.known_eq(None, 4),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        lambda: tla.known_divides(None, 4),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        lambda: tla.layouts.product_like(4, None),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        lambda: tla.offsets(Layout((4, 2)), float("nan")),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        lambda: tla.indexing.IndexingMap([0], [4]).evaluate((1.5,)),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        lambda: tla.indexing.IndexingMap([0], [4]).contains((1.5,)),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        lambda: tla.numbers.least(1, 2.5),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        lambda: tla.numbers.floor_divided("4", 2),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    ],
)
def test_what_is_no_int_is_refused(call: Any) -> None:
    with pytest.raises(LeafError):
        call()


def test_ints_of_numpy_become_ints() -> None:
    np = pytest.importorskip("numpy")
    numbers = tla.numbers
    a, b = np.uint8(200), np.uint8(7)
    found = [
        numbers.ceil_divided(a, b), numbers.floor_divided(a, b), numbers.remainder(a, b),
        numbers.greatest(a, b), numbers.least(a, b),
    ]  # fmt: skip
    assert found == [29, 28, 4, 200, 7]
    assert {type(x) for x in found} == {int}


HUGE = 10**5000


@pytest.mark.parametrize(
    "call",
    [
        lambda: repr(tla.Int(HUGE)),
        lambda: str(Layout(HUGE)),
        lambda: repr(Layout((2, HUGE))),
        lambda: str(tla.indexing.IndexingMap([HUGE * tla.indexing.dim(0)], [4])),
        lambda: tla.numbers.to_python(HUGE * tla.sym("M")),
        lambda: tla.ascend.policy(f"MmadPingpong<{'9' * 5000}>"),
        lambda: tla.layouts.repeat(4, HUGE),
        lambda: tla.get((2, 3), HUGE),
        lambda: tla.offsets(Layout(4), -HUGE),
        lambda: tla.algebra.LinearLayout({"a": 1}, {"b": 1}, (1,))(HUGE),
    ],
)
def test_ints_of_too_many_digits_are_refused(call: Any) -> None:
    with pytest.raises(TlaError, match="an int of more than 4300 digits is neither read nor written"):
        call()


@pytest.mark.parametrize(
    "line",
    [
        "r = f32[2,3] transpose(f32[3,2] a), dimensions={{1,{}}}",
        "r = f32[2] slice(f32[9] a), slice={{[0:{}]}}",
        "r = f32[2] pad(f32[9] a, f32[] z), padding=0_{}",
        "g = f32[3,8] gather(f32[4,8] o, s32[3] i), offset_dims={{1}}, collapsed_slice_dims={{0}},"
        " start_index_map={{0}}, index_vector_dim={}, slice_sizes={{1,8}}",
    ],
)
def test_instructions_with_too_many_digits_are_refused(line: str) -> None:
    with pytest.raises(TlaError, match="more than 4300 digits"):
        tla.indexing.output_to_input(tla.hlo.read_instruction(line.format("9" * 5000)))


def test_a_span_does_not_end_before_it_starts() -> None:
    with pytest.raises(tla.ParseError) as caught:
        tla.xla_bridge.parse_shape("f32[3]{ :P}")
    assert caught.value.start < caught.value.end


def test_the_text_of_an_empty_map_has_no_variables() -> None:
    empty = tla.indexing.parse_map("(d0) -> (), domain: d0 in [0, -1]")
    assert str(empty) == "KNOWN EMPTY"
    assert tla.indexing.parse_map(str(empty)).dims == ()


def test_errors_of_c_plus_plus_types_have_a_place() -> None:
    text = "tla::Layout<tla::tuple<unsigned int>, tla::tuple<tla::C<1> >, unsigned int>"
    with pytest.raises(tla.ParseError, match=r"origin shape .* does not fit the shape"):
        tla.from_cpp(text)
    with pytest.raises(TlaError, match="nested"):
        tla.from_cpp("tla::C<" + "(" * 1000 + "1>")
