"""Atoms: the rows of the oracle, what each layout covers, names, tensor-layouts where it has them."""

from hashlib import sha256
from typing import Any

import pytest
from cases import over
from oracle import rows

from tla import AnyLayout, Layout, LayoutError, filter_zeros, is_injective, nZ, parse, zN, zZ
from tla.gpu import MmaAtom, atoms, copy_atoms

FILE = "cute_atoms.jsonl"
LAYOUTS = {row["n"]: row for row in rows(FILE, "layout")}
MMA = ("thr", "a", "b", "c", "sfa", "sfb", "e")
COPY = ("thr", "src", "dst", "ref")


def agrees(atom: Any, fields: tuple[str, ...], numbers: list[int]) -> None:
    """The layouts of an atom are written as CuTe writes them."""
    for field, number in zip(fields, [*numbers, *[-1] * len(fields)], strict=False):
        layout = getattr(atom, field)
        wanted = LAYOUTS[number]["text"] if number >= 0 else "None"
        if wanted == "((4,8),(32,2)):((512,1),((16,8)))":
            wanted = "((4,8),(32,2)):((512,1),(16,8))"  # shape and stride are not congruent in CuTe
        assert str(layout).replace("_", "") == wanted, field


def assert_source(row: Any, source: str) -> None:
    """The header is the one of the row; a header and its extension are named together."""
    stem = row["source"].removesuffix(".hpp").removesuffix("_ext")
    assert f"/{stem}.hpp" in source


@over("row", rows(FILE, "mma_atom"))
def test_mma_rows_of_the_oracle(row: Any) -> None:
    atom = atoms[row["name"]]
    assert list(atom.shape_mnk) == row["mnk"]
    agrees(atom, MMA, row["of"])
    assert list(atom.types[: len(row["types"])]) == row["types"]
    assert bool(atom.types.e) == (len(row["types"]) == 5)
    assert bool(atom.types.sf) == ("ue" in row["name"])
    assert_source(row, atom.source)


@over("row", rows(FILE, "copy_atom"))
def test_copy_rows_of_the_oracle(row: Any) -> None:
    atom = copy_atoms[row["name"]]
    agrees(atom, COPY, row["of"])
    if "tma" not in row["source"]:
        assert_source(row, atom.source)


def fnv(layout: AnyLayout) -> str:
    """FNV-1a-64 of the offsets, as 32 bits each, the low byte first, from the basis of the recording."""
    state = 1469598103934665603
    for index in range(layout.size):
        for byte in layout(index).to_bytes(4, "little"):
            state = (state ^ byte) * 0x100000001B3 % 2**64
    return f"{state:016x}"


@over("row", [r for r in rows(FILE, "layout") if r["fnv"] and parse(r["text"]).size <= 512])
def test_offsets_of_the_oracle(row: Any) -> None:
    assert fnv(parse(row["text"])) == row["fnv"]


def times(layout: AnyLayout, elements: int) -> int:
    """How often a layout reaches each of so many elements; 0 if not all, or not all as often.

    A mode of stride 0 repeats what the others reach. These reach each element once if there are as many
    coordinates as elements, no offset twice, and none past the last.
    """
    once = filter_zeros(layout)
    covers = once.size == layout.cosize == elements and is_injective(once)
    return layout.size // elements if covers else 0


def test_each_operand_covers_its_tile() -> None:
    """Registers hold each element once; 128 threads read an operand of `wgmma` in shared memory."""
    seen: set[Any] = set()
    for name in atoms:
        atom = atoms[name]
        key = (atom.shape_mnk, atom.a, atom.b, atom.c, atom.sfa, atom.sfb, atom.e)
        if key in seen:
            continue
        seen.add(key)
        m, n, k = atom.shape_mnk
        readers = 128 if atom.thr.size == 128 else 1
        if name.startswith("RDNA3"):  # every 16 lanes hold A and B
            readers = atom.thr.size // 16
        assert times(atom.a, m * k) == (1 if "_RS" in name else readers), name
        assert times(atom.b, n * k) == readers, name
        assert times(atom.c, m * n) == 1, name
        if atom.sfa is not None and atom.sfb is not None:
            # pairs of threads, and all four of a row, hold the same factors
            assert (times(atom.sfa, m * k), times(atom.sfb, n * k)) == (2, 4), name
        if atom.e is not None:
            # of elements of 16 or 32 bits, two of the four threads of a row hold the same metadata
            assert times(atom.e, m * k) == (2 if m == 64 and k < 64 else 1), name
    assert len(seen) > 500


