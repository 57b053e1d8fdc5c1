"""A long fuzz of shapes that follow from operands: random instructions, here and in jaxlib.

    python tests/fuzz_inference.py --count 5000 --seed 99

Each instruction stands in a module without the shape of its result. Both readers infer it, or both
refuse. Some instructions are changed at random, so that many do not fit. jaxlib ends the process at some
of these; such a text is left out and counted.

XLA's parser infers no shape for some ops that its shape inference knows, such as a slice. `ELSEWHERE`
lists these; there the shape is that of the definition, and tests/hlo/test_inference.py has it.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from tla.errors import ParseError
from tla.hlo import OPCODES, read_module
from tla.hlo.inference import _TWO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TYPES = ["f32", "bf16", "f16", "f64", "s32", "u8", "s8", "u32", "pred", "c64", "c128"]

COMPUTATIONS = """\
sum_f32 { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
sum_bf16 { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT s = bf16[] add(a, b) }
sum_s32 { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] add(a, b) }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = pred[] compare(a, b), direction=LT }
less_s32 { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = pred[] compare(a, b), direction=LT }
both { a = f32[] parameter(0) b = s32[] parameter(1) c = f32[] parameter(2) d = s32[] parameter(3)
  ROOT t = (f32[], s32[]) tuple(a, b) }
