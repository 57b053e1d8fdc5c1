"""XLA's own parser, printer and validator of shapes, in jaxlib, on generated and mutated texts.

XLA ends its process on some texts, so it is asked in a child process; that counts as a refusal.
The child runs in the interpreter that the environment names in TLA_JAXLIB_PYTHON, or in this one.
Longer runs: python tests/peers/test_jaxlib_shapes.py COUNT [SEED]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from random import Random

import pytest

from tla import LayoutError, TlaError
from tla.ground.dtypes import ELEMENT_TYPES
from tla.xla_bridge import AnyShape, parse_shape

_PYTHON = os.environ.get("TLA_JAXLIB_PYTHON", sys.executable)
_ROWS = Path(__file__).parent.parent / "data" / "xla_shape_strings.jsonl"
_CHILD = """
import json, sys
from jaxlib import _hlo
for line in sys.stdin:
    try:
        answer = str(_hlo.Shape(json.loads(line)))
    except Exception:
        answer = None
    print(json.dumps(answer), flush=True)
"""


class Xla:
    """XLA in a child process, started again when it has died."""

    def __init__(self) -> None:
        self.child: subprocess.Popen[str] | None = None

    def __call__(self, text: str) -> str | None:
        """What XLA prints of a shape's text; None where it refuses it or dies."""
        if self.child is None:
            pipe = subprocess.PIPE
            self.child = subprocess.Popen(
                [_PYTHON, "-c", _CHILD], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
            )
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.child.stdin.write(json.dumps(text) + "\n")
        self.child.stdin.flush()
        line = self.child.stdout.readline()
        if line:
            answer: str | None = json.loads(line)
            return answer
        self.close()
        return None

    def close(self) -> None:
        if self.child is not None:
            self.child.kill()
            self.child.communicate()
            self.child = None


# --- texts ---

_INTS = """
    0 1 -1 127 128 255 256 4294967296 9223372036854775807 9223372036854775808 -9223372036854775808
    -9223372036854775809 18446744073709551615 18446744073709551616 99999999999999999999999 008 -0 2.5
    1e3 2x3
"""
_WORDS = """
    { } ( ) [ ] , : * # + ~ ? <= - ; < > % = _ . /*c*/ /* */ // D T L E S SC P M b b( T(2) L(4) #(u8)
    *(u16) E(4) S(1) SC(0:1) P(f32[]) M(3) D(D) H+ C~ f32 f32[] () token[] opaque[] tuple F32 s4 pred
    inf nan 8_8 bf_io->bf \N{ARABIC-INDIC DIGIT THREE}
"""
_EDGES = _INTS.split()
_PIECES = [*_WORDS.split(), " ", "\t", "\n", "\r", "\0", "// x\n", "// x\r", *_EDGES]
_TYPES = [*ELEMENT_TYPES, "f32", "f32", "bf16"]


def some_int(random: Random, *usual: int) -> str:
    return random.choice(_EDGES) if random.random() < 0.04 else str(random.choice(usual))


def ints(random: Random, least: int, *usual: int) -> str:
    return ",".join(some_int(random, *usual) for _i in range(random.randint(least, 3)))


def attributes(random: Random, rank: int) -> str:
    """Each attribute now and then, in XLA's order, and mostly whole."""
    tiles = ["T" + "".join(f"({tile(random)})" for _i in range(random.randint(1, 3)))]
    splits = "".join(
        f"({some_int(random, *range(rank + 1))}:{ints(random, 0, 1, 2, 3)})"
        for _i in range(random.randint(1, 2))
    )
    written = [
        (0.05, f"D({','.join(random.choice(['D', 'D', 'C+', 'S~', 'H+~']) for _i in range(rank))})"),
        (0.5, random.choice(tiles)),
        (0.2, f"L({some_int(random, 1, 2, 1024)})"),
        (0.04, f"#({random.choice(_TYPES)})"),
        (0.04, f"*({random.choice(_TYPES)})"),
        (0.2, f"E({some_int(random, 0, 4, 16, 32)})"),
        (0.3, f"S({some_int(random, 0, 1, 5)})"),
        (0.15, f"SC{splits}"),
        (0.01, "P(f32[])"),
        (0.1, f"M({some_int(random, 0, 4, 8)})"),
    ]
    return "".join(text for share, text in written if random.random() < share)


def tile(random: Random) -> str:
    entries = [some_int(random, 1, 2, 4, 8, 128) for _i in range(random.randint(1, 3))]
    return ",".join("*" if random.random() < 0.1 else entry for entry in entries)