def test_the_malformed_layout_of_cute() -> None:
    """CuTe writes a stride ((16,8)) for an extent (32,2). Thread 0 holds 32 columns of rows 0 and 8."""
    for name in ("SM80_16x8x128_S32U1U1S32_TN_XORPOPC", "SM80_16x8x128_S32U1U1S32_TN_ANDPOPC"):
        a = atoms[name].a
        held = {divmod(a(0, value), 16)[::-1] for value in range(64)}
        assert held == {(row, column) for row in (0, 8) for column in range(32)}


def test_what_is_read_is_what_is_written() -> None:
    """Both sides reach every bit; the registers, and what one thread moves, reach each once."""
    seen: set[Any] = set()
    for name in copy_atoms:
        atom = copy_atoms[name]
        key = (atom.src, atom.dst)
        if key in seen:
            continue
        seen.add(key)
        assert atom.ref in (atom.src, atom.dst)
        if "UTCCP_4dp" in name:  # every 32nd lane
            assert atom.src == atom.dst
            assert is_injective(filter_zeros(atom.src))
            continue
        read, written = times(atom.src, atom.src.cosize), times(atom.dst, atom.dst.cosize)
        assert 0 not in (read, written), name
        if "UTCCP" in name:
            blocks = atom.thr.size
            assert atom.dst.cosize == read // blocks * atom.src.cosize, (
                name
            )  # each bit goes to several lanes
        else:
            assert atom.src.cosize == atom.dst.cosize, name
            assert 1 in (read, written), name
    assert len(seen) > 80


@pytest.mark.parametrize(
    "name",
    [
        "SM90_64x64x16_F16F16F16_RS< GMMA::Major::K,\tMajor::K >",
        "cute::SM90_64x64x16_F16F16F16_RS",
        "SM90::GMMA::MMA_64x64x16_F16F16F16_RS<GMMA::Major::K,GMMA::Major::MN,GMMA::ScaleIn::Neg>",
        "SM90::MMA_16x8x4_F64F64F64F64_TN",
        "SM120_16x8x32_TN<float_e2m1_t, float_e5m2_t, half_t>",
        "SM100_MMA_F16BF16_TS_SCALED<complex<half_t>,complex<half_t>,float,128,64,Major::K,Major::K,3>",
        "SM100_MMA_F16BF16_SS<cutlass::half_t, half_t, float, 128, 64, Major::MN, UMMA::Major::K>",
    ],
)
def test_other_ways_to_write_a_name(name: str) -> None:
    assert name in atoms
    assert atoms[name].name == "".join(name.split()).replace("cute::", "").replace("cutlass::", "")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("SM90_64x64x16_F16F16F16_RS<GMMA::Major::MN,GMMA::Major::K>", "SM90_64x64x16_F16F16F16_RS"),
        ("SM90_64x260x16_F16F16F16_SS", "SM90_64x240x16_F16F16F16_SS"),
        ("SM80_16x8x16_F32F16F16F32_NT", "SM80_16x8x16_F32F16F16F32_TN"),
        ("", "Iterate"),
    ],
)
def test_a_name_that_is_not_there(name: str, near: str) -> None:
    assert name not in atoms
    with pytest.raises(LayoutError, match=near):
        atoms[name]


def test_names_lead_to_themselves() -> None:
    for catalogue in (atoms, copy_atoms):
        names = list(catalogue)
        assert len(set(names)) == len(names) == len(catalogue)
        assert all(catalogue[name].name == name for name in names[::37])
        assert len(names) not in catalogue  # type: ignore[comparison-overlap]


@over("row", rows("amd_lanes.jsonl", "amd"))
def test_rows_of_the_matrix_instruction_calculator(row: Any) -> None:
    """The elements of A, B and D by value, then by lane, as AMD's calculator gives them."""
    atom = atoms[row["name"]]
    assert (
        atom.thr.size
        == atom.thr.cosize
        == (32 if "RDNA" in row["name"] and "64" not in row["name"] else 64)
    )
    for layout, wanted in zip((atom.a, atom.b, atom.c), row["a_b_d"], strict=True):
        text = ",".join(str(layout(index)) for index in range(layout.size))
        assert sha256(text.encode()).hexdigest()[:16] == wanted


