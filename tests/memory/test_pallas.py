"""The VMEM of Pallas kernels, against what the compiler said of 116 of them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, strategies as st

from tla.errors import LayoutError, UnsupportedError
from tla.memory import BlockReport, KernelBlock, block_report
from tla.xla_bridge import CHIPS, XlaShape, parse_array

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = Path(__file__).parent.parent / "data" / "pallas_kernels.jsonl"


def kernels() -> Iterator[tuple[dict[str, Any], BlockReport]]:
    for line in ROWS.read_text("utf-8").splitlines():
        row = json.loads(line)
        blocks = [
            KernelBlock(XlaShape(kind, dims), block and tuple(block), buffers, space, resident)
            for kind, dims, block, buffers, space, resident in row["blocks"]
        ]
        scratch = [XlaShape(kind, dims) for kind, dims in row["scratch"]]
        yield row, block_report(blocks, row["chip"], scratch, row["limit"])


# The body needs more: products, softmax, sums through a second array, a bf16 or s8 scratch that is
# converted. Or the compiler cuts across blocks of arrays in VMEM.
BODIES = {
    "chain",
    "matmul_v5e",
    "softmax",
    "softmax_odd",
    "r001",
    "r008",
    "r029",
    "r034",
    "r036",
    "r087",
}


def test_the_verdicts_and_bytes_of_the_compiler() -> None:
    """The bytes are never above the compiler's, and equal but for what only the compiler knows."""
    verdicts: Counter[str] = Counter()
    differ: set[str] = set()
    for row, report in kernels():
        assert report.verdict == row["verdict"], row["name"]
        verdicts[report.verdict] += 1
        if row["used"] is not None:
            assert report.bytes <= row["used"]
            if report.bytes < row["used"]:
                differ.add(row["name"])
    assert verdicts == {"fits": 92, "out of memory": 10, "refused": 14}
    assert differ == BODIES


def test_the_nearest_block_fits() -> None:
    assert all(report.nearest is None for _row, report in kernels() if report.verdict == "fits")
    shape = parse_array("f32[4096,8192]")
    report = block_report([KernelBlock(shape, (1024, 8192))] * 2)
    assert (report.verdict, report.nearest) == ("out of memory", (128, 8192))
    again = block_report([KernelBlock(shape, report.nearest)] * 2)
    assert (again.verdict, again.bytes, again.nearest) == ("fits", 16 << 20, None)


DIMS = st.sampled_from([1, 3, 8, 24, 32, 64, 100, 128, 200, 256, 512])


@given(
    st.sampled_from(["f32", "bf16", "s8", "pred", "s4"]),
    st.lists(st.tuples(DIMS, DIMS), min_size=1, max_size=3),
    st.sampled_from(sorted(CHIPS)),
    st.integers(1 << 10, 1 << 24),
)
def test_what_is_near_fits_and_divides(
    kind: str, sizes: list[tuple[int, int]], chip: str, limit: int
) -> None:
    """Of an array as large as each pair's product, in blocks of the second."""
    whole, block = tuple(a * b for a, b in sizes), tuple(b for _a, b in sizes)
    shape = XlaShape(kind, whole)
    report = block_report([KernelBlock(shape, block)], chip, limit=limit)
    (counted,) = report.blocks
    assert counted.padded_bytes >= counted.data_bytes
    assert all(padded >= n for n, padded in zip(counted.dims, counted.padded_dims, strict=True))
    if report.nearest is not None:
        again = block_report([KernelBlock(shape, report.nearest, counted.buffers)], chip, limit=limit)
        assert again.verdict == "fits"
        assert all(n % m == 0 for n, m in zip(whole, report.nearest, strict=True))


@pytest.mark.parametrize(
    ("shape", "block", "reason"),
    [
        ("f32[64,200]", (8, 100), "block 100 of dim 1 is neither a multiple of the tiles' 128 lanes"),
        (
            "f32[60,256]",
            (20, 256),
            "block 20 of dim 0 is neither a multiple of the tiles' 8 rows",
        ),
        ("f32[4096]", (100,), "block 100 of a vector is neither the whole 4096, nor a multiple of 1024"),
        ("bf16[4096]", (128,), "nor a power of two of at least 256"),
    ],
)
def test_the_rules_of_jax(shape: str, block: tuple[int, ...], reason: str) -> None:
    report = block_report([KernelBlock(parse_array(shape), block)])
    assert report.verdict == "refused"
    assert reason in report.reason


def test_the_limits_of_the_chips() -> None:
    """Recorded: the largest that compiled, and the limit in the text of the error above it."""
    limits = {chip: block_report([], chip).limit_bytes >> 20 for chip in CHIPS}
    assert limits == {"v2": 16, "v3": 16, "v4": 16, "v5e": 16, "v5p": 16, "v6e": 32, "tpu7x": 32}


def test_blocks_that_do_not_fit_their_array() -> None:
    with pytest.raises(LayoutError, match=r"block 8 does not fit f32\[8,128\]"):
        block_report([KernelBlock(parse_array("f32[8,128]"), (8,))])
    with pytest.raises(UnsupportedError, match=r"f32\[\?,128\].* has no known size"):
        block_report([KernelBlock(parse_array("f32[?,128]"), (8, 128))])
