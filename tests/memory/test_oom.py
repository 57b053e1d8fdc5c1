"""Out-of-memory reports: found in a text, and computed again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings, strategies as st

from tla.errors import UnsupportedError
from tla.memory.oom import Allocation, NoReportError, Report, read_reports
from tla.memory.oom_check import ASSUMED, check, padding_of
from tla.memory.sizes import bytes_printed_as, printed_bytes
from tla.xla_bridge import parse_array

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parent.parent / "data"
ROWS = [json.loads(line) for line in (DATA / "xla_oom_rows.jsonl").read_text().splitlines()]

# Size, unpadded size and expansion as real reports state them.
STATED = """\
s32[8388608,8,4]{2,1,0:T(8,128)} 32.00G 1.00G 32.0x
bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)} 4.00G 1.00G 4.0x
s32[2048,1,128,128,4]{4,3,2,0,1:T(8,128)} 16.00G 512.00M 32.0x
f32[4,128,128,9,18]{4,3,0,2,1:T(8,128)} 512.00M 40.50M 12.6x
bf16[4,512,512,64]{3,0,2,1:T(4,128)(2,1)} 256.00M 128.00M 2.0x
pred[64,512,2048]{2,1,0:T(8,128)E(32)} 256.00M 64.00M 4.0x
u32[12582912,1]{1,0:T(8,128)} 6.00G 48.00M 128.0x
s32[29360128,10]{1,0:T(8,128)} 14.00G 1.09G 12.8x
f32[128,256,896,18]{0,3,2,1:T(8,128)} 2.62G 1.97G 1.3x
bf16[512,16,3072]{2,1,0:T(8,128)(2,1)} 48.00M 48.00M 1.0x
f32[29184,2,2560]{2,1,0:T(2,128)} 570.00M 570.00M 1.0x
f32[29184,1,2560]{2,1,0:T(2,128)} 570.00M 285.00M 2.0x
f32[1024,245,64]{1,2,0:T(8,128)} 64.00M 61.25M 1.0x
bf16[128,4096,352]{2,1,0:T(16,128)(2,1)} 384.00M 352.00M 1.1x
u8[327680,327680]{1,0:T(8,128)(4,1)} 100.00G 100.00G 1.0x
f32[32,128,32,64]{3,0,2,1} 64.00M 32.00M 2.0x""".splitlines()


def file(name: str) -> Report:
    (report,) = read_reports((DATA / "oom" / name).read_text())
    return report


def without_lines(report: Report) -> list[Allocation]:
    return [allocation._replace(line=0) for allocation in report.allocations]


# --- the sizes ---


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["shape"])
def test_the_rows(row: dict[str, str]) -> None:
    found = padding_of(parse_array(row["shape"]))
    assert (found.size, found.unpadded) == (row["size"], row["unpadded"])
    if row["expansion"] == "-":
        assert found.extra_bytes == 0
    else:
        assert found.expansion == row["expansion"]
    assert found.assumed == ("tiles not printed" in row["source"])


@pytest.mark.parametrize("row", STATED)
def test_the_stated_sizes(row: str) -> None:
    shape, size, unpadded, expansion = row.split()
    found = padding_of(parse_array(shape))
    assert (found.size, found.unpadded, found.expansion) == (size, unpadded, expansion)
    assert found.assumed == ("T(" not in shape)
    extra = None if found.extra_bytes == 0 else found.extra
    stated = Allocation(1, 1, size, None, found.shape, shape, "", unpadded, extra, extra and expansion)
    assert check(stated).differences == ()


def test_an_assumed_tile_is_said() -> None:
    shape = parse_array("f32[32,128,32,64]{3,0,2,1}")
    found = check(Allocation(1, 1, "64.00M", None, shape, unpadded="32.00M", extra="32.00M"))
    assert (found.notes, found.differences) == ((ASSUMED,), ())
    assert found.padding is not None
    assert str(found.padding.shape) == "f32[32,128,32,64]{3,0,2,1:T(8,128)}"
    bare = check(Allocation(1, 1, "32.00M", None, shape))
    assert (bare.padding and bare.padding.size, bare.differences) == ("32.00M", ())
    assert bare.notes == ("layout has no tiles, and the size is that without tiles",)


def test_sizes_that_are_not_known() -> None:
    with pytest.raises(UnsupportedError, match=r"the size of f32\[\?\]\{0\} is not known"):
        padding_of(parse_array("f32[?]"))
    text = "1. Size: 1.00G\n Shape: f32[?,128]{1,0:T(8,128)}\n Allocation type: HLO temp\n"
    found = check(read_reports(text)[0].allocations[0])
    assert (found.padding, found.differences) == (None, ())
    assert found.notes == ("the size of f32[?,128]{1,0:T(8,128)} is not known: it has a dim '?'",)
    found = check(Allocation(1, 1, "1.0K", None, parse_array("f32[8,3]{1,0:T(*,8)}")))
    assert found.padding is None
    assert "its first tile has a '*'" in found.notes[0]


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        ({"size": "31.00G"}, "size: the report says 31.00G, 32.00G is computed"),
        ({"unpadded": "2.00G"}, "unpadded size: the report says 2.00G, 1.00G is computed"),
        ({"extra": "30.00G"}, "padding: the report says 30.00G, 31.00G is computed"),
        ({"expansion": "31.0x"}, "expansion: the report says 31.0x, 32.0x is computed"),
        ({"extra": None}, "padding: the report has no line for it, 31.00G is computed"),
        ({"size": "???"}, "size: the report says ???, 32.00G is computed"),
    ],
)
def test_where_the_two_differ(changed: dict[str, str], difference: str) -> None:
    right = file("hbm_program.txt").allocations[0]
    assert check(right).differences == ()
    assert check(right._replace(**changed)).differences == (difference,)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]


# --- the reports ---


def test_the_long_form() -> None:
    report = file("hbm_program.txt")
    assert (report.what, report.space, report.line) == ("out of memory", "hbm", 1)
    assert (report.used, report.capacity, report.exceeded) == ("41.74G", "16.00G", "25.74G")
    assert report.totals == (
        ("total hbm", "41.74G"), ("reserved", "528.00M"), ("program", "41.22G"),
        ("arguments", "unknown size"), ("output", "0B"), ("shared with arguments", "0B"),
        ("program hbm", "41.22G"), ("global", "204.0K"), ("scoped", "20.5K"), ("HLO temp", "41.19G"),
    )  # fmt: skip
    assert [a.number for a in report.allocations] == [1, 2, 3, 4]
    first, second, third, scoped = report.allocations
    assert first.operator == 'op_type="FloorMod" op_name="slicewise_79/cic_update/FloorMod"'
    assert (first.size, first.unpadded) == ("32.00G", "1.00G")
    assert (first.extra, first.expansion, first.kind) == ("31.00G", "32.0x", "HLO temp")
    assert first.label is not None
    assert first.label.endswith("...")
    assert str(second.shape) == "f32[32,128,32,64]{3,0,2,1}"
    assert (third.extra, third.expansion) == (None, None)
    assert (scoped.kind, scoped.shape_text) == ("scoped", "f32[8,128]{1,0:T(8,128)}")
    assert report.cut_at is None


def test_its_recomputation() -> None:
    found = [check(a) for a in file("hbm_program.txt").allocations]
    assert [entry.differences for entry in found[:3]] == [(), (), ()]
    assert (found[3].padding, found[3].differences) == (None, ())
    assert found[3].notes[0].startswith("the instruction takes it while it runs; the shape is")
    assert found[0].factors == ("dim 2: 4 -> 128 (32.00x)",)
    best = found[0].layouts[0]
    assert (best.xla, best.expansion) == ("s32[8388608,8,4]{0,2,1:T(4,128)}", 1.0)
    assert [bool(entry.layouts) for entry in found] == [True, True, False, False]


def test_reports_of_the_compiler() -> None:
    """Made by compiling programs too large for a v5e."""
    hbm = file("v5e_hbm_temporaries.txt")
    assert hbm[1:5] == ("out of memory for temporaries", "HBM", "116.44G", "15.75G")
    scoped = file("v5e_scoped_vmem.txt")
    assert scoped[1:6] == ("out of scoped memory", "vmem", "78.12M", "16.00M", "62.12M")
    (allocation,) = scoped.allocations
    assert (str(allocation.shape), allocation.kind) == ("f32[8,128]{1,0:T(8,128)}", "scoped")
    assert check(allocation).padding is None  # the shape of the result says nothing of it
    assert "'tla pallas' sizes them" in check(allocation).notes[1]
    for name, space, size, capacity, tag in (
        ("v5e_smem.txt", "smem", 51200000, 2**20, "prefetched SMEM operand 0"),
        ("v5e_sync_flags.txt", "sflag", 400000, 2048, "scratch operand"),
        (
            "v5e_vmem_window.txt",
            "vmem",
            2**28,
            2**27,
            "input window allocation for operator",
        ),
    ):
        report = file(name)
        assert (report.what, report.space) == ("an allocation larger than its memory", space)
        assert (report.used, report.capacity) == (printed_bytes(size), printed_bytes(capacity))
        (allocation,) = report.allocations
        assert allocation.size_bytes == size
        assert (allocation.kind, allocation.label) == ("scoped", "_lambda_.1")
        assert (allocation.tag or "").startswith(tag)
        entry = check(allocation)
        assert entry.padding is not None
        assert (entry.padding.size_bytes, entry.differences) == (size, ())


def test_an_allocation_with_tiles_that_exceeds_memory() -> None:
    text = (
        "Allocation (size=107374182400) would exceed memory (size=17179869184) :: #allocation7"
        " [shape = 'u8[327680,327680]{1,0:T(8,128)(4,1)}', space=hbm, size = 0xffffffffffffffff,"
        " tag = 'output of fusion@{}'] :: <no-hlo-instruction>"
    )
    (report,) = read_reports(text)
    (allocation,) = report.allocations
    assert (report.space, allocation.tag) == ("hbm", "output of fusion@{}")
    assert allocation.label == "<no-hlo-instruction>"
    found = check(allocation)
    assert found.padding is not None
    assert (found.padding.size, found.differences, found.notes) == ("100.00G", (), ())
    wrong = check(allocation._replace(size_bytes=107374182401))
    assert wrong.differences == ("size: the report says 107374182401B, 107374182400B is computed",)
    for end in range(text.index(" :: "), len(text)):
        (cut,) = read_reports(text[:end])  # wherever the line is cut, its numbers stand
        assert (cut.used, cut.capacity) == ("100.00G", "16.00G")


@pytest.mark.parametrize(
    ("text", "what", "used", "capacity"),
    [
        (
            "XLA:TPU compile permanent error. Compilation failure: Aborting compilation"
            " early because it's unlikely to have enough device memory. Requires 3.84T, has 90.96G"
            " available. If more detailed logging is desired, set ...",
            "compilation aborted early", "3.84T", "90.96G",
        ),
        (
            "OP_REQUIRES failed at tpu_execute_op.cc:266 : Attempting to reserve 10.51G at the bottom"
            " of memory. That was not possible. There are 8.97G free, 0B reserved, and"
            " 8.97G reservable.",
            "no room at run time", "10.51G", "8.97G",
        ),
        ("Attempting to reserve 6.14G at the bottom of memory", "no room at run time", "6.14G", None),
        (
            "Error allocating device buffer: Attempting to allocate 129.50M. That was not possible."
            " There are 78.17M free.; (0x0x0_HBM0)",
            "no room at run time", "129.50M", "78.17M",
        ),
        ("Ran out of memory in memory space vmem. ...", "out of memory", None, None),
        ("Ran out of memory in memory space hbm. Used 2.0K of 1.0K", "out of memory", "2.0K", "1.0K"),
    ],
)  # fmt: skip
def test_short_forms(text: str, what: str, used: str | None, capacity: str | None) -> None:
    (report,) = read_reports(f"some line\n12:00:01 E {text}\nanother line\n")
    assert (report.line, report.what, report.used, report.capacity) == (2, what, used, capacity)
    assert report.allocations == ()


@given(st.sampled_from(["", "> ", "E0503 12:01:02.000001  77 client.cc:80] ", "\t", "(0) Resource: "]))
def test_prefixes_do_no_harm(prefix: str) -> None:
    text = (DATA / "oom" / "hbm_program.txt").read_text()
    (plain,) = read_reports(text)
    (found,) = read_reports("\n".join(prefix + line for line in text.splitlines()))
    assert found == plain


@given(st.data())
def test_lines_of_other_programs_do_no_harm(data: st.DataObject) -> None:
    lines = (DATA / "oom" / "hbm_program.txt").read_text().splitlines()
    (plain,) = read_reports("\n".join(lines))
    for _ in range(3):
        lines.insert(data.draw(st.integers(1, len(lines))), "step 12 loss=0.3, shape (3, 4), 5.0G read")
    (found,) = read_reports("\n".join(lines))
    assert without_lines(found) == without_lines(plain)
    assert found.totals == plain.totals


def test_every_cut_of_a_report() -> None:
    text = (DATA / "oom" / "hbm_program.txt").read_text()
    (whole,) = read_reports(text)
    start = text.index("Total hbm usage >= 41.74G:") + 26
    for end in range(start, len(text), 5):
        cut = text[:end]
        (report,) = read_reports(cut)
        assert report.not_understood == ()
        *known, last = report.allocations or [None]
        for a, b in zip(known, whole.allocations, strict=False):
            assert a == b
        tail = cut.splitlines()[-1].split("  ")[-1]
        at_end = cut.rstrip().endswith(("=" * 10, "type: HLO temp", "type: scoped"))
        if at_end and "Largest" in cut and tail.strip("=") in ("", "Allocation type: HLO temp"):
            assert (report.cut_at, last) == (None, whole.allocations[len(known)])
        elif not at_end:
            lines = cut.splitlines()
            assert report.cut_at is not None
            assert set(map(str.strip, lines[report.cut_at :])) <= {""} or report.cut_at < 12
            # No figure of a cut line is taken for a whole one.
            if last is not None:
                right = whole.allocations[len(known)]
                for name in ("size", "shape", "unpadded", "extra", "expansion"):
                    assert getattr(last, name) in (None, getattr(right, name))
                for difference in check(last).differences if last.kind == right.kind else ():
                    assert any(said.startswith(difference) for said in check(right).differences)
    cut = text[: text.index("Shape: f32[32,128")]
    (report,) = read_reports(cut)
    assert (report.cut_at, report.allocations[-1].size) == (25, "64.00M")
    assert check(report.allocations[-1]).notes == ("the report gives no shape for it",)


@pytest.mark.parametrize(
    ("end", "line", "facts"),
    [
        ("s32[8388608,8,4]{2", 18, ("32.00G", "s32[8388608,8,4]{2", None, None)),
        ("s32[8388608,8,4]", 18, ("32.00G", "s32[8388608,8,4]", None, None)),
        ("Unpadded size:", 19, ("32.00G", "s32[8388608,8,4]{2,1,0:T(8,128)}", None, None)),
        ("due to padding: 31.", 20, ("32.00G", "s32[8388608,8,4]{2,1,0:T(8,128)}", "1.00G", None)),
        ("XLA label: %copy.4", 21, ("32.00G", "s32[8388608,8,4]{2,1,0:T(8,128)}", "1.00G", "31.00G")),
        ("type: HLO", 22, ("32.00G", "s32[8388608,8,4]{2,1,0:T(8,128)}", "1.00G", "31.00G")),
        ("2. Size: 64", 25, (None, None, None, None)),
        ("  2. Siz", 25, ("32.00G", "s32[8388608,8,4]{2,1,0:T(8,128)}", "1.00G", "31.00G")),
    ],
)
def test_a_cut_is_said_with_its_line(end: str, line: int, facts: tuple[str | None, ...]) -> None:
    text = (DATA / "oom" / "hbm_program.txt").read_text()
    cut = text[: text.index(end) + len(end)]
    assert cut.count("\n") + 1 == line
    (report,) = read_reports(cut)
    assert report.cut_at == line
    last = report.allocations[-1]
    assert (last.size, last.shape_text, last.unpadded, last.extra) == facts
    assert check(last).differences == ()


def test_a_cut_inside_the_totals_or_the_head() -> None:
    text = (DATA / "oom" / "hbm_program.txt").read_text()
    for end, line in (("reserved        528", 4), ("arguments   ", 6), ("Program hbm req", 9)):
        cut = text[: text.index(end) + len(end)]
        assert read_reports(cut)[0].cut_at == line
    cut = text[: text.index("Largest program allocations in hbm:") + 35]
    assert read_reports(cut)[0].cut_at == 14
    for end in ("Used 41.74", "Exceeded hbm capacity by 25."):
        assert read_reports(text[: text.index(end) + len(end)])[0].cut_at == 1
    head = text[: text.index("25.74G") + 6]
    assert read_reports(head)[0].cut_at is None


def test_a_cut_report_before_another() -> None:
    text = (DATA / "oom" / "hbm_program.txt").read_text()
    cut = text[: text.index("Unpadded size: 32.00M")] + "\n"
    first, second = read_reports(cut + text)
    assert first.cut_at == 26
    assert [a.whole for a in first.allocations] == [True, False]
    assert (second.cut_at, len(second.allocations)) == (None, 4)


def test_no_cut_where_the_list_ends_without_a_rule() -> None:
    one = "1. Size: 4.0K\n Shape: f32[8,128]{1,0:T(8,128)}\n XLA label: %a = f32[8,1...\n"
    two, kind = "2. Size: 1B\n", " Allocation type: HLO temp"
    assert read_reports(one + two + kind)[0].cut_at is None
    assert read_reports(f"{one}{kind}\n{two}{kind}\n\n")[0].cut_at is None
    assert read_reports(f"{one}{kind}\n{two}")[0].cut_at == 5


# --- wrappings ---


WRAPPINGS: dict[str, Callable[[str], str]] = {
    "repr": repr,
    "json": json.dumps,
    "raised": lambda text: f"jaxlib.xla_extension.XlaRuntimeError: {text!r}",
    "bytes": lambda text: repr(text.encode()),
    "json of repr": lambda text: json.dumps({"time": 3, "message": repr(text), "severity": "ERROR"}),
    "repr of json": lambda text: repr(json.dumps({"message": text, "severity": "it's an error"})),
    "no quotes": lambda text: text.replace("\n", "\\n"),
    "carriage returns": lambda text: text.replace("\n", "\r"),
    "both": lambda text: text.replace("\n", "\r\n"),
    "a string for each line": lambda text: "\n".join(
        json.dumps({"log": line + "\n", "stream": "stderr"}) for line in text.split("\n")
    ),
}


@pytest.mark.parametrize("how", WRAPPINGS)
def test_wrappings(how: str) -> None:
    text = (DATA / "oom" / "hbm_program.txt").read_text()
    for inner in (text, text[:-1].rstrip("= \n")):  # the last line may be a field
        (plain,) = read_reports(inner)
        (found,) = read_reports(WRAPPINGS[how](inner))
        assert found.what == plain.what
        assert found[2:7] == plain[2:7]
        assert without_lines(found) == without_lines(plain)
        assert (found.cut_at, found.not_understood) == (None, ())


def test_escapes_of_an_operator_are_its_own() -> None:
    operator = r'op_name="jit(conv)[\n  batch_group_count=1\n shape=(1, 2) ]" source_line=3'
    text = f"1. Size: 4.0K\n Operator: {operator}\n Allocation type: HLO temp\n"
    for wrapped in (text, json.dumps(text), repr(text), json.dumps(repr(text))):
        assert read_reports(wrapped)[0].allocations[0].operator == operator


def test_line_numbers_with_carriage_returns() -> None:
    head = "Attempting to reserve 6.14G at the bottom of memory"
    assert read_reports(f"a\r\nb\r\n{head}\r\n")[0].line == 3
    assert read_reports(f"a\rb\r{head}\r")[0].line == 3
    assert read_reports(f"10%\r20%\rdone\n{head}\n")[0].line == 2
    assert read_reports(f"{head}\\n{head}\\n  1. Size: 3B\nb\n{head}\n")[0].line == 1


# --- lines of several processes ---


PREFIXES = [
    ("", "(pid 2) "),
    ("[rank0]: ", "[rank1]: "),
    ("worker-0  | ", "worker-1  | "),
    ("E0503 12:01:02.{i:06}  77 client.cc:8{i}] ", "E0503 12:01:03.{i:06}  78 client.cc:8{i}] "),
    ("2024-01-02T03:04:{i:02}Z a ", "2024-01-02T03:04:{i:02}Z b "),
]


@pytest.mark.parametrize("prefixes", PREFIXES, ids=lambda pair: pair[1])
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_prefixes_keep_processes_apart(prefixes: tuple[str, str], data: st.DataObject) -> None:
    text = (DATA / "oom" / "hbm_program.txt").read_text()
    text = "\n".join(line.split("76] ", 1)[-1] for line in text.splitlines())
    texts = (text, text.replace("32.00G", "16.00G").replace("8388608", "4194304"))
    left = [text.splitlines() for text in texts]
    mixed: list[str] = []
    while left[0] or left[1]:
        which = data.draw(st.integers(0, 1)) if left[0] and left[1] else int(not left[0])
        mixed.append(prefixes[which].format(i=len(mixed) % 60) + left[which].pop(0))
    found = read_reports("\n".join(mixed))
    assert len(found) == 2
    plain = [read_reports(text)[0] for text in texts]
    assert sorted(map(str, map(without_lines, found))) == sorted(map(str, map(without_lines, plain)))
    for report in found:
        assert (report.totals, report.not_understood) == (plain[0].totals, ())


def test_lines_that_nothing_tells_apart() -> None:
    one = ["1. Size: 4.0K", " Shape: f32[8,128]{1,0:T(8,128)}", " Allocation type: HLO temp", " ====="]
    two = ["1. Size: 8.0K", " Shape: f32[16,128]{1,0:T(8,128)}", " Allocation type: scoped", " ====="]
    text = "\n".join(line for pair in zip(one, two, strict=True) for line in pair)
    (report,) = read_reports(text)
    mixed = "lines of two reports may be mixed"
    assert report.not_understood == (
        (2, f"allocation 1 after allocation 1; {mixed}"),
        (
            4,
            "'Shape: f32[16,128]{1,0:T(8,128)}', a second one in its allocation; " + mixed,
        ),
        (6, f"'Allocation type: scoped', a second one in its allocation; {mixed}"),
    )
    text = "1. Size: 4.0K\n Allocation type: scoped\n ==========\n Unpadded size: 4.0K\n"
    assert read_reports(text)[0].not_understood == (
        (4, f"'Unpadded size: 4.0K', of no allocation; {mixed}"),
    )


def test_numbers_on_each_line_are_no_processes() -> None:
    text = (DATA / "oom" / "hbm_program.txt").read_text()
    (plain,) = read_reports(text)
    for lines in (text.splitlines(), text.replace("32.00G", "-32.00G").splitlines()):
        (found,) = read_reports("\n".join(f"{i}: {line}" for i, line in enumerate(lines)))
        assert found.totals == plain.totals
        assert len(found.allocations) == 4


# --- lines that are not understood ---


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [
        ("1. Size: 32.00G", "1. Size: -32.00G", 16),
        ("1. Size: 32.00G", "1. Size: 32.00Gx", 16),
        ("1. Size: 32.00G", "1. Size: ", 16),
        ("Unpadded size: 1.00G", "Unpadded size: many", 19),
        ("31.00G (32.0x expansion)", "31.00G (32.0x", 20),
        ("Allocation type: HLO temp", "Allocation type:", 22),
        ("Total hbm usage >= 41.74G:", "Total hbm usage >= lots:", 3),
        ("Program hbm requirement 41.22G:", "Program hbm requirement -1G:", 9),
        ("Output size 0B;", "Output size -1B;", 8),
    ],
)
def test_a_line_that_is_not_understood(right: str, wrong: str, line: int) -> None:
    text = (DATA / "oom" / "hbm_program.txt").read_text()
    (report,) = read_reports(text.replace(right, wrong, 1))
    (odd,) = report.not_understood
    assert odd[0] == line
    assert wrong.split("(")[0].strip() in odd[1]
    assert (report.cut_at, len(report.allocations)) == (None, 4)
    first = report.allocations[0]
    assert str(first.shape) == "s32[8388608,8,4]{2,1,0:T(8,128)}"
    if "32.00G" in wrong:
        assert first.size == wrong.split()[-1]
        assert check(first).differences[0].startswith(f"size: the report says {first.size}, 32.00G is")


def test_a_long_line_is_shortened() -> None:
    text = f"1. Size: 4.0K\n Unpadded size: {'a' * 100}\n Allocation type: scoped\n"
    ((line, why),) = read_reports(text)[0].not_understood
    assert (line, why) == (2, f"'Unpadded size: {'a' * 42}...'")


def test_an_unknown_output_size() -> None:
    (report,) = read_reports(
        "Total hbm usage >= 1.0K:\nOutput size unknown.\n1. Size: 1B\n ==========\n"
    )
    assert report.totals == (("total hbm", "1.0K"), ("output", "unknown size"))
    assert (report.not_understood, report.cut_at) == ((), None)


def test_the_lines_of_other_programs_are_no_fault() -> None:
    text = (DATA / "oom" / "hbm_program.txt").read_text()
    after = "Output size 12x12\nShape: (3, 4)\nTag: v1\nOperator:\nSize: 3\nAttempting to go\n"
    (report,) = read_reports(text + after)
    assert (report.cut_at, len(report.allocations)) == (None, 4)
    assert report.not_understood == ()


def test_a_report_without_its_first_lines() -> None:
    text = (DATA / "oom" / "hbm_program.txt").read_text()
    (whole,) = read_reports(text)
    (report,) = read_reports(text[text.index("  Largest program") :])
    assert (report.what, report.space) == ("out of memory, its first lines missing", "hbm")
    assert without_lines(report) == without_lines(whole)


def test_equal_reports_count_once() -> None:
    text = (DATA / "oom" / "hbm_program.txt").read_text()
    other = "Attempting to reserve 6.14G at the bottom of memory\n"
    first, second = read_reports(text + other + text + other + other)
    assert (first.times, first.line, second.times) == (2, 1, 3)
    assert (first.what, second.what) == ("out of memory", "no room at run time")


@pytest.mark.parametrize(
    ("shape", "why"),
    [
        ("q32[8]{0}", "q32"),
        ("(f32[8]{0}, s32[])", "it is no array"),
        ("f32[8", ""),
        ("", ""),
    ],
)
def test_shapes_that_are_not_read(shape: str, why: str) -> None:
    (report,) = read_reports(f"1. Size: 4.0K\n Shape: {shape}\n Allocation type: HLO temp")
    (allocation,) = report.allocations
    assert allocation.shape is None
    found = check(allocation)
    assert found.padding is None
    assert why in found.notes[0]
    assert (found.layouts, found.shapes, found.saved_bytes) == ((), (), 0)


@pytest.mark.parametrize(
    "text", ["", "\n\n", "all went well", "Total hbm", "Size: 3.0K", "out of memory"]
)
def test_no_report(text: str) -> None:
    with pytest.raises(NoReportError, match=r"a\.log holds no out-of-memory report"):
        read_reports(text, "a.log")


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        reports = read_reports(text)
    except NoReportError:
        return
    assert all(report.what for report in reports)


def test_a_stated_size_stands_for_the_bytes_computed() -> None:
    for row in STATED:
        shape, size, unpadded, _expansion = row.split()
        found = padding_of(parse_array(shape))
        assert found.size_bytes in bytes_printed_as(size)
        assert found.unpadded_bytes in bytes_printed_as(unpadded)
        assert printed_bytes(found.size_bytes) == size


def test_a_report_of_one_line_is_whole_with_the_name_at_its_end() -> None:
    line = (
        "Allocation (size=4096) would exceed memory (size=1024) :: #allocation1 [shape ="
        " 'f32[8,128]{1,0:T(8,128)}', space=vmem, size = 0x1000, scoped, tag = 'scoped'] :: %f"
    )
    (whole,), (cut,) = read_reports(line), read_reports(line.removesuffix(" :: %f"))
    assert (whole.cut_at, whole.allocations[0].label) == (None, "%f")
    assert (cut.cut_at, cut.allocations[0].label) == (1, None)
