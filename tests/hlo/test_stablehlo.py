"""StableHLO is read as the HLO that does the same."""

from __future__ import annotations

import pytest

from tla.errors import TlaError, UnsupportedError
from tla.hlo import hlo_of_stablehlo, read_module
from tla.indexing import computation_maps, output_to_input

MODULE = """
#loc = loc(unknown)
module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<10x20xf32> {mhlo.sharding = "{replicated}"}, %arg1: tensor<20xbf16>) -> (tensor<20x10xf32> {jax.result_info = ""}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<10x20xf32>) -> tensor<20x10xf32>
    %1 = stablehlo.convert %arg1 : (tensor<20xbf16>) -> tensor<20xf32>
    %2 = stablehlo.reshape %1 : (tensor<20xf32>) -> tensor<20x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<20x1xf32>) -> tensor<20x10xf32>
    %4 = stablehlo.multiply %0, %3 : tensor<20x10xf32>
    %5 = call @relu(%4) : (tensor<20x10xf32>) -> tensor<20x10xf32>
    %6 = stablehlo.compare  GT, %5, %4,  FLOAT : (tensor<20x10xf32>, tensor<20x10xf32>) -> tensor<20x10xi1>
    %7 = stablehlo.select %6, %5, %4 : tensor<20x10xi1>, tensor<20x10xf32>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<20x10xf32>, tensor<f32>) -> tensor<20xf32>
    %9 = stablehlo.dot_general %arg0, %7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<10x20xf32>, tensor<20x10xf32>) -> tensor<10x10xf32>
    %10 = stablehlo.slice %7 [0:20:2, 3:8] : (tensor<20x10xf32>) -> tensor<10x5xf32>
    %11 = stablehlo.pad %10, %cst, low = [0, 1], high = [2, 0], interior = [1, 0] : (tensor<10x5xf32>, tensor<f32>) -> tensor<21x6xf32>
    %12 = stablehlo.reverse %11, dims = [0] : tensor<21x6xf32>
    %13 = stablehlo.concatenate %12, %12, dim = 1 : (tensor<21x6xf32>, tensor<21x6xf32>) -> tensor<21x12xf32>
    %14 = stablehlo.dynamic_slice %13, %c, %c, sizes = [2, 3] : (tensor<21x12xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %15 = stablehlo.dynamic_update_slice %13, %14, %c, %c : (tensor<21x12xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<21x12xf32>
    %16 = stablehlo.iota dim = 1 : tensor<20x10xi32>
    return %8, %9, %15 : tensor<20xf32>, tensor<10x10xf32>, tensor<21x12xf32>
  }
  func.func private @relu(%arg0: tensor<20x10xf32>) -> tensor<20x10xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<20x10xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<20x10xf32>
    return %1 : tensor<20x10xf32>
  }
}
"""  # noqa: E501

EXPECTED = """relu {
  arg0 = f32[20,10] parameter(0)
  cst = f32[] constant({...})
  v0 = f32[20,10] broadcast(cst), dimensions={}
  ROOT v1 = f32[20,10] maximum(arg0, v0)
}
ENTRY main {
  arg0 = f32[10,20] parameter(0)
  arg1 = bf16[20] parameter(1)
  cst = f32[] constant({...})
  c = s32[] constant({...})
  v0 = f32[20,10] transpose(arg0), dimensions={1,0}
  v1 = f32[20] convert(arg1)
  v2 = f32[20,1] reshape(v1)
  v3.operand = f32[20] reshape(v2)
  v3 = f32[20,10] broadcast(v3.operand), dimensions={0}
  v4 = f32[20,10] multiply(v0, v3)
  v5 = f32[20,10] call(v4), to_apply=relu
  v6 = pred[20,10] compare(v5, v4), direction=GT
  v7 = f32[20,10] select(v6, v5, v4)
  v8 = f32[20] reduce(v7, cst), dimensions={1}
  v9 = f32[10,10] dot(arg0, v7), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  v10 = f32[10,5] slice(v7), slice={[0:20:2], [3:8]}
  v11 = f32[21,6] pad(v10, cst), padding=0_2_1x1_0_0
  v12 = f32[21,6] reverse(v11), dimensions={0}
  v13 = f32[21,12] concatenate(v12, v12), dimensions={1}
  v14 = f32[2,3] dynamic-slice(v13, c, c), dynamic_slice_sizes={2,3}
  v15 = f32[21,12] dynamic-update-slice(v13, v14, c, c)
  v16 = s32[20,10] iota(), iota_dimension=1
  ROOT results = (f32[20], f32[10,10], f32[21,12]) tuple(v8, v9, v15)
}"""


