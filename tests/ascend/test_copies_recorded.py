"""The copies that CATLASS's headers make on a host: every parameter of every recorded call, and ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from cases import over
from differences import COPIES
from oracle import rows

from tla import TlaError
from tla.ascend import make_layout
from tla.ascend.copies import l0c_to_gm

from . import copies_recorded as recorded

if TYPE_CHECKING:
    from tla.ascend.copies import Transfer

ROWS = rows("catlass_copies.jsonl", "copy")
OURS = {d.case: d.ours for d in COPIES}


def answer(row: dict[str, Any]) -> str:
    """Ours where it is not CATLASS's: the calls and the first one's parameters, or the error."""
    try:
        moved = recorded.transfer(row)
    except TlaError as error:
        return type(error).__name__
    return f"{moved.count} x {tuple(moved.calls[0].params)}"


def test_every_call_is_as_recorded_or_differs_as_the_table_says() -> None:
    found = {}
    for row in ROWS:
        case = recorded.case(row)
        if case in OURS:
            found[case] = answer(row)
        else:
            assert recorded.as_recorded(row), (case, answer(row))
    assert found == OURS


def test_the_recorded_tiles_that_are_larger_than_their_buffer() -> None:
    found = {}
    for row in ROWS:
        try:
            recorded.transfer(row, recorded.ARCH)
        except TlaError as error:
            if "buffer" in error.data:
                found[recorded.case(row)] = (error.buffer, error.needed)
    assert found == {
        "2201 gm-l1 nZ<float>(18,11) to nZ(352,417) at (0,0)": ("L1", 608256),
        "2201 l1-l0b nZ<bfloat16_t>(189,32) to nZ(153,200) at (64,16)": ("L0B", 66560),
        "2201 l1-l0a nN<float>(122,200) to zZ(122,200) at (0,0)": ("L0A", 102400),
        "2201 l1-l0a nN<half>(179,200) to zZ(179,200) at (0,0)": ("L0A", 79872),
        "3510 gm-l1 ColumnMajor<float>(128,128) to nN(415,386) at (86,56)": ("L1", 665600),
        "3510 l1-l0a zN<float>(27,48) to zN(200,200) at (0,24)": ("L0A", 166400),
        "3510 l1-l0b nZ<float>(81,26) to nZ(200,200) at (0,0)": ("L0B", 166400),
    }


def test_every_route_element_and_pair_is_recorded() -> None:
    routes = {(row["arch"], row["route"]) for row in ROWS}
    assert routes == {
        *((2201, route) for route in ("gm-l1", "l1-l0a", "l1-l0b", "l0c-gm")),
        *((3510, route) for route in recorded.ROUTES),
    }
    assert len({(r["arch"], r["route"], r["element"], r["src"], r["dst"]) for r in ROWS}) >= 110


PROVED = [
    row for row in ROWS if recorded.case(row) not in OURS and row["tile"][0] * row["tile"][1] <= 20000
][::5]


@over("row", PROVED, ids=recorded.case)
def test_recorded_calls_move_each_element_to_its_place(row: dict[str, Any]) -> None:
    moved = recorded.transfer(row)
    proof = moved.proof()
    assert proof.elements == moved.elements
    if row["route"] in ("gm-l1", "l0c-gm") and row["src"] != "VectorLayout":
        assert proof.spill == 0  # a vector is copied in whole blocks, and ends within one


# --- the rows of catlass_tla.jsonl ---

STRUCTS = {
    "Nd2NzParams": "nd2nz",
    "DataCopyParams": "copy",
    "LoadData2DParams": "load2d",
    "LoadData2DParamsV2": "load2dv2",
    "FixpipeParamsV220": "fixpipe",
}
SHORT = {"mStartPosition": "mStart", "kStartPosition": "kStart"}


def in_short(moved: Transfer, recorded_calls: list[Any]) -> list[Any]:
    """Our first calls, with the fields that the recorded ones have."""
    out: list[Any] = []
    for call, theirs in zip(moved.calls, recorded_calls, strict=False):
        kind = STRUCTS[type(call.params).__name__]
        fields = {SHORT.get(name, name): value for name, value in call.params._asdict().items()}
        shown = {name: int(fields[name]) for name in theirs.get(kind, ())}
        out.append({"name": call.name, "dst_elem": call.dst, "src_elem": call.src, kind: shown})
    return out


@pytest.mark.parametrize("op", ["gm_l1", "l1_l0a", "l1_l0b", "l0c_gm"])
def test_rows_of_catlass(op: str) -> None:
    differing = []
    for row in rows("catlass_tla.jsonl", f"tile_copy_{op}"):
        whole = tuple(row["l1"]) if "l1" in row else (row["rows"], row["cols"])
        tile, at = tuple(row["tile"]), tuple(row["coord"])
        told: dict[str, Any] = {"arch": recorded.ARCH[row["arch"]], "element": row["element"], "at": at}
        if op == "l0c_gm":
            cut = [min(t, n - c) for t, n, c in zip(tile, whole, at, strict=True)]
            src, dst = make_layout("float", "L0C", *cut), make_layout(row["element"], row["dst"], *whole)
            moved = l0c_to_gm(src, dst, **told)
        else:
            src = make_layout(row["element"], row["src"], *whole)
            moved = recorded.ROUTES[op.replace("_", "-")](src, row["dst"], tile=tile, **told)
        if (moved.count, in_short(moved, row["calls"])) != (row["n_calls"], row["calls"]):
            differing.append((row["arch"], row["src"], *whole))
    # 3510 from nZ of 70000 columns: the difference of the table, recorded there too
    assert differing == ([(3510, "nZ", 64, 70000)] if op == "gm_l1" else [])
