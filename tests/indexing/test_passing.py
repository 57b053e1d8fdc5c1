"""Ops that pass arrays on, ops that read none, and elementwise ones."""

from __future__ import annotations

from random import Random

import pytest
from cases import shapes_as_written, share

from tla.hlo import ELEMENTWISE, OPCODES
from tla.indexing.fusion import _COPIES
from tla.indexing.ops import RULES
from tla.indexing.ops.elementwise import operand_count
from tla.indexing.ops.passing import NO_DATA
from tla.memory.aliasing import _FORWARDING
from tla.memory.origins import _UNCHANGED

from .arrays import checked, everything, refused, same, shape, sizes_of

COUNT = share(200)


@shapes_as_written
def test_random_elementwise() -> None:
    random = Random(1)
    for opcode in ELEMENTWISE:
        for _ in range(8):
            sizes = sizes_of(random, largest=4)
            count = operand_count(opcode) or random.randint(1, 3)
            operands = ", ".join(f"{shape(sizes)} %x{i}" for i in range(count))
            checked(f"%r = {shape(sizes)} {opcode}({operands})", *[same(sizes)] * count)


@pytest.mark.parametrize(("opcode", "scalars"), [("select", (0,)), ("clamp", (0, 2)), ("clamp", (0,))])
def test_random_scalar_operands(opcode: str, scalars: tuple[int, ...]) -> None:
    random = Random(2)
    for _ in range(COUNT):
        sizes = sizes_of(random, largest=4)
        operands = ", ".join(f"{shape([] if i in scalars else sizes)} %x{i}" for i in range(3))
        truths = [everything(sizes) if i in scalars else same(sizes) for i in range(3)]
        checked(f"%r = {shape(sizes)} {opcode}({operands})", *truths)


def test_random_rngs() -> None:
    random = Random(3)
    for _ in range(COUNT):
        sizes = sizes_of(random)
        text = f"%r = {shape(sizes)} rng(f32[] %a, f32[] %b), distribution=rng_uniform"
        checked(text, everything(sizes), everything(sizes))


def parts(random: Random, count: int) -> tuple[list[list[int]], str]:
    """The arrays of a random tuple, some of them in a tuple of their own, and its text."""
    arrays = [sizes_of(random, high=3, largest=3) for _ in range(count)]
    texts = [shape(each) for each in arrays]
    if count > 2:
        i = random.randint(0, count - 2)
        texts[i : i + 2] = [f"({', '.join(texts[i : i + 2])})"]
    return arrays, f"({', '.join(texts)})"


def test_every_opcode_has_a_rule() -> None:
    assert set(OPCODES) <= RULES.keys()


def test_an_op_that_hands_its_arrays_on_does_so_everywhere() -> None:
    """Each table of such ops has all whose rule is that of opt-barrier, but for those that copy."""
    same = {opcode for opcode in OPCODES if RULES[opcode] is RULES["opt-barrier"]}
    assert same - {"tuple"} <= set(_COPIES)
    assert same - {"copy"} <= _FORWARDING
    assert same - {"copy", "tuple"} <= _UNCHANGED


@pytest.mark.parametrize("opcode", ["opt-barrier", "domain", "copy"])
def test_random_tuples_passed_on(opcode: str) -> None:
    random = Random(4)
    for _ in range(COUNT):
        arrays, text = parts(random, random.randint(1, 4))
        output = random.randrange(len(arrays))
        truths = [same(each) if i == output else set() for i, each in enumerate(arrays)]
        checked(f"%r = {text} {opcode}({text} %x)", *truths, output=output)


def test_random_tuples_made() -> None:
    random = Random(5)
    for _ in range(COUNT):
        first, inner = parts(random, random.randint(1, 3))
        second = sizes_of(random)
        arrays = [*first, second]
        output = random.randrange(len(arrays))
        truths = [same(each) if i == output else set() for i, each in enumerate(arrays)]
        text = f"%r = ({inner}, {shape(second)}) tuple({inner} %x, {shape(second)} %y)"
        checked(text, *truths, output=output)