negative { a = f32[4,8] parameter(0) ROOT s = f32[4,8] negate(a) }
swapped { a = f32[4,8] parameter(0) ROOT s = f32[8,4] transpose(a), dimensions={1,0} }
again { a = f32[4,8] parameter(0) ROOT s = pred[] constant(true) }
one { a = f32[] parameter(0) ROOT s = f32[] negate(a) }
"""

_ELSEWHERE = (
    "slice dynamic-slice dynamic-update-slice opt-barrier fusion broadcast all-reduce all-reduce-start"
    " all-reduce-done send-done collective-permute collective-permute-done collective-broadcast"
    " copy-done all-gather-done async-done outfeed reduce-precision scaled-dot"
)
ELSEWHERE = frozenset(_ELSEWHERE.split())


class Case(NamedTuple):
    """An instruction: the shapes of its operands, and its attributes."""

    opcode: str
    operands: list[str]
    attributes: str = ""

    def text(self) -> str:
        lines = "".join(f"  p{i} = {s} parameter({i})\n" for i, s in enumerate(self.operands))
        names = ", ".join(f"p{i}" for i in range(len(self.operands)))
        comma = ", " if self.attributes else ""
        root = f"  ROOT r = {self.opcode}({names}){comma}{self.attributes}\n"
        return f"HloModule m\n{COMPUTATIONS}ENTRY e {{\n{lines}{root}}}\n"


class Draw:
    """Random instructions of one generator."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def dims(self, low: int = 0, high: int = 4) -> list[int]:
        return [self.rng.choice([1, 2, 3, 4, 6, 8]) for _ in range(self.rng.randint(low, high))]

    def one(self, *words: str) -> str:
        return self.rng.choice(words or TYPES)

    def some(self, rank: int, count: int | None = None) -> list[int]:
        n = self.rng.randint(0, rank) if count is None else min(count, rank)
        return self.rng.sample(range(rank), n)

    def case(self, opcode: str) -> Case:
        r, t, d = self.rng, self.one(), self.dims()
        x = array(t, d)
        rank = len(d)
        if opcode in _TWO.split():
            other = d
            if r.random() < 0.2:
                other = [] if r.random() < 0.4 else [r.choice((size, 1)) for size in d]
            direction = "direction=LT" if opcode == "compare" else ""
            return Case(opcode, [x, array(self.one("f32", t, t), other)], direction)
        if opcode in ("select", "clamp"):
            first = "pred" if opcode == "select" else t
            edge = array(t, d if r.random() < 0.7 else [])
            if opcode == "clamp":
                return Case(opcode, [edge, x, edge])
            return Case(opcode, [array(first, d), x, array(self.one(t, t, "bf16"), d)])
        if opcode in ("transpose", "reverse"):
            count = rank if opcode == "transpose" else None
            return Case(opcode, [x], f"dimensions={{{commas(self.some(rank, count))}}}")
        if opcode == "concatenate":
            i = r.randrange(rank) if rank else 0
            arrays = [array(t, [*d[:i], r.randint(1, 4), *d[i + 1 :]]) for _ in range(r.randint(1, 3))]
            return Case(opcode, arrays, f"dimensions={{{i}}}")
        if opcode == "pad":
            d = d or [4]
            parts = [f"{r.randint(-2, 3)}_{r.randint(-2, 3)}" + r.choice(("", "_1", "_2")) for _ in d]
            return Case(opcode, [array(t, d), array(t, [])], f"padding={'x'.join(parts)}")
        if opcode in ("reduce", "reduce-window", "map", "select-and-scatter"):
            return self.reduction(opcode)
        if opcode == "gather":
            return self.gather()
        if opcode == "scatter":
            return self.scatter()
        if opcode in ("dot", "ragged-dot", "scaled-dot"):
            return self.dot(opcode)
        if opcode == "convolution":
            return self.convolution()
        if opcode == "fft":
            n = r.randint(1, 3)
            d = self.dims(n, 4)
            kind = self.one("FFT", "IFFT", "RFFT", "IRFFT")
            lengths = d[-n:]
            if kind == "IRFFT":
                lengths = [*lengths[:-1], 2 * (lengths[-1] - 1) + r.randint(0, 1)]
            name = self.one("f32", "f64") if kind == "RFFT" else self.one("c64", "c128")
            return Case(opcode, [array(name, d)], f"fft_type={kind}, fft_length={{{commas(lengths)}}}")
        if opcode in ("cholesky", "triangular-solve"):
            name, n, batch = self.one("f32", "f64", "c64"), r.randint(1, 4), self.dims(0, 2)
            a = array(name, [*batch, n, n])
            if opcode == "cholesky":
                return Case(opcode, [a], "lower=true")
            left = r.random() < 0.5
            b = array(name, [*batch, *((n, 3) if left else (3, n))])
            options = f"left_side={str(left).lower()}, lower=true, transpose_a=NO_TRANSPOSE"
            return Case(opcode, [a, b], options)
        if opcode.startswith("batch-norm"):
            d = d or [3]
            i = r.randrange(len(d))
            name = self.one("f32", "bf16")
            each = array(name, [d[i]])
            count = {"training": 2, "inference": 4, "grad": 3}[opcode.rpartition("-")[2]]
            others = [each] * count + [array(name, d)] * opcode.endswith("grad")
            return Case(opcode, [array(name, d), *others], f"epsilon=0.001, feature_index={i}")
        if opcode == "sort":
            d = d or [4]
            arrays = [array(self.one("f32", "s32"), d) for _ in range(r.randint(1, 3))]
            return Case(opcode, arrays, f"dimensions={{{r.randrange(len(d))}}}, to_apply=less")
        if opcode == "topk":
            d = d or [4]
            return Case(opcode, [array("f32", d)], f"k={r.randint(1, 5)}, largest=true")
        if opcode == "get-dimension-size":
            return Case(opcode, [x], f"dimensions={{{r.randrange(max(rank, 1))}}}")
        if opcode == "set-dimension-size":
            return Case(opcode, [x, "s32[]"], f"dimensions={{{r.randrange(max(rank, 1))}}}")
        if opcode == "tuple":
            return Case(opcode, [array(self.one(), self.dims()) for _ in range(r.randint(0, 3))])
        if opcode == "get-tuple-element":
            return Case(opcode, [f"({x}, s32[], ({x}))"], f"index={r.randint(0, 3)}")
        if opcode in ("call", "fusion"):
            name = self.one("negative", "sum_f32", "both", "swapped")
            operands = {"sum_f32": ["f32[]"] * 2, "both": ["f32[]", "s32[]"] * 2}.get(name, ["f32[4,8]"])
            key = "to_apply" if opcode == "call" else "kind=kLoop, calls"
            return Case(opcode, operands, f"{key}={name}")
        if opcode == "while":
            body = self.one("negative", "negative", "swapped")
            return Case(
                opcode, ["f32[4,8]"], f"condition={self.one('again', 'again', 'one')}, body={body}"
            )
        if opcode == "conditional":
            names = [self.one("negative", "negative", "swapped") for _ in range(2)]
            if r.random() < 0.5:
                branches = f"true_computation={names[0]}, false_computation={names[1]}"
                return Case(opcode, ["pred[]", "f32[4,8]", "f32[4,8]"], branches)
            names = names[: r.randint(1, 2)]
            branches = f"branch_computations={{{', '.join(names)}}}"
            return Case(opcode, ["s32[]", *["f32[4,8]"] * len(names)], branches)
        if opcode == "add-dependency":
            return Case(opcode, [x, "token[]"])
        if opcode == "after-all":
            return Case(opcode, ["token[]"] * r.randint(1, 2))
        if opcode == "domain":
            kind = "sharding"
            return Case(
                opcode, [x], f'domain={{kind="{kind}", entry={{replicated}}, exit={{replicated}}}}'
            )
        if opcode in ("replica-id", "partition-id"):
            return Case(opcode, [])
        return Case(opcode, [x])

    def reduction(self, opcode: str) -> Case:
        r = self.rng
        t = self.one("f32", "f32", "bf16", "s32")
        d = self.dims(1, 4)
        name = f"sum_{t}" if r.random() < 0.8 else self.one("sum_bf16", "sum_f32")
        if opcode == "map":
            return Case(
                opcode, [array(t, d)] * 2, f"dimensions={{{commas(range(len(d)))}}}, to_apply={name}"
            )
        if opcode == "reduce":
            dims = commas(self.some(len(d)))
            if r.random() < 0.3:
                arrays = [array("f32", d), array("s32", d), "f32[]", "s32[]"]
                return Case(opcode, arrays, f"dimensions={{{dims}}}, to_apply=both")
            init = array(self.one(t, t, "f32"), [])
            return Case(opcode, [array(t, d), init], f"dimensions={{{dims}}}, to_apply={name}")
        size = [r.randint(1, 3) for _ in d]
        fields = [f"size={'x'.join(map(str, size))}"]
        stride, low, high = [1] * len(d), [0] * len(d), [0] * len(d)
        if r.random() < 0.6:
            stride = [r.randint(1, 3) for _ in d]
            fields.append(f"stride={'x'.join(map(str, stride))}")
        if r.random() < 0.6:
            low, high = ([r.randint(-1, 2) for _ in d] for _ in range(2))
            fields.append(f"pad={'x'.join(f'{a}_{b}' for a, b in zip(low, high, strict=True))}")
        if opcode == "select-and-scatter":
            room = [x + a + b - s for x, a, b, s in zip(d, low, high, size, strict=True)]
            source = [n // s + 1 if n >= 0 else 0 for n, s in zip(room, stride, strict=True)]
            select = "less_s32" if t == "s32" else "less"
            attributes = f"window={{{' '.join(fields)}}}, select={select}, scatter={name}"
            return Case(opcode, [array(t, d), array(t, source), array(t, [])], attributes)
        for field in ("lhs_dilate", "rhs_dilate"):
            if r.random() < 0.3:
                fields.append(f"{field}={'x'.join(str(r.randint(1, 3)) for _ in d)}")
        return Case(
            opcode, [array(t, d), array(t, [])], f"window={{{' '.join(fields)}}}, to_apply={name}"
        )

    def gather(self) -> Case:
        r = self.rng
        d, s = self.dims(1, 4), self.dims(0, 3)
        collapsed = sorted(self.some(len(d)))
        sizes = [1 if i in collapsed else r.randint(1, size) for i, size in enumerate(d)]
        to = self.some(len(d), r.randint(0, len(d)))
        vector = r.randint(0, len(s))
        whole = [*s[:vector], len(to), *s[vector:]]
        if len(to) == 1 and vector == len(s) and r.random() < 0.5:
            whole = s
        rank = len(s) + len(d) - len(collapsed)
        offset = sorted(r.sample(range(rank), len(d) - len(collapsed)))
        attributes = (
            f"offset_dims={{{commas(offset)}}}, collapsed_slice_dims={{{commas(collapsed)}}},"
            f" start_index_map={{{commas(to)}}}, index_vector_dim={vector},"
            f" slice_sizes={{{commas(sizes)}}}"
        )
        return Case("gather", [array(self.one(), d), array("s32", whole)], attributes)

    def scatter(self) -> Case:
        r = self.rng
        d, s = self.dims(1, 3), self.dims(0, 2)
        inserted = sorted(self.some(len(d)))
        window = [r.randint(1, size) for i, size in enumerate(d) if i not in inserted]
        to = self.some(len(d), r.randint(0, len(d)))
        vector = r.randint(0, len(s))
        places = sorted(r.sample(range(len(s) + len(window)), len(window)))
        inner, outer = iter(window), iter(s)
        updates = [next(inner if i in places else outer) for i in range(len(s) + len(window))]
        t = self.one("f32", "bf16", "s32")
        attributes = (
            f"update_window_dims={{{commas(places)}}}, inserted_window_dims={{{commas(inserted)}}},"
            f" scatter_dims_to_operand_dims={{{commas(to)}}}, index_vector_dim={vector},"
            f" to_apply=sum_{t}"
        )
        starts = array("s32", [*s[:vector], len(to), *s[vector:]])
        return Case("scatter", [array(t, d), starts, array(t, updates)], attributes)

    def dot(self, opcode: str) -> Case:
        r = self.rng
        t, u = self.one("f32", "bf16", "s8", "s32"), self.one("f32", "bf16", "s8", "u8", "c64")
        parts = [self.dims(0, 2) for _ in range(4)]  # batch, contracted, free of both sides
        sides, numbers = [], []
        for free in parts[2:]:
            sizes = [*parts[0], *parts[1], *free]
            order = r.sample(range(len(sizes)), len(sizes))
            sides.append([sizes[i] for i in order])
            at = [order.index(i) for i in range(len(sizes))]
            numbers.append((at[: len(parts[0])], at[len(parts[0]) : len(parts[0]) + len(parts[1])]))
        text = ", ".join(
            f"{side}_batch_dims={{{commas(b)}}}, {side}_contracting_dims={{{commas(c)}}}"
            for side, (b, c) in zip(("lhs", "rhs"), numbers, strict=True)
        )
        operands = [array(t, sides[0]), array(self.one(t, t, u), sides[1])]
        if opcode == "scaled-dot":
            operands += operands
        if opcode == "ragged-dot":
            count = r.randint(1, 3)
            lhs = len(sides[0])
            text += f", lhs_ragged_dims={{{r.randrange(max(lhs, 1))}}}"
            if r.random() < 0.6:
                text += f", rhs_group_dims={{{len(sides[1])}}}"
                operands[1] = array(t, [*sides[1], count])
            operands.append(array("s32", [count]))
        return Case(opcode, operands, text)

    def convolution(self) -> Case:
        r = self.rng
        spatial = r.randint(0, 3)
        digits = [str(i) for i in range(spatial)]
        labels = [[*digits, *ends] for ends in ("bf", "io", "bf")]
        for each in labels:
            r.shuffle(each)
        g, n = r.choice(((1, 1), (2, 1), (1, 2), (3, 1)))
        size = {label: r.randint(3, 8) for label in digits}
        kernel = {label: r.randint(1, 3) for label in digits}
        i, o = r.randint(1, 3), g * n * r.randint(1, 2)
        x = [{**size, "b": n * r.randint(1, 3), "f": i * g}[label] for label in labels[0]]
        k = [{**kernel, "i": i, "o": o}[label] for label in labels[1]]
        fields = [f"size={'x'.join(str(kernel[label]) for label in digits)}"] * bool(digits)
        for field in ("stride", "lhs_dilate", "rhs_dilate"):
            if digits and r.random() < 0.3:
                fields.append(f"{field}={'x'.join(str(r.randint(1, 2)) for _ in digits)}")
        if digits and r.random() < 0.3:
            fields.append(f"pad={'x'.join(f'{r.randint(0, 2)}_{r.randint(0, 2)}' for _ in digits)}")
        left, right, out = ("".join(each) for each in labels)
        text = f"window={{{' '.join(fields)}}}, " * bool(fields) + f"dim_labels={left}_{right}->{out}"
        text += f", feature_group_count={g}" * (g > 1) + f", batch_group_count={n}" * (n > 1)
        t = self.one("f32", "bf16")
        return Case("convolution", [array(t, x), array(self.one(t, t, "f32", "s32"), k)], text)

    def changed(self, case: Case) -> Case:
        """A case with another number, another type, or another number of operands."""
        r = self.rng
        operands, attributes = list(case.operands), case.attributes
        kind = r.random()
        if operands and kind < 0.4:
            i = r.randrange(len(operands))
            operands[i] = self.number(operands[i])
        elif operands and kind < 0.6:
            i = r.randrange(len(operands))
            operands[i] = re.sub(r"\b(pred|[sufc]\d+|bf16)\[", self.one() + "[", operands[i], count=1)
        elif attributes and kind < 0.9:
            attributes = self.number(attributes)
        elif operands and kind < 0.95:
            operands.pop()
        else:
            operands.append(operands[0] if operands else "f32[]")
        return Case(case.opcode, operands, attributes)

    def number(self, text: str) -> str:
        """A text with another number in brackets or after a sign."""
        places = list(re.finditer(r"(?<=[\[{,=x_])\d+(?=[\]},x_ ]|$)", text))
        if not places:
            return text
        m = self.rng.choice(places)
        return f"{text[: m.start()]}{self.rng.randint(0, 5)}{text[m.end() :]}"


def array(name: str, dims: list[int]) -> str:
    return f"{name}[{commas(dims)}]"


def commas(values: Iterable[object]) -> str:
    return ",".join(map(str, values))


def cases(seed: int, ops: list[str]) -> Iterator[Case]:
    draw = Draw(random.Random(seed))
    while True:
        for opcode in ops:
            case = draw.case(opcode)
            yield draw.changed(case) if draw.rng.random() < 0.4 else case


# --- the two readers ---

_WORKER = """\
import sys, re
from jaxlib import _hlo as hlo
for line in sys.stdin:
    try:
        text = str(hlo.hlo_module_from_text(eval(line)).to_string(hlo.HloPrintOptions()))
        print(re.search(r"ROOT %r = (.*?) [a-z][a-z0-9-]*[(]", text)[1], flush=True)
    except Exception as error:
        print("refused " + " ".join(str(error).split()), flush=True)
"""


class Jaxlib:
    """A process of jaxlib; it starts again where a text ends it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def answer(self, text: str) -> str:
        """The shape, or "refused" and the reason; "" where the process ends."""
        if self._process is None:
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(
                [sys.executable, "-c", _WORKER],
                stdin=pipe,
                stdout=pipe,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(repr(text) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip()
        if not answer:
            self.close()
        return answer

    def close(self) -> None:
        if self._process is not None:
            self._process.communicate()
            self._process = None


def ours(text: str) -> str:
    try:
        return str(read_module(text).entry.root.shape)
    except ParseError as error:
        return f"refused {error.summary}"


def compare(count: int, seed: int, ops: list[str] | None = None) -> tuple[Counter[str], list[str]]:
    """How many cases came out how, and those in which the two differ."""
    tally: Counter[str] = Counter()
    different: list[str] = []
    theirs = Jaxlib()
    known = ops or [
        each for each in OPCODES if each not in ELSEWHERE and each not in ("parameter", "constant")
    ]
    for case in islice(cases(seed, known), count):
        here, there = ours(case.text()), theirs.answer(case.text())
        if not there:
            tally["ended jaxlib"] += 1
        elif here.startswith("refused") and there.startswith("refused"):
            tally["refused"] += 1
        elif here == there:
            tally["inferred"] += 1
        else:
            tally["different"] += 1
            line = f"{case.opcode}({', '.join(case.operands)}), {case.attributes}"
            different.append(f"{line}\n  here:   {here}\n  jaxlib: {there}")
    theirs.close()
    return tally, different


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Infer shapes of random instructions, here and in jaxlib."
    )
    parser.add_argument("--count", type=int, default=5000, help="how many instructions")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the draws")
    parser.add_argument("--ops", nargs="*", help="only these ops")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    tally, different = compare(arguments.count, arguments.seed, arguments.ops)
    print(*different, sep="\n")
    print(dict(tally))
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
