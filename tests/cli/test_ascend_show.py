"""``tla ascend show``: architectures side by side and alone, element types, JSON, bad arguments."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tla.ascend import ARCHES, CHIPS, ELEMENTS
from tla.ascend.arch import arch

if TYPE_CHECKING:
    from .running import Run

NAMES = [*ARCHES, *CHIPS]


def shown(run: Run, *arguments: str) -> list[str]:
    done = run("ascend", "show", *arguments)
    assert (done.code, done.err) == (0, "")
    return done.out.splitlines()


def facts(run: Run, *arguments: str) -> dict[str, Any]:
    done = run("ascend", "show", *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.out)
    return found


# --- side by side ---


def test_all_architectures(run: Run) -> None:
    lines = shown(run)
    assert lines[0].split() == ["AtlasA2", "AtlasA3", "Ascend950"]
    table = {line[:23].strip(): line[23:].split("  ") for line in lines[1 : lines.index("")]}
    assert [cell.strip() for cell in table["cube cores"] if cell.strip()] == ["24", "24", "32"]
    assert [x.strip() for x in table["L0C"] if x.strip()] == ["128.00 KiB", "128.00 KiB", "256.00 KiB"]
    assert [x.strip() for x in table["A lies in L0A as"] if x.strip()] == ["zZ", "zZ", "zN"]
    for chip in CHIPS.values():
        (line,) = [x for x in lines if x.startswith(f"{chip.name} ")]
        assert line.split()[:3] == [chip.name, chip.family, str(chip.cores)]


def test_all_as_json(run: Run) -> None:
    found = facts(run)
    assert [a["name"] for a in found["architectures"]] == list(ARCHES)
    assert [a["name"] for a in found["chips"]] == list(CHIPS)


# --- one ---


@pytest.mark.parametrize("name", NAMES)
def test_every_number_in_brackets_is_a_source_listed(run: Run, name: str) -> None:
    lines = shown(run, name)
    a = arch(name)
    assert lines[0].startswith(name)
    at = lines.index("sources")
    listed = [line.split(maxsplit=1)[0] for line in lines[at + 1 :]]
    assert listed == [f"[{i + 1}]" for i in range(len(listed))]
    cited = [line.split()[-1] for line in lines[:at] if line.endswith("]")]
    assert set(cited) == set(listed)
    body = "\n".join(lines)
    for field in ("l1", "cores", "gm_rate", "alignments"):
        assert a.source(field) in body
    for product in a.products:
        assert any(str(product) in line and str(product.macs) in line for line in lines)
    for limit in a.limits:
        assert any(
            line.split()[:2] == [limit.instruction, limit.parameter] and str(limit.most) in line
            for line in lines
        )


def test_buffers(run: Run) -> None:
    lines = shown(run, "910b3")
    rows = {line.split()[0]: line for line in lines if line.startswith("  ")}
    assert "524288 bytes (512.00 KiB)" in rows["L1"]
    assert rows["L0A"].split()[5] == "512"
    assert "cube cores    20" in "\n".join(lines)


@pytest.mark.parametrize("name", NAMES)
def test_one_as_json(run: Run, name: str) -> None:
    found, a = facts(run, name), arch(name)
    for field, entry in found["facts"].items():
        assert entry == {"value": getattr(a, field), "source": a.source(field)}
    assert found["alignments"]["value"]["L0A"] == 512
    assert "general restrictions" in found["alignments"]["source"]
    assert found["fractal"]["value"] == {"rows": 16, "bytes_of_row": 32}
    assert "BYTE_PER_C0" in found["fractal"]["source"]
    assert (found["gm_bandwidth"], found["l2_bandwidth"]) == (a.gm_bandwidth, a.l2_bandwidth)
    assert [(p["a"], p["b"], p["macs"]) for p in found["products"]] == [
        (*p[:2], p.macs) for p in a.products
    ]
    assert len(found["limits"]) == len(a.limits)


# --- element types ---


def test_elements(run: Run) -> None:
    lines = shown(run, "--elements")
    assert lines[0].split()[:5] == ["bits", "C0", "fractal", "element", "XLA"]
    for line, of in zip(lines[1:], ELEMENTS.values(), strict=False):
        assert line.split()[:5] == [str(of.bits), str(of.c0), str(of.fractal), of.name, of.xla or "-"]
    found = facts(run, "--elements")["elements"]
    by_name = {entry["name"]: entry for entry in found}
    assert list(by_name) == list(ELEMENTS)
    assert by_name["int4b_t"]["architectures"] == ["AtlasA2", "AtlasA3"]
    assert by_name["float8_e4m3_t"]["accumulator"] == "float"
    assert by_name["double"]["accumulator"] is None


# --- bad arguments ---


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (
            ("A100",),
            1,
            "there is no architecture 'A100'\n  Known: AtlasA2, AtlasA3, Ascend950, Ascend910B1,",
        ),
        (("950DT", "--json"), 1, "Did you mean Ascend950DT_9572 or Ascend950DT_9582?"),
        (("AtlasA2", "--elements"), 2, "--elements takes no ARCH"),
        (("AtlasA2", "AtlasA3"), 2, "ARCH; it got 2: AtlasA2 and AtlasA3"),
        (("--what",), 2, "there is no option --what"),
    ],
)
def test_bad_arguments(run: Run, arguments: tuple[str, ...], code: int, text: str) -> None:
    done = run("ascend", "show", *arguments)
    assert (done.code, done.out) == (code, "")
    assert text in done.err


def test_help(run: Run) -> None:
    done = run("ascend", "show", "--help")
    assert done.code == 0
    assert "tla ascend show 910B3 --json" in done.out
    done = run("ascend")
    assert done.code == 2
    assert "show" in done.out
    assert run("ascend", "nothing").code == 2