def test_the_bits_of_a_copied_type() -> None:
    widths = {"double": 64, "float": 32, "half_t": 16, "int": 32, "int64_t": 64, "complex<double>": 128}
    widths |= {f"{sign}int{n}_t": n for sign in ("", "u") for n in (8, 16, 32, 64)} | {"uint256_t": 256}
    widths |= {"complex<half_t>": 32, "complex<tfloat32_t>": 64, "uint1b_t": 1, "float_e5m2_t": 8}
    for element, bits in widths.items():
        assert copy_atoms[f"UniversalCopy<{element}>"].src.size == bits
    atom = copy_atoms["UniversalCopy<uint64_t,uint32_t>"]
    assert (atom.src.size, atom.dst.size, atom.ref) == (64, 32, atom.src)


def test_the_fractals_of_ascend() -> None:
    """A lies as a block of zZ, B as one of nZ (here N x K), C as one of zN."""
    for bits, name in (
        (16, "ASCEND_16x16x16_F32F16F16_MMAD"),
        (32, "ASCEND_16x16x8_F32F32F32_MMAD"),
        (8, "ASCEND_16x16x32_S32S8S8_MMAD"),
        (4, "ASCEND_16x16x64_S32S4S4_MMAD"),
    ):
        atom, c0 = atoms[name], 256 // bits
        assert atom.shape_mnk == (16, 16, c0)
        block = nZ(c0, 16, (c0, 16))
        transposed = Layout(block.shape[::-1], block.stride[::-1])
        for layout, rows_, columns, offset in (
            (atom.a, 16, c0, zZ(16, c0, (16, c0))),
            (atom.b, 16, c0, transposed),
            (atom.c, 16, 16, zN(16, 16, (16, 16))),
        ):
            places = {offset(r, c): r + 16 * c for r in range(rows_) for c in range(columns)}
            assert [layout(0, value) for value in range(16 * columns)] == [
                places[value] for value in range(16 * columns)
            ]


def test_the_lanes_of_tensor_layouts() -> None:
    """It counts the lanes of AMD's atoms the other way: lane 1 of A is row 0 there, row 1 here."""
    theirs = pytest.importorskip("tensor_layouts.atoms_amd")
    name = "CDNA_32x32x8_F32F16F16_MFMA"
    other = getattr(theirs, name)
    assert (atoms[name].a(1, 0), other.a_layout(1, 0)) == (1, 0)
    absent = [n for n, x in vars(theirs).items() if isinstance(x, theirs.MMAAtom) and n not in atoms]
    # several blocks at once; and shapes that RDNA 4 does not have
    assert [n for n in absent if not n.startswith("RDNA4_16x16x")] == [
        "CDNA_4x4x4_F32F16F16_MFMA", "CDNA_32x32x4_F32F16F16_MFMA", "CDNA_16x16x4_F32F16F16_MFMA",
    ]  # fmt: skip


def test_tensor_layouts() -> None:
    """Where tensor-layouts has the atom of NVIDIA too, it agrees, except for one stride."""
    theirs = pytest.importorskip("tensor_layouts.atoms_nv")
    shared = 0
    for name, other in vars(theirs).items():
        if isinstance(other, theirs.MMAAtom) and name in atoms:
            atom: MmaAtom = atoms[name]
            shared += 1
            assert atom.shape_mnk == other.shape_mnk
            for mine, their in (
                (atom.a, other.a_layout),
                (atom.b, other.b_layout),
                (atom.c, other.c_layout),
            ):
                if name == "SM80_16x8x32_S32S4S4S32_TN" and mine is atom.b:
                    # thread 1 holds columns 8 to 15 of row 0; there, columns 4 to 11
                    assert (mine(1, 0), their(1, 0)) == (64, 32)
                    continue
                same = str(their).replace(" ", "") == str(mine).replace("_", "")
                sizes = mine.size <= 4096
                assert same or (
                    sizes and [mine(i) for i in range(mine.size)] == [their(i) for i in range(mine.size)]
                )
    assert shared > 50
