"""``tla pallas``: blocks in VMEM."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .running import Run

TALL = "f32[16384,640,4]"


def test_a_block_that_fits(run: Run) -> None:
    code, out, err = run("pallas", TALL, "--block", "16,640,4", "--chip", "v5e")
    assert (code, err) == (0, "")
    assert out.splitlines()[1].split() == [
        *("10.00", "MiB", "2", "5.00", "MiB", "160.00", "KiB", "16,640,4"),
        *("f32[16384,640,4]{2,1,0}", "dim", "2:", "4", "->", "128"),
    ]
    assert out.splitlines()[-1] == "fits on v5e"


def test_two_operands_that_do_not(run: Run) -> None:
    code, out, err = run("pallas", TALL, TALL, "--block", "16,640,4")
    assert (code, err) == (1, "")
    assert out.splitlines()[-2:] == [
        "out of memory on v5e: 20.00M are more than the limit of 16.00M",
        "nearest block that fits: 8,640,4",
    ]
    assert run("pallas", TALL, TALL, "--block", "16,640,4", "--vmem-limit", str(20 << 20)).code == 0
    assert run("pallas", TALL, TALL, "--block", "16,640,4", "--buffers", "2,1").code == 0


def test_a_kernel_as_data(run: Run) -> None:
    arguments = "bf16[4,512,256]", "--block", "_,64,256", "--scratch", "f32[64,256]", "--json"
    facts = json.loads(run("pallas", *arguments).out)
    (block,) = facts["blocks"]
    assert (block["dims"], block["bytes"], facts["scratch_bytes"]) == ([1, 64, 256], 65536, 65536)
    assert (facts["bytes"], facts["verdict"], facts["nearest"]) == (131072, "fits", None)


def test_bad_input(run: Run) -> None:
    assert "needs a positive number, not 'x'" in run("pallas", TALL, "--block", "8,x").err
    assert "block 8 does not fit f32[16384,640,4]" in run("pallas", TALL, "--block", "8").err
    assert (
        "--block is given for 2 of 3 shapes" in run("pallas", *[TALL] * 3, *["--block", "1,1,4"] * 2).err
    )
    assert "there is no TPU 'v9'" in run("pallas", TALL, "--chip", "v9").err
    assert "tla: error: " in run("pallas", "f32[16").err