def test_random_elements_taken() -> None:
    random = Random(6)
    for _ in range(COUNT):
        before, after = sizes_of(random, high=2), sizes_of(random, high=2)
        taken, inner = parts(random, random.randint(1, 3))
        if random.random() < 0.5:
            taken = [sizes_of(random)]
            inner = shape(taken[0])
        output = random.randrange(len(taken))
        truths = [same(each) if i == output else set() for i, each in enumerate(taken)]
        operand = f"({shape(before)}, {inner}, {shape(after)})"
        text = f"%r = {inner} get-tuple-element({operand} %x), index=1"
        checked(text, set(), *truths, set(), output=output)


def test_random_dependencies() -> None:
    random = Random(7)
    for _ in range(COUNT):
        sizes = sizes_of(random)
        checked(f"%r = {shape(sizes)} add-dependency({shape(sizes)} %x, token[] %t)", same(sizes), set())


def test_random_set_dimension_sizes() -> None:
    random = Random(8)
    for _ in range(COUNT):
        sizes = sizes_of(random, low=1)
        k = random.randrange(len(sizes))
        made = [f"<={n}" if i == k else n for i, n in enumerate(sizes)]
        text = f"%r = {shape(made)} set-dimension-size({shape(sizes)} %x, s32[] %n), dimensions={{{k}}}"
        checked(text, same(sizes), set())


@pytest.mark.parametrize(
    ("text", "operands"),
    [
        ("%r = s32[4,2] iota(), iota_dimension=1", 0),
        ("%r = f32[2] constant({1, 2})", 0),
        ("%r = f32[2,3] parameter(0)", 0),
        ("%r = u32[] partition-id()", 0),
        ("%r = u32[] replica-id()", 0),
        ("%r = u64[2] rng-get-and-update-state(), delta=1", 0),
        ("%r = token[] after-all()", 0),
        ("%r = token[] after-all(token[] %a, token[] %b)", 2),
        ("%r = s32[] get-dimension-size(f32[2,<=3] %x), dimensions={1}", 1),
        ("%r = (f32[3], token[]) infeed(token[] %t)", 1),
        ("%r = token[] outfeed(f32[3] %x, token[] %t), outfeed_shape=f32[3]", 2),
        ("%r = (f32[3], (token[])) tuple(f32[3] %x, (token[]) %t)", 2),
        ("%r = token[] get-tuple-element((f32[3], token[]) %x), index=1", 2),
    ],
)
def test_nothing_is_read(text: str, operands: int) -> None:
    output = 1 if " tuple(" in text else 0
    checked(text, *[set() for _ in range(operands)], output=output)


def test_no_data_are_tested() -> None:
    assert set(NO_DATA) >= {"after-all", "iota", "replica-id"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("%r = f32[2] get-tuple-element((f32[2]) %x), index=1", "its operand has no such element 1"),
        ("%r = f32[3] copy(f32[2] %x)", "f32[3]{0} is no array of its operands"),
        ("%r = (f32[3]) tuple()", "it makes 1 array of 0 operands"),
        ("%r = f32[2] rng(f32[2] %a, f32[] %b)", "a parameter of a distribution is a scalar"),
        ("%r = f32[2] add(f32[2] %a, f32[3] %b)", "operand b is f32[3]{0}, the result f32[2]{0}"),
        ("%r = f32[2] get-tuple-element((f32[2]) %x)", "it has no index"),
        (
            "%r = f32[2] abs(f32[2] %a, f32[2] %b)",
            "it has 2 operands, and takes 1",
        ),
        ("%r = f32[2] add(f32[2] %a)", "it has 1 operand, and takes 2"),
        ("%r = f32[2] get-tuple-element(f32[2] %x), index=x", "its operand has no such element x"),
    ],
)
@shapes_as_written
def test_refusals(text: str, why: str) -> None:
    assert refused(text) == why
