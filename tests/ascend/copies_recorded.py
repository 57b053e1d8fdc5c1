"""The recorded copies of ``catlass_copies.jsonl``: CATLASS's headers, run on a host, and ours beside.

A row has the layouts by tag and size, the tile and its place; of the calls the first two and the last,
by their number ``i``, with the values of ``fields`` in order. ``ld`` is the leading dimension of the
matrix in global memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tla.ascend import Ascend950, AtlasA2, make_layout
from tla.ascend.copies import Transfer, gm_to_l1, l0c_to_gm, l1_to_bt, l1_to_l0a, l1_to_l0b
from tla.ascend.tags.mx import MX_SCALES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tla.ascend import Arch

ARCH = {2201: AtlasA2, 3510: Ascend950}
_ROOM: Any = dict.fromkeys(("l1", "l0a", "l0b", "l0c"), 1 << 20)
ROOMY = {code: core.replaced(name=f"roomy {core}", **_ROOM) for code, core in ARCH.items()}
"""The cores with room for every recorded tile: the headers do not look how large a buffer is."""
ROUTES: dict[str, Any] = {
    "gm-l1": gm_to_l1,
    "l1-l0a": l1_to_l0a,
    "l1-l0b": l1_to_l0b,
    "l0c-gm": l0c_to_gm,
    "l1-bt": l1_to_bt,
}
QUANT = ("NoQuant", "F322F16", "F322BF16")
SIDES = {"FMATRIX_LEFT": 0, "FMATRIX_RIGHT": 1}


def layout(row: dict[str, Any], tag: str, sizes: tuple[int, int], whole: bool = False) -> Any:
    """A layout of a row by its tag: the whole matrix, or a tile."""
    if tag in MX_SCALES:
        return MX_SCALES[tag](*sizes)
    options: dict[str, Any] = {}
    if whole and tag in ("RowMajor", "ColumnMajor"):
        options["ld"] = row["ld"]
    if tag.startswith("Padding"):
        options["block"] = tuple(row["block"])
    sizes_taken = sizes[1:] if tag == "VectorLayout" else sizes
    return make_layout("float" if tag == "L0C" else row["element"], tag, *sizes_taken, **options)


def transfer(row: dict[str, Any], cores: Mapping[int, Arch] = ROOMY) -> Transfer:
    """Our calls for a row."""
    whole, tile, at = (row["rows"], row["cols"]), tuple(row["tile"]), tuple(row["at"])
    told: dict[str, Any] = {"arch": cores[row["arch"]], "element": row["element"], "at": at}
    if row["route"] == "l0c-gm":
        cut = tuple(min(t, n - c) for t, n, c in zip(tile, whole, at, strict=True))
        sums, c = layout(row, "L0C", (cut[0], cut[1])), layout(row, row["dst"], whole, True)
        return l0c_to_gm(sums, c, dst_tag=row["dst"], **told)
    if row["src"] == "VectorLayout":
        told["at"] = at[1:]
    if row["route"] != "l1-bt":
        told.update(src_tag=row["src"], dst_tag=row["dst"])
    if "scales" in row:
        is_a, pair = row["route"] == "l1-l0a", (-(-whole[0] // 32), -(-whole[1] // 32))
        sizes = (whole[0], pair[1]) if is_a else (pair[0], whole[1])
        told["scales"] = MX_SCALES["MxScalezZ" if is_a else "MxScalenN"](*sizes)
    src, dst = layout(row, row["src"], whole, True), layout(row, row["dst"], (tile[0], tile[1]))
    moved: Transfer = ROUTES[row["route"]](src, dst, **told)
    return moved


def as_recorded(row: dict[str, Any]) -> bool:
    """Whether ours are CATLASS's calls: their number, and each number of those that are recorded."""
    ours = transfer(row)
    if ours.count != row["n_calls"] or _setting(ours) != row.get("setting"):
        return False
    if "scales" in row and (ours.scales is None or list(ours.scales) != row["scales"]):
        return False
    return all(_call(ours, theirs, row["fields"]) for theirs in row["calls"])


def _call(ours: Transfer, theirs: dict[str, Any], fields: list[str]) -> bool:
    call = ours.calls[theirs["i"]]
    params = call.params._asdict()
    if "quantPre" in params:
        params["quantPre"] = QUANT.index(params["quantPre"])
    place = (theirs["name"], theirs["dst"], theirs["src"])
    return (call.name, call.dst, call.src) == place and [int(params[name]) for name in fields] == theirs[
        "params"
    ]


def _setting(ours: Transfer) -> list[Any] | None:
    if ours.setting is None:
        return None
    name, arguments = ours.setting
    if name == "SetFmatrix":
        return [name, *arguments[:2], SIDES[str(arguments[3])]]
    return [name, *arguments[:2]]


def case(row: dict[str, Any]) -> str:
    """What tells a row from others, in the table of differences."""
    tile, at = ",".join(map(str, row["tile"])), ",".join(map(str, row["at"]))
    whole = f"{row['src']}<{row['element']}>({row['rows']},{row['cols']})"
    return f"{row['arch']} {row['route']} {whole} to {row['dst']}({tile}) at ({at})"
