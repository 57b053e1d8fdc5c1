"""The parameters and results of StableHLO, in the layouts that they will have."""

from __future__ import annotations

import random

import pytest
from cases import share

from tla.errors import TlaError
from tla.hlo import hlo_of_signature, is_mlir, read_module

STEP = """
#loc = loc(unknown)
module @jit_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func private @other(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    return %arg0 : tensor<2xf32>
  }
  func.func public @main(%arg0: tensor<5000x300xf32> {mhlo.layout_mode = "{1,0}", tf.aliasing_output = 1 : i32} loc("state['w']"("a.py":1:2)), %arg1: tensor<64x17xi32> {mhlo.sharding = "{devices=[4,1]<=[4]}"}, %arg2: tensor<128x256xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>, jax.arg_info = "x"}, %arg3: tensor<7xcomplex<f32>>, %arg4: tensor<?x4xui8, #stablehlo.bounds<9, ?>>, %arg5: tensor<i1>, %arg6: tensor<64x300xi4>, %arg7: tensor<8x128xf32> {mhlo.memory_kind = "pinned_host"}, %arg8: tensor<3x300xf32> {mhlo.layout_mode = "{0,1:T(4,128)}"}) -> (tensor<16x3xf8E4M3FN> {jax.result_info = "a(b)"}, tensor<5000x300xf32>) {
    %0 = "some.op"(%arg0) ({ ^bb0: }) : (tensor<5000x300xf32>) -> tensor<16x3xf8E4M3FN>
    return %0, %arg0 : tensor<16x3xf8E4M3FN>, tensor<5000x300xf32>
  }
}
"""  # noqa: E501


def test_parameters_and_results_have_their_layouts() -> None:
    found = read_module(hlo_of_signature(STEP, "v5e"))
    assert [str(each.shape) for each in found.entry.parameters] == [
        "f32[5000,300]{1,0:T(8,128)}",
        "s32[16,17]{1,0:T(8,128)}",
        "bf16[64,128]{1,0:T(8,128)(2,1)}",
        "c64[7]{0:T(128)}",
        "u8[<=9,4]{0,1:T(4,128)(4,1)}",
        "pred[]{:T(512)}",
        "s4[64,300]{1,0:T(64,128)(8,1)E(4)}",
        "f32[8,128]{1,0:T(8,128)S(5)}",
        "f32[3,300]{0,1:T(4,128)}",
    ]
    assert [each.op_name for each in found.entry.parameters[:3]] == ["state['w']", "", "x"]
    assert str(found.entry.root.shape) == (
        "(f8e4m3fn[16,3]{0,1:T(4,128)(4,1)}, f32[5000,300]{0,1:T(8,128)})"
    )
    (alias,) = found.input_output_alias
    assert (alias.output_index, alias.parameter_number) == ((1,), 0)
    layout = found.entry_computation_layout
    assert layout is not None
    assert layout.parameters == tuple(each.shape for each in found.entry.parameters)


def test_the_smallest_programs() -> None:
    for text, root in (
        ("func.func @f() -> tensor<3xf32> {", "f32[3]{0:T(128)}"),
        ("func.func @f() {", "()"),
        ("func.func @f(%arg0: tensor<2xf32>) -> (tensor<2xf32>) {", "f32[2]{0:T(128)}"),
        ('func.func @"f-g"() -> () {', "()"),
    ):
        assert str(read_module(hlo_of_signature(text)).entry.root.shape) == root


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("module @m {}", "the text has no function func.func @main(...)"),
        ("func.func @main(%a: tensor<?x3xf32>)", "tensor<?x3xf32> has a dim of no known size"),
        ("func.func @main(%a: !stablehlo.token)", "!stablehlo.token is no tensor that lies in memory"),
        ("func.func @main(%a: tensor<3xindex>)", "tensor<3xindex> is not read: 'index' is not an XLA"),
        ("func.func @main(%a: tensor<3xf32>", "'(' is not closed"),
        ("func.func @main(%a: )", "expected a type such as tensor<8x128xf32>"),
        ('func.func @main(%a: tensor<2xf32> {mhlo.sharding = "{dev}"})', "expected a sharding such as"),
        ('func.func @main(%a: tensor<2xf32> {mhlo.layout_mode = "{1,0}"})', "is not read: "),
    ],
)
def test_what_is_not_read_says_so(text: str, says: str) -> None:
    with pytest.raises(TlaError) as raised:
        hlo_of_signature(text)
    assert says in str(raised.value)


def test_a_damaged_text_is_read_or_refused() -> None:
    draw = random.Random(25)
    for _ in range(share(150)):
        text = list(STEP)
        for _ in range(draw.randint(1, 3)):
            at = draw.randrange(600, len(text))
            text[at : at + draw.randint(0, 4)] = draw.choice(["", "(", "}", '"', "<", "x", ">", ","])
        try:
            made = hlo_of_signature("".join(text))
        except TlaError:
            continue
        try:
            read_module(made)
        except TlaError as error:  # two parameters of one name
            assert "already" in str(error)  # noqa: PT017


def test_mlir_is_told_from_hlo_by_its_beginning() -> None:
    assert all(map(is_mlir, (STEP, "func.func @f()", "// a\nmodule {", "builtin.module @m")))
    assert not any(map(is_mlir, ("HloModule m", "module = f32[2] parameter(0)", "", "modules {")))
