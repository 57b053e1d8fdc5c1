"""``tla sharding``: slices of devices, and what moves between them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run

ROWS, COLUMNS = "{devices=[4,1]<=[4]}", "{devices=[1,4]<=[4]}"


def test_slices_and_what_xla_pads(run: Run) -> None:
    code, out, err = run("sharding", "{devices=[4,2]<=[8]}", "f32[10,64]")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[1] == "8 devices; the number of a device's slice is 8:1"
    assert lines[2].startswith("on each device f32[3,32]{1,0:T(4,128)}: 384 bytes, on v5e ")
    assert lines[3] == "dim 0: 4 tiles do not divide 10; XLA pads it to 12"
    assert lines[-1].split() == ["7", "[9:10,", "32:64]"]


def test_what_a_change_moves(run: Run) -> None:
    arguments = "sharding", ROWS, "f32[8,16]", "--to", COLUMNS
    facts = json.loads(run(*arguments, "--json").out)
    assert (facts["moved_elements"], len(facts["moves"]), facts["moves"][0]["bytes"]) == (96, 12, 32)
    out = run(*arguments).out
    assert out.splitlines()[-1] == "all devices receive 384 bytes, 96 elements"
    assert "nothing moves" in run("sharding", ROWS, "f32[8,16]", "--to", ROWS).out


def test_the_picture(run: Run, tmp_path: Path) -> None:
    assert "0,4" in run("sharding", "{devices=[2,2,2]<=[2,4]T(1,0) last_tile_dim_replicate}").out
    path = tmp_path / "devices.svg"
    assert run("sharding", ROWS, "-o", str(path)).code == 0
    assert path.read_text("utf-8").startswith("<svg")


def test_bad_input(run: Run) -> None:
    assert "3 tiles for 4 devices" in run("sharding", "{devices=[3]<=[4]}", "f32[4]").err
    assert "--to needs the SHAPE" in run("sharding", ROWS, "--to", COLUMNS).err
    assert "has 4 devices, and" in run("sharding", ROWS, "f32[4,4]", "--to", "{devices=[2,1]<=[2]}").err
    assert "device 9 has no slice" in run("sharding", ROWS, "f32[4,4]", "--device", "9").err
    assert "divides 2 dims, and the array has 1" in run("sharding", ROWS, "f32[4]").err
    assert "{manual} does not say what a device has" in run("sharding", "{manual}", "f32[4]").err
    shardy = '#sdy.sharding<@mesh, [{"x"}]>'
    assert "names a mesh and does not hold it" in run("sharding", shardy, "f32[4]").err