def array(random: Random) -> str:
    rank = random.choice([0, 1, 1, 2, 2, 3, 4])
    dims = [
        random.choice(["", "", "", "", "<="]) + some_int(random, 1, 2, 3, 8, 128) for _i in range(rank)
    ]
    dims = ["?" if random.random() < 0.06 else dim for dim in dims]
    text = f"{random.choice(_TYPES)}[{','.join(dims)}]"
    if random.random() < 0.2:
        return text
    order = [str(i) for i in random.sample(range(rank), rank)]
    if rank and random.random() < 0.05:
        order[random.randrange(rank)] = some_int(random, 0, 1, 2, 3)
    behind = attributes(random, rank)
    return f"{text}{{{','.join(order)}{':' + behind if behind else ''}}}"


def shape(random: Random, depth: int = 0) -> str:
    kind = random.random()
    if kind < 0.75 or depth == 3:
        return array(random)
    if kind < 0.82:
        return f"b({shape(random, depth + 1) if random.random() < 0.1 else array(random)})"
    return f"({', '.join(shape(random, depth + 1) for _i in range(random.choice([0, 1, 2, 3, 7])))})"


def mutated(random: Random, text: str) -> str:
    """A text after one to three edits, mostly one, of a character or a piece."""
    for _i in range(random.choice([1, 1, 1, 2, 3])):
        at = random.randint(0, len(text))
        kind = random.randrange(4)
        if kind == 0:
            text = text[:at] + text[at + random.randint(1, 3) :]
        elif kind == 1:
            text = text[:at] + random.choice(_PIECES) + text[at:]
        elif kind == 2:
            text = text[:at] + random.choice(_PIECES) + text[at + 1 :]
        else:
            stop = random.randint(at, len(text))
            text = text[:at] + text[at:stop] * 2 + text[stop:]
    return text


def texts(count: int, seed: int) -> list[str]:
    random = Random(seed)
    known = [json.loads(line)["text"] for line in _ROWS.read_text("utf-8").splitlines()]
    out: list[str] = []
    while len(out) < count:
        text = random.choice(known) if random.random() < 0.2 else shape(random)
        out.append(text if random.random() < 0.4 else mutated(random, text))
    return out


# --- comparing ---


def ours(text: str, mode: str) -> AnyShape | None:
    try:
        return parse_shape(text, mode)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    except TlaError:
        return None


def ends_in_a_star(value: AnyShape) -> bool:
    """The one thing that XLA's validator takes and `validate` does not."""
    return any(tile and tile[-1] == "*" for array in value.arrays() for tile in array.tiles)


def obeys(value: AnyShape) -> bool:
    try:
        value.validate()
    except LayoutError:
        return False
    return True


def difference(xla: Xla, text: str) -> str | None:
    """What differs between XLA and the three modes, if anything does."""
    theirs, in_tuple = xla(text), xla(f"({text}\n)")
    read = ours(text, "xla")
    if (None if read is None else str(read)) != theirs:
        return f"{text!r}: XLA {theirs}, mode 'xla' {read}"
    if read is not None and obeys(read) != (in_tuple is not None) and not ends_in_a_star(read):
        return f"{text!r}: XLA's validator {'refuses' if in_tuple is None else 'takes'} it"
    strict = ours(text, "strict")
    if strict is not None and (str(strict) != theirs or in_tuple is None or not obeys(strict)):
        return f"{text!r}: XLA {theirs}, in a tuple {in_tuple}, mode 'strict' {strict}"
    document = ours(text, "document")
    if document is not None and theirs is not None and str(document) != theirs:
        return f"{text!r}: XLA {theirs}, mode 'document' {document}"
    return None


def differences(count: int, seed: int) -> tuple[list[str], int]:
    """What differs on so many texts, and how many of them XLA reads."""
    xla = Xla()
    try:
        found = [difference(xla, text) for text in texts(count, seed)]
        read = sum(ours(text, "xla") is not None for text in texts(count, seed))
    finally:
        xla.close()
    return [text for text in found if text is not None], read


def test_reads_what_xla_reads() -> None:
    answer = subprocess.run([_PYTHON, "-c", "import jaxlib._hlo"], capture_output=True, check=False)
    if answer.returncode:
        pytest.skip("jaxlib is not installed")
    if not version("jaxlib").startswith("0.10."):
        pytest.skip("the rules of layouts are those of jaxlib 0.10; a later validator takes more")
    found, read = differences(2000, seed=0)
    assert found == []
    assert read > 500  # the texts are not all refused


if __name__ == "__main__":
    number = int(sys.argv[1])
    unequal, accepted = differences(number, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    print(*unequal[:40], sep="\n")
    print(f"{number} texts, {accepted} of them read by XLA, {len(unequal)} differences")