def test_each_op_has_its_hlo() -> None:
    assert hlo_of_stablehlo(MODULE) == EXPECTED
    entry = read_module(EXPECTED).entry
    assert all(len(computation_maps(entry, output)) == 2 for output in range(3))


def test_values_that_no_line_makes_are_parameters() -> None:
    text = "%2 = stablehlo.select %0, %1, %x : tensor<4xi1>, tensor<4xcomplex<f32>>"
    assert hlo_of_stablehlo(text).splitlines()[1:-1] == [
        "  v0 = pred[4] parameter(0)",
        "  v1 = c64[4] parameter(1)",
        "  x = c64[4] parameter(2)",
        "  ROOT v2 = c64[4] select(v0, v1, x)",
    ]


def test_parts_of_a_tuple() -> None:
    text = "%0:2 = call @f(%a) : (tensor<4xi8>) -> (tensor<4xi8>, tensor<ui8>)"
    text += "\nreturn %0#1 : tensor<ui8>"
    assert hlo_of_stablehlo(text).splitlines()[2:-1] == [
        "  v0 = (s8[4], u8[]) call(a), to_apply=f",
        "  ROOT v0.1 = u8[] get-tuple-element(v0), index=1",
    ]


BAD = [
    (
        '%0 = "stablehlo.gather"(%a, %b) <{x}> : (tensor<4xf32>) -> tensor<4xf32>',
        "it is no op in the pretty form",
    ),
    (
        "%0 = stablehlo.frob %a : tensor<4xf32>",
        "frob is no op, or has attributes, that HLO is made of here",
    ),
    ("%0 = stablehlo.negate %a : tensor<?x4xf32>", "its dims have no known size"),
    ("%0 = stablehlo.negate %a : !stablehlo.token", "'!stablehlo.token' is no type of a tensor"),
    ("%0 = stablehlo.transpose %a : (tensor<4xf32>) -> tensor<4xf32>", "it has no dims"),
    (
        "%0 = stablehlo.broadcast_in_dim , dims = [0] : (tensor<4xf32>) -> tensor<4xf32>",
        "it has no operand",
    ),
    ("%0 = stablehlo.slice %a : (tensor<4xf32>) -> tensor<2xf32>", "it has no [start:limit, ...]"),
    ("%0 = stablehlo.compare : (tensor<4xf32>) -> tensor<4xi1>", "it has no direction"),
    ("%0 = stablehlo.custom_call %a : (tensor<4xf32>) -> tensor<4xf32>", "it has no target"),
    ("%0 = stablehlo.get_tuple_element %a : (tensor<4xf32>) -> tensor<4xf32>", "it has no index"),
    ("%0 = stablehlo.iota dim = x : tensor<4xf32>", "it has no dim"),
    (
        "%0 = stablehlo.pad %a, %b, low = [1, 2], high = [1], interior = [0] : tensor<4xf32>",
        "low, high and interior have 2, 1 and 1 numbers",
    ),
]


@pytest.mark.parametrize(("line", "why"), BAD, ids=[why for _, why in BAD])
def test_what_is_not_read(line: str, why: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        hlo_of_stablehlo(f"\n{line}")
    assert str(caught.value).splitlines() == [f"line 2 of the StableHLO is not read: {why}", f"  {line}"]


@pytest.mark.parametrize(
    ("dims", "types", "why"),
    [
        (
            "0",
            "(tensor<21xf32>) -> tensor<20x3xf32>",
            "dim 0 of the operand has 21, dim 0 of the result has 20",
        ),
        ("5", "(tensor<1xf32>) -> tensor<20x3xf32>", "names dim 5"),
        ("", "(tensor<20xf32>) -> tensor<20x3xf32>", "it has no dimensions"),
        ("0, 1", "(tensor<20xf32>) -> tensor<20x3xf32>", "name 2 dims, the operand has 1"),
    ],
)
def test_broadcasts_that_do_not_fit(dims: str, types: str, why: str) -> None:
    text = f"%0 = stablehlo.broadcast_in_dim %a, dims = [{dims}] : {types}"
    with pytest.raises(TlaError, match=why):
        output_to_input(read_module(hlo_of_stablehlo(text)).entry.root)
