"""`tla.jax`: functions of jax reported, compiled again with advice, and blocks of Pallas kernels."""

from __future__ import annotations

import random
import re
import sys
from importlib import import_module
from math import prod
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tla.jax
from tla.errors import ArgumentError, TlaError, UnsupportedError
from tla.hlo import hlo_of_signature, read_module
from tla.memory import KernelBlock, block_report
from tla.xla_bridge import parse_array

# --- without jax ---


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("report", (len,)),
        ("verify", (len, ())),
        ("shardings", (None, ())),
        ("to_layout", ("f32[2]{0}",)),
    ],
)
def test_without_jax_one_sentence_says_so(
    name: str, arguments: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(UnsupportedError) as raised:
        getattr(tla.jax, name)(*arguments)
    assert str(raised.value) == (
        f"{name} needs jax, which is not installed\n  Install it: pip install 'tla-layouts[jax]'"
    )


def array(text: str) -> Any:
    shape = parse_array(text)
    return SimpleNamespace(shape=shape.dimensions, dtype=shape.element_type.name)


def spec(block: Any, index_map: Any, **more: Any) -> Any:
    return SimpleNamespace(block_shape=block, index_map=index_map, **more)


WHOLE = "bf16[2048,1024]"


@pytest.mark.parametrize(
    ("given", "buffers"),
    [
        (spec((256, 512), lambda i, j: (i, j)), 2),
        (spec((256, 512), lambda i, j: (0, j)), 2),
        (spec((256, 512), lambda i, j: (i, 0)), 1),  # the grid has one step along i
        (spec((256, 512), lambda i, j: (0, 0)), 1),
        (spec((256, 512), lambda i, j: (i, j * j)), 2),
        (spec((256, 512), lambda i, j: (0, 0), pipeline_mode=SimpleNamespace(buffer_count=3)), 3),
    ],
)
def test_the_buffers_of_a_block(given: Any, buffers: int) -> None:
    found = tla.jax.block_spec_report([given], [array(WHOLE)], grid=(1, 4))
    assert found == block_report([KernelBlock(parse_array(WHOLE), (256, 512), buffers)])


def test_squeezed_dims_memories_and_scratch() -> None:
    specs = [
        spec((None, 8, 128), lambda i: (i, 0, 0)),
        spec(None, None, memory_space=SimpleNamespace(value="smem")),
        spec(None, None, memory_space=SimpleNamespace(value="any")),
        None,
    ]
    arrays = [array(text) for text in ("f32[4,64,128]", "s32[64]", "f32[4096,4096]", "f32[8,128]")]
    scratch = [SimpleNamespace(shape=(512, 512), dtype="f32", memory_space="vmem")]
    found = tla.jax.block_spec_report(specs, arrays, 4, scratch, "v6e", 1 << 20)
    shapes = [parse_array(text) for text in ("f32[4,64,128]", "s32[64]", "f32[4096,4096]", "f32[8,128]")]
    assert found == block_report(
        [
            KernelBlock(shapes[0], (None, 8, 128), 2),
            KernelBlock(shapes[1], None, None, "smem"),
            KernelBlock(shapes[2], None, None, "any"),
            KernelBlock(shapes[3]),
        ],
        "v6e",
        [parse_array("f32[512,512]")],
        1 << 20,
    )
    with pytest.raises(ArgumentError, match="1 specs for 2 arrays"):
        tla.jax.block_spec_report(specs[:1], arrays[:2])


# --- with jax ---


@pytest.fixture(scope="module")
def jax() -> Any:
    return pytest.importorskip("jax", reason="jax is not installed")


@pytest.fixture
def described(jax: Any) -> Any:
    """The shape of an array, for a compiler without a TPU."""
    pytest.importorskip("libtpu", reason="libtpu is not installed")
    return lambda text: jax.ShapeDtypeStruct(
        parse_array(text).dimensions, _DTYPES[parse_array(text).element_type.name]
    )


_DTYPES = {"f32": "float32", "bf16": "bfloat16", "s32": "int32"}


def test_layouts_both_ways(jax: Any) -> None:
    for text, dtype in (
        ("bf16[16,256]{0,1:T(8,128)(2,1)}", "bfloat16"),
        ("f32[3,5,7]{0,2,1}", "float32"),
    ):
        dims = parse_array(text).dimensions
        for made in (tla.jax.to_format(text), tla.jax.to_layout(text)):
            assert str(tla.jax.from_format(made, dims, jax.numpy.dtype(dtype))) == text
    with pytest.raises(ArgumentError, match="the layout has 2 dims, the array 1"):
        tla.jax.from_format(tla.jax.to_layout("f32[3,5]{0,1}"), (3,), "f32")
    with pytest.raises(ArgumentError, match="expected a Format or Layout of jax, got a int"):
        tla.jax.from_format(3, (3,), "f32")


def test_a_report_of_what_was_compiled_here(jax: Any) -> None:
    jitted = jax.jit(lambda x, unused: (x + 1).T)
    x = jax.numpy.ones((3, 5))
    found = tla.jax.report(jitted, x, x)
    assert [str(each.shape) for each in found.module.entry.parameters] == ["f32[3,5]{1,0}"]
    assert found.module == tla.jax.report(jitted.lower(x, x)).module
    assert tla.jax.report(jitted.lower(x, x).compile()).advice == ()
    assert str(found).startswith("jit__lambda: arguments 60B, results 60B")
    assert "<svg" in (found._repr_html_() or "")
    ins, outs = found.shardings
    assert (len(ins), ins[1], type(outs).__name__) == (2, None, "SingleDeviceSharding")


def test_what_cannot_be_reported(jax: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = jax.numpy.ones((3, 5))
    lowered = jax.jit(lambda x: x).lower(x)
    for call, says in (
        (lambda: tla.jax.report(3), "report takes a function of jax, not a int"),
        (lambda: tla.jax.report(lowered, x), "the function is lowered already"),
        (lambda: tla.jax.report(lowered.compile(), chip="v5e"), "the function is compiled already"),
        (lambda: tla.jax.report(jax.jit(len), x, donate_argnums=0), "give donate_argnums to jax.jit"),
        (lambda: tla.jax.verify(lowered, ()), "verify compiles a function again"),
        (lambda: tla.jax.report(len, x, chip="v2"), "nothing here compiles for a v2"),
    ):
        with pytest.raises(TlaError, match=says):
            call()
    topologies = import_module("jax.experimental.topologies")

    def absent(**_: object) -> None:
        raise RuntimeError("no libtpu\nmore")

    monkeypatch.setattr(topologies, "get_topology_desc", absent)
    with pytest.raises(UnsupportedError) as raised:
        tla.jax.report(lambda x: x, x, chip="v5e")
    assert str(raised.value) == (
        "jax has no compiler for a v5e here: no libtpu\n"
        "  pip install libtpu; it compiles without a TPU, on Linux with an x86-64."
    )
    compiled = jax.jit(lambda x, *, y: x + y).lower(x, y=x).compile()
    with pytest.raises(UnsupportedError, match="no in_shardings for keyword arguments"):
        tla.jax.shardings(compiled, ())


def test_advice_that_is_taken_holds(jax: Any, described: Any) -> None:
    """The relayout of a table that rows are gathered from; an argument that is not used comes before."""
    arguments = (described("f32[7]"), {"t": described("f32[5000,300]"), "i": described("s32[64,17]")})
    found = tla.jax.verify(lambda _, batch: batch["t"][batch["i"]], arguments, chip="v5e")
    assert {each.what for each in found.advice} == {"parameter", "result"}
    assert (found.holds, found.lost_alias_bytes) == (True, 0)
    assert found.saved_cycles > 20000
    assert found.in_shardings[0] is None
    taken = found.in_shardings[1]["t"]
    assert tla.jax.from_format(taken, (5000, 300), "f32") == found.advice[0].layout
    assert [str(p.shape) for p in found.after.module.entry.parameters] == [
        str(each) for each in ("s32[64,17]{0,1:T(8,128)}", found.advice[0].layout)
    ]
    assert str(found).splitlines()[-1] == "the advice holds"
    with pytest.raises(ArgumentError, match="the program has no parameter 9"):
        tla.jax.shardings(found.before.compiled, [found.advice[0]._replace(for_parameter=9)])


@pytest.mark.slow
def test_a_donated_pair_keeps_its_memory(jax: Any, described: Any) -> None:
    def step(state: Any, x: Any) -> Any:
        return state.at[x].add(1.0), state[x].sum()

    jitted = jax.jit(step, donate_argnums=0)
    found = tla.jax.verify(jitted, (described("f32[5000,300]"), described("s32[64]")), chip="v5e")
    assert found.lost_alias_bytes == 0
    assert "pair" in {each.what for each in found.advice} or not found.advice


@pytest.mark.slow
def test_a_donation_that_is_advised_is_taken(jax: Any, described: Any) -> None:
    """An array that is not used comes before; the update needs no copy of the table then."""

    def step(x: Any, batch: Any) -> Any:
        return jax.lax.dynamic_update_slice(batch["t"], jax.numpy.ones((1, 300)), (x, 0))

    batch = {"a": described("f32[7]"), "t": described("f32[5000,300]")}
    found = tla.jax.verify(step, (described("s32[]"), batch), chip="v5e")
    assert [each.what for each in found.advice] == ["donation"]
    assert (found.donate_argnums, found.saved_cycles) == ((1,), found.advice[0].saves_cycles)
    assert found.after.module.input_output_alias[0].parameter_number == 1


@pytest.mark.slow
@pytest.mark.parametrize("chip", ["v4", "v5p", "v5e", "v6e", "tpu7x"])
def test_advice_holds_on_each_chip_or_says_its_risk(jax: Any, described: Any, chip: str) -> None:
    """Rows that are converted before or after, other readers of a table, weights and tables in loops."""
    jnp = jax.numpy

    def layers(x: Any, up: Any, down: Any) -> Any:
        return jax.lax.scan(lambda x, w: (x + (x @ w[0]) @ w[1], x.sum()), x, (up, down))

    def rows_in_turns(t: Any, i: Any) -> Any:
        return jax.lax.fori_loop(0, 8, lambda k, t: t.at[i].add(t[i + k]), t)

    programs = (
        (lambda x: x.astype(jnp.bfloat16).T @ x.astype(jnp.bfloat16), ["f32[5000,100]"]),
        (lambda a, b: jnp.einsum("bqhd,bkhd->bhqk", a, b), ["bf16[4,256,8,64]", "bf16[4,256,8,64]"]),
        (lambda t, i: t[i].reshape(-1, 30), ["f32[5000,300]", "s32[64,17]"]),
        (lambda t, i: t.astype(jnp.float32)[i], ["bf16[20000,56]", "s32[300]"]),
        (lambda t, i: t[i].astype(jnp.float32), ["bf16[20000,56]", "s32[300]"]),
        (lambda t, i: (t[i] - t.mean(0), t.max(1)), ["f32[9000,60]", "s32[70]"]),
        (lambda t, i, w: (t[i] @ w, t @ w), ["f32[9000,60]", "s32[70]", "f32[60,40]"]),
        (layers, ["bf16[64,320]", "bf16[12,320,480]", "bf16[12,480,320]"]),
        (rows_in_turns, ["f32[3000,20]", "s32[64]"]),
    )
    for function, texts in programs:
        arguments = [described(text) for text in texts]
        donated = 0 if function is rows_in_turns else ()
        found = tla.jax.verify(function, arguments, chip=chip, donate_argnums=donated)
        assert not found.advice or found.holds, str(found)


@pytest.mark.slow
@pytest.mark.parametrize("chip", ["v4", "v5p", "v5e", "v6e", "tpu7x"])
def test_stablehlo_has_the_layouts_that_the_compiler_gives(jax: Any, described: Any, chip: str) -> None:
    draw = random.Random(chip)
    sizes = (1, 2, 3, 5, 8, 12, 33, 64, 100, 128, 129, 200, 256, 300, 1000)
    types = ("float32", "bfloat16", "int32", "int8", "uint8", "bool", "int4", "float8_e4m3fn")
    dims = [tuple(draw.choices(sizes, k=draw.randrange(5))) for _ in range(40)]
    arguments = [jax.ShapeDtypeStruct(d, draw.choice(types)) for d in dims if prod(d) < 10**7]
    function = jax.jit(lambda *xs: [x if x.dtype == bool else x + x for x in xs])
    found = tla.jax.report(function, *arguments, chip=chip)
    text = function.lower(*arguments).as_text()
    expected = read_module(hlo_of_signature(text, chip)).entry_computation_layout
    assert found.module.entry_computation_layout == expected


@pytest.mark.slow
def test_the_code_of_the_how_to_runs(jax: Any, described: Any) -> None:
    """The blocks that need jax, one after another; the others run with the documents."""
    page = Path(tla.__file__).parents[1] / "docs" / "howto" / "take_the_layout.md"
    if not page.exists():
        pytest.skip("the wheel has no documents")
    names: dict[str, Any] = {}
    for block in re.findall(r"^```py\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S):
        exec(block, names)
    assert str(names["verified"]).splitlines()[-1] == "the advice holds"
    chosen = [str(each.layout) for each in names["chosen"].input_formats[0]]
    assert chosen[0] == str(names["ins"][0].layout)
