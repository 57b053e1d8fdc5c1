"""Architectures: each fact with its source, chips, custom ones, products, limits, bad input."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from tla import LayoutError, TlaError, UnsupportedError
from tla.ascend import (
    ARCHES,
    CHIPS,
    ELEMENTS,
    Arch,
    Ascend950,
    AtlasA2,
    AtlasA3,
    accumulator,
    cube,
    make_layout,
)
from tla.ascend.arch import _CHOICES, C0_BYTES, FRACTAL_ROWS, arch
from tla.ascend.copies import l1_l0, operands
from tla.ascend.limits import LIMITS
from tla.ascend.plans import defaults, dispatch, legality
from tla.ascend.tuning import tuner
from tla.ascend.tuning.pipes import GM_BANDWIDTH

ALL = [*ARCHES.values(), *CHIPS.values()]
POSITIONS = ("L1", "L0A", "L0B", "L0C", "UB", "BT", "FB")
NUMBERS = [f for f in Arch._fields if isinstance(getattr(AtlasA2, f), int)]


# --- facts ---


def test_buffers_of_catlass_arch_hpp() -> None:
    kib = {a.name: [a.capacity(p) // 1024 for p in POSITIONS] for a in ARCHES.values()}  # type: ignore[arg-type]
    assert kib["AtlasA2"] == kib["AtlasA3"] == [512, 64, 64, 128, 192, 1, 7]
    assert kib["Ascend950"] == [512, 64, 64, 256, 248, 4, 16]


@pytest.mark.parametrize("a", ALL, ids=str)
def test_every_fact_has_a_source(a: Arch) -> None:
    for field in a._fields:
        if field != "sources":
            assert a.source(field) not in ("given", ""), field
    assert all(p.source for p in a.products)
    assert all(limit.source for limit in a.limits)
    assert {field for field, _ in a.sources} <= set(a._fields)


@pytest.mark.parametrize("a", ALL, ids=str)
def test_start_alignments(a: Arch) -> None:
    starts = [a.start_alignment(p) for p in ("GM", "UB", "L1", "L0A", "L0B", "L0C", "BT")]
    assert starts == [1, 32, 32, 512, 512, 64, 64]


def test_a_fractal() -> None:
    assert (C0_BYTES, FRACTAL_ROWS) == (32, 16)
    assert all(of.fractal == FRACTAL_ROWS * of.c0 for of in ELEMENTS.values())
    assert AtlasA2.start_alignment("L0A") == C0_BYTES * FRACTAL_ROWS


def test_instruction_sets_differ() -> None:
    assert (AtlasA2.code, AtlasA3.code, Ascend950.code) == (2201, 2201, 3510)
    assert (AtlasA2.l0a_tag, Ascend950.l0a_tag) == ("zZ", "zN")
    assert (AtlasA2.stride_limit, Ascend950.stride_limit) == (65536, None)
    assert (AtlasA2.fixpipe_block, Ascend950.fixpipe_block) == (128, 64)
    assert (AtlasA2.tag, AtlasA3.tag, Ascend950.tag) == ("AtlasA2", "AtlasA2", "Ascend950")


BY_CODE: dict[str, Any] = {
    "products": cube.PRODUCTS,
    "biases": cube.BIASES,
    "limits": LIMITS,
    "tags": dispatch.ARCH_OF,
    "names": legality._GENERATION,
    "tiles": defaults._L1,
    "elements that are absent": operands._ABSENT,
    "tags of A in L0A": l1_l0._L0A_TAGS,
    "kernels of the tuner": tuner._KERNELS,
}
"""The tables by instruction set."""


@pytest.mark.parametrize("table", BY_CODE)
def test_a_table_has_every_instruction_set(table: str) -> None:
    assert set(BY_CODE[table]) == set(_CHOICES["code"])


def test_the_stride_limit_is_the_range_of_src_d_value() -> None:
    found = AtlasA2.limit("Nd2Nz", "srcDValue")
    assert found is not None
    assert found.most + 1 == AtlasA2.stride_limit
    wide = Ascend950.limit("Nd2Nz", "srcDValue")
    assert wide is not None
    assert wide.most > 2**32
    assert AtlasA2.limit("Nd2Nz", "nothing") is None


@pytest.mark.parametrize("code", LIMITS)
def test_limits_are_ranges_each_stated_once(code: int) -> None:
    names = [limit[:2] for limit in LIMITS[code]]
    assert len(set(names)) == len(names)
    assert all(limit.least <= limit.most for limit in LIMITS[code])


# --- chips ---


def test_chips_by_cores() -> None:
    cores = {name: chip.cores for name, chip in CHIPS.items()}
    assert (cores["Ascend910B2"], cores["Ascend910B3"], cores["Ascend910B4"]) == (24, 20, 20)
    assert (cores["Ascend950PR_9589"], cores["Ascend950PR_9579"]) == (32, 28)
    assert all(chip.vector_cores == 2 * chip.cores for chip in ALL)


def test_a_chip_is_its_architecture_but_for_a_few_figures() -> None:
    figures = {"name", "cores", "vector_cores", "frequency", "l2", "gm_rate", "sources"}
    for chip in CHIPS.values():
        family = ARCHES[chip.family]
        assert {f for f in chip._fields if getattr(chip, f) != getattr(family, f)} <= figures
    assert "910B3" in CHIPS["Ascend910B3"].source("cores")


def test_the_bandwidth_of_a_chip_is_stated_or_the_sum_of_its_cores() -> None:
    """Of a new chip decide which: the estimates of `GM_BANDWIDTH`, or `Arch.gm_rate` by cores."""
    sums = {"Ascend910B4"} | {a.name for a in ALL if a.family == "Ascend950"}
    assert {a.name for a in ALL} == GM_BANDWIDTH.keys() | sums


def test_bandwidths_are_those_the_vendor_gives() -> None:
    """1.6 TB/s of the 950PR and 4 TB/s of the 950DT are announced; L2 is faster than memory."""
    assert CHIPS["Ascend950PR_9589"].gm_bandwidth == pytest.approx(1.6e12, rel=0.03)
    assert CHIPS["Ascend950DT_9582"].gm_bandwidth == pytest.approx(4.0e12, rel=0.06)
    for a in ALL:
        assert a.gm_bandwidth == a.cores * a.gm_rate * a.frequency < a.l2_bandwidth
    flops = 2 * AtlasA2.macs_per_cycle("half") * AtlasA2.cores * AtlasA2.frequency
    assert flops == pytest.approx(353.9e12, rel=0.001)


@pytest.mark.parametrize(
    ("text", "name"),
    [("AtlasA2", "AtlasA2"), (" atlasa3", "AtlasA3"), ("Arch::Ascend950", "Ascend950"),
     ("910B3", "Ascend910B3"), ("ascend910b4", "Ascend910B4"), ("950dt_9582", "Ascend950DT_9582")],
)  # fmt: skip
def test_names(text: str, name: str) -> None:
    assert arch(text).name == name
    assert arch(arch(text)) is arch(text)


def test_unknown_names_get_near_ones() -> None:
    with pytest.raises(UnsupportedError, match="there is no architecture 'Ascend950PR'") as error:
        arch("Ascend950PR")
    assert error.value.details == ("Did you mean Ascend950PR_9579 or Ascend950PR_9589?",)
    for name in ("", "A100", "AtlasA"):
        with pytest.raises(UnsupportedError):
            arch(name)
    with pytest.raises(TypeError, match="name of an architecture, got int 2201"):
        arch(2201)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]


# --- products ---


def test_products_of_helper_hpp() -> None:
    a2 = {(p.a, p.b): p.accumulator for p in AtlasA2.products}
    assert a2 == {
        ("half", "half"): "float", ("bfloat16_t", "bfloat16_t"): "float", ("float", "float"): "float",
        ("int8_t", "int8_t"): "int32_t", ("int4b_t", "int4b_t"): "int32_t",
    }  # fmt: skip
    a5 = {(p.a, p.b): p.accumulator for p in Ascend950.products}
    assert set(a5) - set(a2) == {
        (x, y) for kind in ("float8_e", "float4_e") for x in ELEMENTS for y in ELEMENTS
        if x.startswith(kind) and y.startswith(kind) and "e8m0" not in x + y
    }  # fmt: skip
    assert ("int4b_t", "int4b_t") not in a5
    assert all(p.scaled == p.a.startswith("float4") for p in Ascend950.products)


@pytest.mark.parametrize("a", ARCHES.values(), ids=str)
def test_products_are_of_known_types_and_narrow_is_fast(a: Arch) -> None:
    for p in a.products:
        assert a.accumulator(p.a, p.b) == accumulator(p.a, p.b)
        assert ELEMENTS[p.accumulator].bits == 32
        if p.a != "float":
            assert p.macs * ELEMENTS[p.a].bits == 16 * 16 * 256
        assert a.macs_per_cycle(p.a, p.b) == p.macs


@pytest.mark.parametrize(
    ("a", "x", "y", "way"),
    [(Ascend950, "int4b_t", None, "It multiplies half"), (AtlasA2, "float8_e4m3_t", None, "half"),
     (AtlasA2, "half", "bfloat16_t", "A of half goes with B of half."),
     (AtlasA2, "int32_t", None, "half"),
     (Ascend950, "float8_e5m2_t", "half", "B of float8_e4m3_t, float8_e5m2_t")],
)  # fmt: skip
def test_pairs_that_no_core_multiplies(a: Arch, x: str, y: str | None, way: str) -> None:
    with pytest.raises(UnsupportedError, match=f"the cube core of {a} does not multiply {x}") as error:
        a.product(x, y)
    assert way in str(error.value)


# --- custom ones ---


@given(st.sampled_from(NUMBERS), st.integers(1, 10**12), st.sampled_from(ALL))
def test_replaced_changes_one_fact_and_its_source(field: str, value: int, a: Arch) -> None:
    if field == "code":
        value = 2201 if a.code == 3510 else 3510
    change: Any = {field: value}
    changed = a.replaced(**change)
    assert getattr(changed, field) == value
    assert changed.source(field) == "given"
    for other in a._fields:
        if other not in (field, "sources"):
            assert getattr(changed, other) == getattr(a, other)
            assert changed.source(other) == a.source(other)
    assert hash(changed) == hash(a.replaced(**change))


@pytest.mark.parametrize(
    ("changes", "kind", "text"),
    [
        ({"core": 20}, TypeError, "an architecture has no 'core'; did you mean cores"),
        ({"qwerty": 1}, TypeError, "it has name, family"),
        ({"cores": 0}, LayoutError, "cores of an architecture is at least 1, not 0"),
        ({"l1": -1}, LayoutError, "l1 of an architecture is at least 1, not -1"),
        ({"cores": "20"}, TypeError, "cores of an architecture is an int, not str '20'"),
        ({"cores": True}, TypeError, "cores of an architecture is an int, not bool True"),
        ({"frequency": 1.8e9}, TypeError, "frequency of an architecture is an int, not float"),
        ({"stride_limit": 0}, LayoutError, "stride_limit of an architecture is at least 1"),
        ({"code": 910}, LayoutError, "code is 2201 or 3510, not 910"),
        ({"l0a_tag": "nN"}, LayoutError, "l0a_tag is zZ or zN, not 'nN'"),
        ({"name": " "}, LayoutError, "the name of an architecture is empty"),
        ({"name": 7}, TypeError, "the name of an architecture is a str, not int"),
        ({"products": []}, TypeError, "products of an architecture is a tuple, not list"),
    ],
)
def test_bad_facts(changes: dict[str, Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as error:
        AtlasA2.replaced(**changes)
    assert text in str(error.value)


def test_bad_questions() -> None:
    with pytest.raises(UnsupportedError, match="no core has a buffer 'L3'"):
        AtlasA2.capacity("L3")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(UnsupportedError, match="AtlasA2 states no alignment of 'FB'"):
        AtlasA2.start_alignment("FB")
    with pytest.raises(TypeError, match="no 'l4'"):
        AtlasA2.source("l4")
    assert issubclass(UnsupportedError, TlaError)


def test_no_stride_limit_is_a_fact_too() -> None:
    assert AtlasA2.replaced(stride_limit=None).stride_limit is None


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("A3", "Did you mean AtlasA3?"),
        ("AtlsA2", "Did you mean AtlasA2 or AtlasA3?"),
        ("foo", f"Known: {', '.join({**ARCHES, **CHIPS})}."),
    ],
)
def test_names_that_are_near(name: str, hint: str) -> None:
    with pytest.raises(UnsupportedError) as error:
        arch(name)
    assert error.value.details == (hint,)
    assert arch("Catlass::Arch::AtlasA2") is AtlasA2


@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        ({"products": (3,)}, TypeError, "an entry of products is a Product, not int 3"),
        ({"limits": (None,)}, TypeError, "an entry of limits is a Limit, not NoneType None"),
        ({"alignments": (("L1", 0),)}, TypeError, "an entry of alignments is a position and its bytes"),
        ({"alignments": (("L7", 32),)}, TypeError, "an entry of alignments is a position and its bytes"),
        ({"sources": (("l1", 3),)}, TypeError, "an entry of sources is a field and where it is stated"),
        ({"code": 2201.0}, LayoutError, "code is 2201 or 3510, not 2201.0"),
    ],
)
def test_replaced_looks_into_tables(changes: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        AtlasA2.replaced(**changes)


def test_an_architecture_without_alignments() -> None:
    with pytest.raises(UnsupportedError) as error:
        AtlasA2.replaced(alignments=()).start_alignment("L1")
    assert error.value.details == ("Positions of which it does: none.",)


@pytest.mark.parametrize(
    "custom",
    [
        CHIPS["Ascend910B3"].replaced(cores=5),
        CHIPS["Ascend910B3"].replaced(name="mine"),
        AtlasA2.replaced(cores=24),
        AtlasA2.replaced(sources=()),
        AtlasA2._replace(cores=3),
        Ascend950.replaced(family="a family of its own", code=2201, alignments=(("L1", 64),)),
    ],
)
def test_repr_of_a_custom_one_gives_it_back_with_its_sources(custom: Arch) -> None:
    assert eval(repr(custom), {"arch": arch}) == custom


def test_repr_starts_from_the_nearest() -> None:
    custom = CHIPS["Ascend910B3"].replaced(cores=5)
    assert repr(custom) == "arch('Ascend910B3').replaced(cores=5)"


def test_repr_is_python() -> None:
    half = Ascend950.replaced(name="half a 950", cores=16, vector_cores=32)
    assert repr(half) == "arch('Ascend950').replaced(name='half a 950', cores=16, vector_cores=32)"
    for a in (*ALL, half, AtlasA2.replaced(l1=2**20), Ascend950.replaced(family="mine")):
        assert eval(repr(a), {"arch": arch}) == a


def test_names_in_another_order() -> None:
    """An element type in the place of an architecture or a tag; a chip that is nearly one."""
    with pytest.raises(UnsupportedError, match="It is an element type; the architecture comes first"):
        arch("half")
    with pytest.raises(UnsupportedError, match="It is an element type, and comes before the tag"):
        make_layout("zN", "half", 128, 64)
    with pytest.raises(UnsupportedError, match="Did you mean Ascend910B"):
        arch("910B9")
