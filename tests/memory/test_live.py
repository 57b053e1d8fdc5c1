"""Peaks: the compiler's own figure, to the byte, and what is live."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from tla.errors import UnsupportedError
from tla.hlo import read_module
from tla.memory import lifetimes, live, module_buffers, scoped_vmem
from tla.memory.live import BusySteps
from tla.memory.updates import SharedMemory
from tla.xla_bridge import CHIPS, physical_bytes

from .modules import DIRECTORY, NAMES, chip_of, counted, module_of, text_of

# Our figure less the compiler's, where they differ. Of 25 modules 25 are exact.
GAPS: dict[str, int] = {}


@pytest.mark.parametrize("name", NAMES)
def test_the_compilers_figure(name: str) -> None:
    found = live(module_of(name), chip_of(name))
    assert found.compiler_peak_bytes - counted(name)["peak_memory_in_bytes"] == GAPS.get(name, 0)
    assert len(GAPS) == 0


@pytest.mark.parametrize("name", NAMES)
def test_the_buffers_of_a_peak_are_its_bytes(name: str) -> None:
    """But for the table of pointers, and what lies in the memory of a result."""
    module = module_of(name)
    found = live(module, chip_of(name))
    for peak in found.peaks:
        table = 512 if peak.memory_space == 0 and str(module.entry.root.shape).startswith("(") else 0
        assert sum(physical_bytes(each.shape) for each in peak.buffers) + table == peak.bytes
        assert {each.shape.memory_space for each in peak.buffers} <= {peak.memory_space}
        sizes = [physical_bytes(each.shape) for each in peak.buffers]
        assert sizes == sorted(sizes, reverse=True)
        assert peak.step == lifetimes(module).schedule.steps[peak.at]


# The memory space, the peak, and the step and instruction of it.
@pytest.mark.parametrize(
    ("name", "peaks"),
    [
        ("v5e_int8_matmul", [(0, 15360000, "b.1"), (1, 2304000, "copy-start"), (2, 4, "copy-start")]),
        (
            "v5e_dynamic_slices",
            [(0, 481280, "constant.4"), (1, 239616, "copy-start.1"), (2, 4, "copy-start.1"),
             (6, 1536, "lt.2")],
        ),
        (
            "v5e_attention_train",
            [(0, 44040704, "fusion.53"), (1, 110628864, "fusion.6"), (2, 40, "slice-start.17")],
        ),
        ("v5e_x4_reduce_scatter", [(0, 40960, "param.1")]),
    ],
)  # fmt: skip
def test_the_peak_of_each_space(name: str, peaks: list[tuple[int, int, str]]) -> None:
    found = live(module_of(name), chip_of(name)).peaks
    assert [(p.memory_space, p.bytes, p.step.instruction.name) for p in found] == peaks


def test_the_figure_takes_the_space_with_most() -> None:
    """In the training step VMEM holds more temporaries than main memory: the figure leaves those out."""
    found = live(module_of("v5e_attention_train"), "v5e")
    assert (found.simulated_space, found.simulated_bytes) == (1, 110628864)
    main, vmem, _flags = found.peaks
    assert main.bytes - main.reserved_bytes == 12582912
    assert found.compiler_peak_bytes < main.bytes + vmem.bytes


def test_a_value_written_in_place_counts_twice_in_the_figure_alone() -> None:
    found = live(module_of("v5e_dynamic_slices"), "v5e")
    vmem = found.peaks[1]
    assert (vmem.bytes, found.simulated_bytes) == (239616, 460800)
    assert found.simulated_bytes - vmem.bytes == 221184  # f32[20,9,130]


# What memory_analysis() of jax gives as peak_memory_in_bytes, and what of it the text does not decide.
@pytest.mark.parametrize(
    ("name", "peak", "left_over"),
    [
        ("v5e_condcond", 1314816, 0),
        ("v5e_condloop", 5632, 512),
        ("v5e_condloop2", 1870848, 0),
        ("v5e_loopcond", 1053696, 0),
        ("v5e_mapcond", 1380864, 0),
        ("v5e_scancond", 957440, 0),
        ("v6e_callback_free", 73216, 512),
        ("v5p_permutes", 335544352, 0),
        ("v5p_ring", 3410976, 0),
    ],
)
def test_conditionals(name: str, peak: int, left_over: int) -> None:
    """A value that is given to branches counts in pieces; a permuted one never lies in a result."""
    text = (DIRECTORY.parent / "tpu_conditionals" / f"{name}.hlo").read_text("utf-8")
    found = live(read_module(text), chip_of(name))
    assert (found.compiler_peak_bytes + left_over, found.left_over_bytes) == (peak, left_over)


def test_a_branch_that_is_not_there() -> None:
    """In a fragment: the value counts to the conditional."""
    text = """a = f32[8]{0:S(1)} iota(), iota_dimension=0
    b = f32[8]{0:S(1)} negate(a)
    c = f32[8] conditional(s32[] i, b, b), branch_computations={f, g}"""
    found = live(read_module(text))
    assert (found.simulated_space, found.simulated_bytes) == (1, 64)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_left_over_without_conditionals(name: str) -> None:
    assert live(module_of(name), chip_of(name)).left_over_bytes == 0


def test_a_split_array_counts_by_its_largest_piece() -> None:
    """Each core has one piece. Measured on v5p: 8 of 16 rows, in tiles of 8 by 128."""
    split = "f32[10,10]{1,0:T(8,128)S(1)SC(0:8)}"
    text = f"""ENTRY e {{ p = f32[10,10]{{1,0:T(8,128)}} parameter(0)
      a = {split} copy(p)
      ROOT b = f32[10,10]{{1,0:T(8,128)}} copy(a) }}"""
    found = live(read_module(text), "v5p")
    assert (found.simulated_space, found.simulated_bytes) == (1, 4096)
    assert [peak.bytes for peak in found.peaks] == [16384, 4096]


spans = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 5)).map(lambda p: (p[0], p[0] + p[1])), max_size=4
)


@given(st.lists(spans, max_size=8))
def test_steps_are_taken_once(asked: list[list[tuple[int, int]]]) -> None:
    """Against the sets of steps."""
    module = read_module("a = f32[8] parameter(0)")
    ((buffer,),) = (each.buffers for each in module_buffers(module))
    busy, steps = BusySteps(SharedMemory(module)), set[int]()
    for each in asked:
        wanted = [t for first, last in each for t in range(first, last + 1)]
        if len(set(wanted)) < len(wanted):
            continue  # the spans of a buffer lie apart
        assert busy.take(each, buffer) == steps.isdisjoint(wanted)
        if steps.isdisjoint(wanted):
            steps.update(wanted)


SHARED = 'backend_config={"aliasing_operands":{"lists":[{"indices":["1","3"]}]}}'


# Measured on v5e: one argument and one result of 102400 bytes in HBM, one each on the host.
def test_the_figure_counts_the_memory_of_the_host() -> None:
    array, there = "f32[100,200]{0,1:T(8,128)}", "f32[100,200]{0,1:T(8,128)S(5)}"
    module = read_module(
        f"""
        ENTRY e {{
          y = {there} parameter(1)
          x = {array} parameter(0)
          s = ({array}, {there}, u32[]{{:S(2)}}) copy-start(y)
          d = {array} copy-done(s)
          f = ({array}, {array}) fusion(x, d), kind=kLoop, calls=g, {SHARED}
          a = {array} get-tuple-element(f), index=0
          s.1 = ({there}, {array}, u32[]{{:S(2)}}) copy-start(a)
          d.1 = {there} copy-done(s.1)
          b = {array} get-tuple-element(f), index=1
          ROOT t = ({array}, {there}) tuple(b, d.1)
        }}
        """
    )
    found = live(module, "v5e")
    assert found.compiler_peak_bytes == 512512
    assert [(p.memory_space, p.bytes) for p in found.peaks] == [(0, 307712), (2, 4), (5, 204800)]


def test_a_temporary_lies_in_a_result_that_is_not_made_yet() -> None:
    text = """
    ENTRY e { p = f32[100] parameter(0)
      a = f32[%d] convert(p)
      b = f32[10] convert(a)
      ROOT c = f32[100] broadcast(b), dimensions={} }
    """
    (peak,) = live(read_module(text % 100)).peaks
    assert (peak.bytes, [each.name for each in peak.buffers]) == (840, ["p", "c", "b"])
    (peak,) = live(read_module(text % 101)).peaks
    assert (peak.bytes, [each.name for each in peak.buffers]) == (1244, ["a", "p", "c", "b"])


@pytest.mark.parametrize(
    ("header", "reserved"), [(", input_output_alias={ {}: (0, {}) }", 400), ("", 800)]
)
def test_a_temporary_lies_in_a_donated_parameter(header: str, reserved: int) -> None:
    """Between the last use of the parameter and the result that takes its place."""
    (peak,) = live(
        read_module(
            f"""HloModule m{header}

            ENTRY e {{ p = f32[100] parameter(0)
              a = f32[10] slice(p), slice={{[0:10]}}
              b = f32[100] broadcast(a), dimensions={{}}
              c = f32[10] slice(b), slice={{[0:10]}}
              ROOT d = f32[100] broadcast(c), dimensions={{}} }}
            """
        )
    ).peaks
    assert (peak.bytes, peak.reserved_bytes) == (reserved + 40, reserved)


def test_of_equal_temporaries_the_first_in_the_text_lies_in_the_result() -> None:
    """One result has room for one of them; the other is counted."""
    (peak,) = live(
        read_module(
            """
            ENTRY e { p = f32[100] parameter(0)
              a = f32[50] slice(p), slice={[0:50]}
              b = f32[50] reverse(a), dimensions={0}
              c = f32[1] slice(b), slice={[0:1]}
              ROOT d = f32[50] broadcast(c), dimensions={} }
            """
        )
    ).peaks
    assert (peak.bytes, [each.name for each in peak.buffers]) == (
        400 + 200 + 200 + 4,
        ["p", "d", "b", "c"],
    )


FUSED = """
    f { x = f32[50] parameter(0)
      y = f32[50] parameter(1)
      n = f32[50] negate(x)
      ROOT s = f32[50] %s }
    """


@pytest.mark.parametrize(
    ("makes", "computation", "is_in_place"),
    [
        ("negate(a)", "", True),
        ("copy(a)", "", False),
        ("reverse(a), dimensions={0}", "", False),
        ("sort(a), dimensions={0}, to_apply=f", FUSED % "subtract(n, x)", True),
        ("fusion(a, p2), kind=kLoop, calls=f", FUSED % "subtract(n, x)", True),
        ("fusion(a, a), kind=kLoop, calls=f", FUSED % "subtract(n, y)", True),
        ("fusion(a, p2), kind=kLoop, calls=f", FUSED % "reverse(n), dimensions={0}", False),
        ("fusion(a, p2), kind=kOutput, calls=f", FUSED % "subtract(n, x)", False),
        ("collective-permute(a), source_target_pairs={{0,1}}", "", False),
    ],
)
def test_two_temporaries_in_a_result_may_share_a_step(
    makes: str, computation: str, is_in_place: bool
) -> None:
    """The first lies in the result; so does the second if it can be written over the first."""
    text = f"""
    HloModule m
    {computation}
    ENTRY e {{ p = f32[100] parameter(0)
      p2 = f32[50] parameter(1)
      a = f32[50] slice(p), slice={{[0:50]}}
      b = f32[50] {makes}
      c = f32[1] slice(b), slice={{[0:1]}}
      ROOT d = f32[50] broadcast(c), dimensions={{}} }}"""
    (peak,) = live(read_module(text)).peaks
    assert peak.bytes == 400 + 200 + 200 + 4 + (0 if is_in_place else 200)


def test_another_device_writes_into_no_result() -> None:
    text = """ENTRY e { p = f32[50] parameter(0)
      b = f32[50] %s(p)%s
      c = f32[1] slice(b), slice={[0:1]}
      ROOT d = f32[50] broadcast(c), dimensions={} }"""
    permute = live(read_module(text % ("collective-permute", ", source_target_pairs={{0,1}}")))
    other = live(read_module(text % ("negate", "")))
    assert [peak.bytes for peak in (*permute.peaks, *other.peaks)] == [604, 404]


def test_the_state_of_a_loop_is_live_while_its_condition_runs() -> None:
    module = read_module(
        """
        HloModule m

        s { i = f32[] parameter(0)
          ROOT j = f32[] parameter(1) }
        c { x = (f32[100]{0:S(1)}, f32[7]{0:S(1)}) parameter(0)
          v = f32[7]{0:S(1)} get-tuple-element(x), index=1
          u = f32[50]{0:S(1)} broadcast(v), dimensions={}
          ROOT r = pred[] reduce(u, v), dimensions={0}, to_apply=s }
        b { y = (f32[100]{0:S(1)}, f32[7]{0:S(1)}) parameter(0)
          g = f32[100]{0:S(1)} get-tuple-element(y), index=0
          h = f32[7]{0:S(1)} get-tuple-element(y), index=1
          n = f32[100]{0:S(1)} negate(g)
          ROOT t = (f32[100]{0:S(1)}, f32[7]{0:S(1)}) tuple(n, h) }
        ENTRY e { p = f32[100] parameter(0)
          k = f32[100]{0:S(1)} copy(p)
          l = f32[7]{0:S(1)} slice(p), slice={[0:7]}
          z = (f32[100]{0:S(1)}, f32[7]{0:S(1)}) tuple(k, l)
          w = (f32[100]{0:S(1)}, f32[7]{0:S(1)}) while(z), condition=c, body=b
          o = f32[100]{0:S(1)} get-tuple-element(w), index=0
          ROOT d = f32[100] copy(o) }
        """
    )
    vmem = live(module).peaks[1]
    assert vmem.bytes == 4 * (100 + 50 + 7)
    assert vmem.step.instruction.name == "u"


def test_unknown_sizes_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="the size of a is not known"):
        live(read_module("a = f32[?] parameter(0)"))


def test_a_module_of_constants_alone() -> None:
    (peak,) = live(read_module("a = f32[2] constant({1, 2})")).peaks
    assert (peak.bytes, peak.reserved_bytes) == (8, 8)


def test_a_module_without_buffers() -> None:
    found = live(read_module("t = () tuple()"), "v6e")
    assert (found.peaks, found.compiler_peak_bytes) == ((), 0)


def test_without_temporaries_the_figure_is_of_main_memory() -> None:
    found = live(read_module("ENTRY e { ROOT p = f32[8]{0:S(1)} parameter(0) }"))
    assert (found.simulated_space, found.simulated_bytes, found.left_over_bytes) == (0, 0, 0)


# --- scoped VMEM ------------------------------------------------------------------------------

_SIZE = re.compile(r'"used_scoped_memory_configs":\[\{"memory_space":"1","offset":"0","size":"(\d+)"')


@pytest.mark.parametrize("name", NAMES)
def test_scoped_vmem_is_what_the_compiler_wrote(name: str) -> None:
    module = module_of(name)
    sizes = [int(size) for size in _SIZE.findall(text_of(name))]
    found = scoped_vmem(module)
    assert [use.used_bytes for use in found if use.used_bytes] == [size for size in sizes if size]
    assert found.peak_bytes == max(sizes)
    peak = live(module).vmem
    buffers = max((each.bytes for each in live(module).peaks if each.memory_space == 1), default=0)
    assert peak is not None
    assert max(buffers, found.peak_bytes) <= peak.bytes <= buffers + found.peak_bytes
    assert peak.bytes <= CHIPS[chip_of(name)].vmem_bytes


@pytest.mark.parametrize(
    "config",
    [
        "{}",
        '{"used_scoped_memory_configs":[]}',
        '{"used_scoped_memory_configs":[{"memory_space":"0","size":"7"}]}',
        '{"used_scoped_memory_configs":[3, {"memory_space":"1","size":"many"}]}',
        '{"scoped_memory_configs":{"size":4}}',
        "scoped_memory_configs",
    ],
)
def test_what_states_no_scoped_vmem_uses_none(config: str) -> None:
    module = read_module(f"ROOT n = f32[8] negate(p), backend_config={config}")
    assert scoped_vmem(module).peak_bytes == 0
    assert live(module).vmem is None


def test_vmem_in_use_is_of_one_step() -> None:
    """The copy uses most by itself, and the sum is largest where less is used."""
    config = 'backend_config={"used_scoped_memory_configs":[{"memory_space":"1","size":"SIZE"}]}'
    module = read_module(
        f"""ENTRY e {{ p = f32[1024] parameter(0)
          c = f32[1024]{{0:S(1)}} copy(p), {config.replace("SIZE", "3000")}
          d = f32[1024]{{0:S(1)}} negate(c), {config.replace("SIZE", "1000")}
          ROOT r = f32[1024] negate(d) }}"""
    )
    peak = live(module).vmem
    assert peak is not None
    assert (peak.bytes, peak.scoped_bytes, peak.at) == (2 * 4096 + 1000, 1000, 2)
