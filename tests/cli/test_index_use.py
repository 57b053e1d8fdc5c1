"""``tla index --traffic``, ``--tile``, ``--memory``, ``--to``, ``--warp``."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tla.hlo import read_instruction, read_module
from tla.indexing import propagate_tile, tile_sizes, traffic

from .running import MODULES

if TYPE_CHECKING:
    from .running import Run

CONV = MODULES / "v5e_conv_net.hlo"
SLICE = "s = f32[128,4] slice(f32[128,512]{1,0:T(8,128)} x), slice={[0:128], [0:512:128]}"
TURN = "t = f32[64,32] transpose(f32[32,64] x), dimensions={1,0}"


def facts(run: Run, *arguments: str) -> dict[str, Any]:
    done = run("index", *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_traffic_of_one(run: Run) -> None:
    done = run("index", SLICE, "--traffic")
    assert done.out.splitlines() == [
        "%s = f32[128,4]{1,0} slice",
        "",
        "    wasted       moved      data       XLA  elements  lines  tiles           array",
        "254.00 KiB  256.00 KiB  2.00 KiB  2.00 KiB       512    512     64  read     "
        "%x f32[128,512]{1,0:T(8,128)}",
        "       0 B    2.00 KiB  2.00 KiB  2.00 KiB       512     16      0  written  "
        "%s f32[128,4]{1,0}",
        "",
        "%x: 512 elements read for 1 result",
        "4.00 KiB of data in 258.00 KiB of tiles and lines, 64.50 times as much",
    ]
    (x,) = facts(run, SLICE, "--traffic")["reads"]
    assert (x["elements"], x["lines"], x["tiles"], x["reuse"]) == (512, 512, 64, {"1": 512})


def test_traffic_of_a_module(run: Run) -> None:
    """The fusions that waste most come first, and each is there that is in no other one."""
    fusions = [i for i in read_module(CONV.read_text()).entry.instructions if i.opcode == "fusion"]
    found = facts(run, str(CONV), "--traffic")["fusions"]
    assert sorted(each["name"] for each in found) == sorted(each.name for each in fusions)
    wasted = [each["moved_bytes"] - each["bytes"] for each in found]
    assert wasted == sorted(wasted, reverse=True)
    one = next(each for each in fusions if each.name == found[0]["name"])
    assert wasted[0] == traffic(one).wasted_bytes


def test_what_is_not_exact_says_so(run: Run) -> None:
    line = "d = f32[8,128] dynamic-slice(f32[99,128]{1,0:T(8,128)} x, s32[] i, s32[] j)"
    out = run("index", line + ", dynamic_slice_sizes={8,128}", "--traffic").out
    assert "<=8.00 KiB" in out
    assert "%x is not exact: %i is read at run time; at least 1024 elements" in out


def test_tiles(run: Run) -> None:
    done = run("index", TURN, "--tile", "8,32")
    assert done.out.splitlines() == [
        "%t = f32[64,32]{1,0} transpose",
        "",
        "%t f32[64,32]{1,0}",
        "  offset (8 * d0, 0), size (8, 32), stride (1, 1)",
        "  1.00 KiB a tile, 8.00 KiB moved by all",
        "%x f32[32,64]{1,0}",
        "  offset (0, 8 * d0), size (32, 8), stride (1, 1)",
        "  1.00 KiB a tile, 32.00 KiB moved by all",
        "",
        "one tile has 2.00 KiB, all move 40.00 KiB",
    ]
    module = read_module(CONV.read_text())
    fusion = next(i for c in module.computations for i in c.instructions if i.name == "fusion.8")
    found = facts(run, f"{CONV}:%fusion.8", "--tile", "8,8,8,64")
    expected = propagate_tile(fusion, (8, 8, 8, 64))
    assert [each["name"] for each in found["recomputed"]] == [a.name for a in expected.recomputed]
    best = tile_sizes(read_instruction(TURN), 1 << 12)[0]
    assert facts(run, TURN, "--memory", str(1 << 12))["sizes"] == [*best.sizes]


def test_a_tile_behind_numbers_of_the_run(run: Run) -> None:
    line = "d = f32[8] dynamic-slice(f32[99] x, s32[] i), dynamic_slice_sizes={8}"
    assert run("index", line, "--tile", "4").out.splitlines()[-2:] == [
        "one tile has 36 B, all move 768 B",
        "numbers that are read at run time count with their least values",
    ]


def test_to_an_instruction_inside(run: Run) -> None:
    body = "p = f32[8,4] parameter(0)\n n = f32[8,4] negate(p)\n"
    body += " ROOT t = f32[4,8] transpose(n), dimensions={1,0}"
    text = f"ENTRY e {{\n {body}\n}}"
    assert run("index", text, "--to", "n").out.splitlines() == [
        "%t f32[4,8]{1,0} -> %n f32[8,4]{1,0}",
        "  (d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]",
    ]
    assert run("index", text, "--to", "n", "--to-output", "--physical").out.splitlines() == [
        "%n f32[8,4]{1,0} -> offset in %t f32[4,8]{1,0}",
        "  (d0, d1) -> (d1 * 8 + d0), domain: d0 in [0, 7], d1 in [0, 3]",
        "  layout (_8,_4):(_1,_8)",
    ]
    assert "[0]|  8 | 16 | 24" in run("index", text, "--to", "n", "-o", "-").out


def test_warps(run: Run) -> None:
    done = run("index", TURN, "--warp")
    assert done.out.splitlines()[2:4] == [
        "lines  at least  tiles  vector  verdict    schedule   read",
        " 1.00      1.00              1  coalesced  transpose  %x f32[32,64]{1,0}",
    ]
    (x,) = facts(run, f"{CONV}:%fusion.7", "--warp")["reads"][:1]
    assert x["schedule"] == "register"


def test_pictures(run: Run) -> None:
    """Of ``--traffic`` a number for each element, of ``--tile`` what the first tile reads."""
    window = "w = f32[4] reduce-window(f32[9] x, f32[] c), window={size=3 stride=2}, to_apply=m"

    def texts(*asked: str) -> str:
        out = run("index", window, *asked, "--svg").out
        return " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", out))

    assert "1 1 2 1 2 1 2 1 1" in texts("--traffic")
    assert "0 0 0 +1 1 1 %x" in texts("--tile", "2")
    assert texts("--memory", "64") == texts("--tile", "4")
    assert "0 1 2 3 lines of %x" in texts("--warp")
    assert "lanes" in texts("--warp")


def test_the_uses_that_the_indexing_document_names(run: Run) -> None:
    """Coalescing, operand utilization and tiling, on the broadcast with which it begins."""
    broadcast = "bc0 = f32[10,20,30] broadcast(f32[20] p0), dimensions={1}"

    def row(*asked: str) -> list[str]:
        *_, cells, _line, _mark, _note = run("index", broadcast, *asked, "-o", "-").out.splitlines()
        return [cell.strip() for cell in cells.split("|")[1:-1]]

    # 30 lanes read one element, and 2 the next: all in one line
    assert row("--warp") == ["[0 +29]", "30 +1", *[""] * 30]
    # of the 20 elements each is read by 4 slices of 30 columns, as many as are followed
    assert row("--traffic") == ["[120]", *["120"] * 19]
    assert traffic(read_instruction(broadcast)).reads[0].reuse == {300: 20}
    # a tile of 4 rows needs 4 elements
    assert row("--tile", "5,4,30") == ["[0 +119]", "30 +119", "60 +119", "90 +119", *[""] * 16]


BAD = [
    (
        ["b = f32[9,20] broadcast(f32[21] p), dimensions={1}"],
        "broadcast b is wrong: dim 0 of the operand has 21, dim 1 of the result has 20",
    ),
    (["t = f32[5,4] transpose(f32[4,5] a)"], "transpose t is wrong: it has no dimensions"),
    (["p = f32[4] pad(f32[4] a, f32[] b)"], "pad p is wrong: it has no padding"),
    (["hello world"], "'hello world' is no file, and no HLO, map or layout"),
    ([TURN, "--tile", "8,x"], "'8,x' is no tile"),
    ([TURN, "--tile", "8"], "1 sizes are no tile of t, which is f32[64,32]{1,0}"),
    ([TURN, "--tile", "8", "-o", "-"], "1 sizes are no tile of t, which is f32[64,32]{1,0}"),
    (
        ["r = f32[4096,4097]{1,0:T(8,128)} reshape(f32[4097,4096]{1,0:T(8,128)} x)", "--tile", "8,4097"],
        "what tiles need of x has too many points to count",
    ),
    (["n = f32[0] negate(f32[0] x)", "--warp"], "n is f32[0]{0}: no thread has an element of it"),
    (["n = f32[0] negate(f32[0] x)", "--memory", "9"], "n is f32[0]{0}: there is no element to tile"),
    (
        ["b = f32[8] bitcast(f32[9] x)"],
        "bitcast b is wrong: the operand has 36 bytes of memory, the result 32",
    ),
    ([TURN, "--memory", "1"], "no tile of t fits into 1 byte"),
    ([str(CONV), "--tile", "8,8"], "the module has 67 instructions"),
    (["none.hlo:%fusion.7", "--traffic"], "cannot read none.hlo: No such file or directory"),
    ([f"{CONV}:%fusio.7", "--traffic"], "the module has no instruction fusio.7"),
    (
        [f"{CONV}:%fusion.7", "--to", "convert"],
        "computation fused_computation.1.clone.clone.clone.clone has no instruction convert",
    ),
    (
        ["d = f32[4,5] dot(f32[4,8] a, f32[8,5] b)"],
        "dot is f32[4,5] here, its operands give f32[4,8,8,5]",
    ),
]


@pytest.mark.parametrize(("arguments", "said"), BAD, ids=[said for _, said in BAD])
def test_bad_input(run: Run, arguments: list[str], said: str) -> None:
    done = run("index", *arguments)
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines()[0] == f"tla: error: {said}"


def test_options_about_maps_do_not_go_with_counts(run: Run) -> None:
    for use in (["--traffic"], ["--tile", "8,8"], ["--memory", "64"], ["--warp"]):
        for option in ("--to-output", "--relation", "--physical", "--through", "--all"):
            done = run("index", TURN, *use, option)
            said = f"tla index: error: {use[0]} does not go with {option}, which is about maps"
            assert (done.code, done.out, done.err.splitlines()[-1]) == (2, "", said)


def test_help_writes_a_percent_sign_once(run: Run) -> None:
    assert "FILE:%name is" in run("index", "--help").out


def test_maps_of_mlir(run: Run) -> None:
    text = '#xla.indexing_map<"(d0) -> (d0 mod 8), domain: d0 in [0, 7]">'
    assert run("index", text).out.splitlines()[1] == "after   (d0) -> (d0), domain: d0 in [0, 7]"
