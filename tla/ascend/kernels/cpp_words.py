# SPDX-License-Identifier: Apache-2.0
"""A context that writes C++: each word of a kernel becomes the call of AscendC or CATLASS that it names.

>>> words = CppWords("AtlasA2", "AIV0", 1)
>>> x = words.alloc("UB", "half", (256,))
>>> words.muls(x, x, 2.0, 256)
>>> words.set_flag("V_MTE3", words.block_idx % 2)
>>> for line in words.lines[1:]:
...     print(line)
AscendC::Muls(Data(ub), Data(ub), half(2.0), 256);
AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(AscendC::GetBlockIdx() % 2);

A number that only the run knows is a `Number`: C++ text with Python's operators.
"""

# ruff: noqa: E704 (operators, a line each)

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, NoReturn

from ...errors import UnsupportedError
from ...layouts import Tensor, is_layout, is_tensor, row_major
from ...numbers import is_tuple
from ..plans import gemm
from ..shapes import gemm_shape
from .contexts import Context
from .places import Store, byte_of, store_of
from .vectors import WITH_SCALAR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..arch import Arch

_BUFFERS: Final = {
    "L1": ("l1Buf", "L1"), "L0A": ("l0ABuf", "L0A"), "L0B": ("l0BBuf", "L0B"), "L0C": ("l0CBuf", "L0C"),
    "BT": ("btBuf", "Bias"), "UB": ("ubBuf", "UB"),
}  # fmt: skip
_FRACTALS: Final = ("zN", "nZ", "zZ")
_REDUCTIONS: Final = ("WholeReduceMax", "WholeReduceMin", "WholeReduceSum")


class Number:
    """An int or a bool that only the run knows: C++ text, in brackets where it needs them.

    >>> (Number("i") + 1) * 2, Number("i") // 4 < 3
    (<(i + 1) * 2>, <i / 4 < 3>)
    >>> 5 - Number("i"), (5 - Number("i")).is_natural
    (<5 - i>, False)
    """

    def __init__(self, text: str, is_natural: bool = True, binds: int = 9) -> None:
        self.text: str = text
        self.is_natural: bool = is_natural
        """Whether it is never negative: C++ divides those as Python does."""
        self.binds: int = binds

    def _with(self, sign: str, other: object, binds: int, is_left: bool = True) -> Number:
        if not isinstance(other, Number | int):
            return NotImplemented  # type: ignore[no-any-return]
        sides = [self, number_of(other)] if is_left else [number_of(other), self]
        is_natural = sign != "-" and all(side.is_natural for side in sides)
        if sign in ("/", "%") and not is_natural:  # C++ rounds a negative quotient to zero
            words = ", ".join(f"int64_t({side.text})" for side in sides)
            return Number(f"{'Quotient' if sign == '/' else 'Remainder'}({words})", is_natural=False)
        left, right = (
            f"({side.text})" if side.binds < binds + at else side.text for at, side in enumerate(sides)
        )
        return Number(f"{left} {sign} {right}", is_natural, binds)

    # fmt: off
    def __add__(self, x: object) -> Number: return self._with("+", x, 4)
    def __radd__(self, x: object) -> Number: return self._with("+", x, 4, False)
    def __sub__(self, x: object) -> Number: return self._with("-", x, 4)
    def __rsub__(self, x: object) -> Number: return self._with("-", x, 4, False)
    def __mul__(self, x: object) -> Number: return self._with("*", x, 5)
    def __rmul__(self, x: object) -> Number: return self._with("*", x, 5, False)
    def __floordiv__(self, x: object) -> Number: return self._with("/", x, 5)
    def __rfloordiv__(self, x: object) -> Number: return self._with("/", x, 5, False)
    def __mod__(self, x: object) -> Number: return self._with("%", x, 5)
    def __rmod__(self, x: object) -> Number: return self._with("%", x, 5, False)
    def __lt__(self, x: object) -> Any: return self.compared("<", x)
    def __le__(self, x: object) -> Any: return self.compared("<=", x)
    def __gt__(self, x: object) -> Any: return self.compared(">", x)
    def __ge__(self, x: object) -> Any: return self.compared(">=", x)
    def __eq__(self, x: object) -> Any: return self.compared("==", x)
    def __ne__(self, x: object) -> Any: return self.compared("!=", x)
    # fmt: on

    def compared(self, sign: str, other: object) -> Number:
        """A comparison, as C++ writes it."""
        return self._with(sign, other, 2)

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def _asked(self) -> NoReturn:
        raise UnsupportedError(f"{self.text} is known when the kernel runs, and is asked for before")

    def __bool__(self) -> bool:
        self._asked()

    def __int__(self) -> int:
        self._asked()

    def __index__(self) -> int:
        self._asked()

    def __repr__(self) -> str:
        return f"<{self.text}>"


def number_of(x: Number | int) -> Number:
    """Return a number, whatever knows it."""
    if isinstance(x, Number):
        return x
    return Number(str(x).lower() if isinstance(x, bool) else str(x), x >= 0, 9 if x >= 0 else 3)


def cpp(x: object) -> str:
    """Return a value as C++."""
    return number_of(x).text if isinstance(x, Number | int) else str(x)


def least(*parts: Number | int, word: str = "Least") -> Number:
    """Return the least of numbers; with ``Most`` the greatest."""
    first, *rest = parts
    made = number_of(first)
    for part in rest:
        other = number_of(part)
        sides = f"int64_t({made.text}), int64_t({other.text})"
        made = Number(f"{word}({sides})", made.is_natural and other.is_natural)
    return made


class Turns:
    """What a loop of the run goes over."""


class Tasks(Turns):
    """The blocks of a product that a core computes."""

    def __init__(self, swizzle: str, problem: Sequence[Number | int], tile: Sequence[int]) -> None:
        self.swizzle = swizzle
        self.problem = problem
        self.tile = tile


class Strided(NamedTuple):
    """A layout whose extents only the run knows."""

    shape: tuple[Any, ...]
    stride: tuple[Any, ...]


class BlockOfCpp(NamedTuple):
    """CATLASS's block of a product, in C++."""

    name: str
    is_tla: bool
    tags: tuple[str, str, str]

    def finish(self) -> None:
        """The blocks here leave nothing for the end."""


def _modes(x: Any) -> tuple[Any, ...]:
    return tuple(x) if is_tuple(x) else (x,)


def _u32(x: object) -> str:
    text = cpp(x)
    return f"{text}u" if text.isdecimal() else f"uint32_t({text})"


def _list(word: str, parts: Sequence[object]) -> str:
    return f"tla::Make{word}({', '.join(map(_u32, parts))})"


def _strides(parts: Sequence[object]) -> str:
    ones = ["tla::Int<1>{}" if part == 1 and not isinstance(part, Number) else f"int64_t({cpp(part)})"
            for part in parts]  # fmt: skip
    return f"tla::MakeStride({', '.join(ones)})"


class CppWords(Context):
    """A core whose words write C++ instead of issuing instructions."""

    def __init__(self, arch: str | Arch, core: str, block_num: int) -> None:
        super().__init__(arch, core, block_num)
        self.lines: list[str] = []
        self.indent: int = 0
        self.memories: dict[str, int] = {}
        """The bytes of workspaces."""
        self.names: Counter[str] = Counter()
        """How often each name is taken in the scopes around."""
        self.turns: int = 0
        """How many loops and conditions of the run are around."""
        self.runtime: set[str] = set()
        """The tensors whose extents only the run knows."""

    # --- text

    def say(self, line: str) -> None:
        """Write a line."""
        self.lines.append("    " * self.indent + line)

    def fresh(self, name: str) -> str:
        """Return a name that nothing else has."""
        name = f"{name}_" if name in _WORDS_OF_CPP.split() else name
        self.names[name] += 1
        return name if self.names[name] == 1 else f"{name}_{self.names[name]}"

    def declared(self, name: str, text: str, kind: str = "auto") -> str:
        """Declare a variable, and return its name."""
        made = self.fresh(name)
        self.say(f"{kind} {made} = {text};")
        return made

    def tensor(self, text: str, store: Store, rank: int, name: str = "tile") -> Any:
        """Declare a tensor that only the run knows."""
        made = self.declared(name, text)
        self.runtime.add(made)
        return Tensor(store._replace(owner=made, whole=None), row_major(*(1,) * rank))

    # --- cores

    @property
    def block_idx(self) -> Any:
        return Number("AscendC::GetBlockIdx()")

    @property
    def group_idx(self) -> Any:
        return self.block_idx if self.is_aic else self.block_idx // 2

    @property
    def sub_block_idx(self) -> Any:
        return self.block_idx % 2 if self.is_aiv else 0

    @property
    def block_num(self) -> Any:
        return Number("AscendC::GetBlockNum()")

    @block_num.setter
    def block_num(self, count: int) -> None: ...

    # --- tensors

    def layout_text(self, of: str, tag: str | None, shape: Any) -> str:
        """The C++ of a layout: by its tag, or by shape and strides."""
        if is_layout(shape):
            sizes, strides, origin = (
                tuple(map(int, _modes(x))) for x in (shape.shape, shape.stride, shape.origin_shape)
            )
            more = f", {_list('Shape', origin)}" if origin != sizes else ""
            return f"tla::MakeLayout({_list('Shape', sizes)}, {_strides(strides)}{more})"
        if isinstance(shape, Strided):
            return f"tla::MakeLayout({_list('Shape', shape.shape)}, {_strides(shape.stride)})"
        extents = ", ".join(map(_u32, shape))
        if len(shape) == 1:
            return f"tla::MakeLayout({extents})"
        if tag in _FRACTALS:
            return f"tla::MakeLayout<{of}, layout::{tag}>({extents})"
        if tag == "L0C":
            return f"tla::MakeLayoutL0C({extents})"
        strides = (1, shape[0]) if tag == "ColumnMajor" else (shape[1], 1)
        return f"tla::MakeLayout({_list('Shape', shape)}, {_strides(strides)})"

    def global_tensor(self, tensor: Any, pointer: str) -> Any:
        """Declare a tensor of global memory; its layout stays known."""
        store, layout = store_of(tensor), tensor.layout
        of = _cpp_type(store.element.name)
        buffer = self.fresh(f"gm{store.owner}")
        self.say(f"AscendC::GlobalTensor<{of}> {buffer};")
        self.say(f"{buffer}.SetGlobalBuffer(reinterpret_cast<__gm__ {of}*>({pointer}));")
        shape: Any = layout if store.tag not in _FRACTALS else tuple(map(int, layout.origin_shape))
        text = (
            f"tla::MakeTensor({buffer}, {self.layout_text(of, store.tag, shape)}, Arch::PositionGM{{}})"
        )
        return Tensor(store._replace(owner=self.declared(f"tensor{store.owner}", text)), layout)

    def workspace(self, name: str, like: Any, shape: tuple[int, ...]) -> Any:
        made = super().workspace(name, like, shape)
        self.memories[name] = self.workspaces[name]
        return self.global_tensor(made, f"ptr{name}")

    def alloc(self, position: Any, like: Any, shape: Any, stages: int | None = None, **more: Any) -> Any:
        if position not in _BUFFERS or self.turns:
            inside = " inside a loop or a condition of the run" if self.turns else ""
            raise UnsupportedError(f"a tile of {position}{inside} has no C++ here")
        if not is_known([shape, stages, *more.values()]):
            raise UnsupportedError(f"a tile of {position} has an extent that only the run knows")
        made = super().alloc(position, like, shape, stages, **more)
        tiles = (made,) if stages is None else made
        store = store_of(tiles[0])
        of, (buffer, place) = _cpp_type(store.element.name), _BUFFERS[position]
        layout = shape if is_layout(shape) else tuple(shape)
        data = f"resource.{buffer}.template GetBufferByByte<{of}>({byte_of(tiles[0])})"
        words = self.layout_text(of, store.tag, layout)
        text = f"tla::MakeTensor({data}, {words}, Arch::Position{place}{{}})"
        name = self.declared(position.lower(), text)
        size = store.element.bits
        owners = [name]
        for tile in tiles[1:]:
            owners.append(f"Shifted({name}, {(byte_of(tile) - byte_of(tiles[0])) * 8 // size})")
        named = [
            Tensor(store_of(tile)._replace(owner=owner), tile.layout, None, position)
            for owner, tile in zip(owners, tiles, strict=True)
        ]
        return named[0] if stages is None else tuple(named)

    def make_tensor(self, buffer: Any, shape: Any, *, tag: Any = None, like: Any = None) -> Any:
        store = store_of(buffer)
        of = (
            store.element
            if like is None
            else store_of(super().make_tensor(buffer, (1,), like=like)).element
        )
        vector = not is_layout(shape) and not isinstance(shape, Strided) and len(shape) == 1
        kept = store.tag if tag is None and not vector else tag
        data, name = f"Data({store.owner})", _cpp_type(of.name)
        if of != store.element:
            data += f".template ReinterpretCast<{name}>()"
        place = "GM" if store.space == "GM" else _BUFFERS[store.space][1]
        layout = self.layout_text(
            name, kept, shape if is_layout(shape) or isinstance(shape, Strided) else tuple(shape)
        )
        rank = len(_modes(shape.shape)) if is_layout(shape) or isinstance(shape, Strided) else len(shape)
        text = f"tla::MakeTensor({data}, {layout}, Arch::Position{place}{{}})"
        return self.tensor(text, store._replace(element=of, tag=kept), rank)

    def tile(self, tensor: Any, coord: Any, shape: Any, word: str = "GetTile") -> Any:
        """A tile of a tensor."""
        store, at, extents = store_of(tensor), _modes(coord), _modes(shape)
        text = f"{word}({store.owner}, {_list('Coord', at)}, {_list('Shape', extents)})"
        return self.tensor(text, store, len(extents))

    def sliced(self, tensor: Any, index: Sequence[Any]) -> Any:
        """A tensor of less modes: those that are None stay."""
        store = store_of(tensor)
        words = ", ".join("tla::_" if at is None else _u32(at) for at in index)
        text = f"{store.owner}(tla::MakeCoord({words}))"
        return self.tensor(text, store, sum(at is None for at in index))

    def extents(self, tensor: Any, word: str) -> tuple[Any, ...]:
        """The shape or the origin shape of a tensor."""
        name = store_of(tensor).owner
        if name not in self.runtime:
            return tuple(map(int, _modes(getattr(tensor, word))))
        called = "originShape" if word == "origin_shape" else "shape"
        count = len(_modes(tensor.shape))
        return tuple(Number(f"int64_t(tla::get<{at}>({name}.{called}()))") for at in range(count))

    def stage(self, tiles: Sequence[Any], at: Number) -> Any:
        """The tile of a stage that only the run knows."""
        stores = [store_of(tile) for tile in tiles]
        base = stores[0].owner
        steps = [x.owner.removeprefix(f"Shifted({base}, ").removesuffix(")") for x in stores[1:]]
        step = steps[0] if steps else "0"
        if base in self.runtime or steps != [str(int(step) * (n + 1)) for n in range(len(steps))]:
            raise UnsupportedError(
                f"the tensors that [{at.text}] chooses from are no stages of one ctx.alloc"
            )
        owner = self.declared("tile", f"Shifted({base}, uint32_t({(at * int(step)).text}))")
        return Tensor(stores[0]._replace(owner=owner), tiles[0].layout, None, tiles[0].position)

    # --- flags

    def _call(self, name: str, arguments: str, *parameters: object) -> None:
        between = f"<{', '.join(map(str, parameters))}>" if parameters else ""
        self.say(f"AscendC::{name}{between}({arguments});")

    def set_flag(self, event: Any, number: Any) -> None:
        self._call("SetFlag", cpp(number), f"AscendC::HardEvent::{event}")

    def wait_flag(self, event: Any, number: Any) -> None:
        self._call("WaitFlag", cpp(number), f"AscendC::HardEvent::{event}")

    def cross_core_set_flag(self, flag: Any, mode: int = 2, pipe: Any = None) -> None:
        pipe = pipe or ("FIX" if self.is_aic else "MTE3")
        self._call("CrossCoreSetFlag", cpp(flag), mode, f"PIPE_{pipe}")

    def cross_core_wait_flag(self, flag: Any, mode: int = 0, pipe: Any = "S") -> None:
        if self.arch.code == 2201:
            self._call("CrossCoreWaitFlag", cpp(flag), *([mode] if mode else []))
        else:
            self._call("CrossCoreWaitFlag", cpp(flag), mode, f"PIPE_{pipe}")

    def get_value(self, tensor: Any, index: Any = 0) -> Any:
        name = self.declared(
            "value", f"int64_t(Data({store_of(tensor).owner}).GetValue({cpp(index)}))", "int64_t"
        )
        return Number(name, is_natural=False)

    # --- copies and products

    def _copy(self, route: str, dst: Any, src: Any, scales: Any = None, **more: Any) -> None:
        left = sorted({*more} - {"unitFlag"}) + ["scales"] * (scales is not None)
        if left:
            raise UnsupportedError(f"a copy {route} with {', '.join(left)} has no C++ here")
        source, rank = store_of(src).owner, len(_modes(src.shape))
        if route.startswith("L1->") and source not in self.runtime:
            # the loads of Ascend950 count from a place in the tile
            source = f"GetTile({source}, {_list('Coord', [0] * rank)}, {source}.originShape())"
        names = f"{store_of(dst).owner}, {source}"
        if route == "L0C->GM":
            self.say(f"CopyOut({names}, {cpp(more['unitFlag'])});")
        else:
            self.say(f"CopyTile({names});")

    def copy_gm_to_ub(self, dst: Any, src: Any) -> None:
        self.say(f"CopyGmToUb({store_of(dst).owner}, {store_of(src).owner});")

    def copy_ub_to_gm(self, dst: Any, src: Any) -> None:
        self.say(f"CopyUbToGm({store_of(dst).owner}, {store_of(src).owner});")

    def mmad(
        self, c: Any, a: Any, b: Any, m: Any, n: Any, k: Any, init_c: Any = True, unit_flag: Any = 0, *,
        bias: Any = None, k_direction_align: bool = False, disable_gemv: bool = False,
        scaled: bool = False,
    ) -> None:  # fmt: skip
        if scaled:
            raise UnsupportedError("a product with MX scales has no C++ here")
        facts = [_u32(m), _u32(n), _u32(k), "false" if bias is not None else cpp(init_c),
                 f"uint8_t({cpp(unit_flag)})", cpp(k_direction_align), cpp(disable_gemv)]  # fmt: skip
        names = [store_of(x).owner for x in (c, a, b, *([] if bias is None else [bias]))]
        self.say(f"Multiply(MmadShape{{{', '.join(facts)}}}, {', '.join(names)});")

    def tile_mmad(
        self, c: Any, a: Any, b: Any, m: Any, n: Any, k: Any, *given: Any, **more: Any
    ) -> None:
        self.mmad(c, a, b, m, n, k, *given, disable_gemv=self.arch.code == 3510, **more)
        small = (number_of(m) // 16) * (number_of(n) // 16) < 10
        self.say(f"if ({small.text}) {{")
        self.say("    AscendC::PipeBarrier<PIPE_M>();")
        self.say("}")

    # --- every other instruction

    def issue(
        self, op: str, pipe: str, operands: Mapping[str, Any] | None = None, **params: Any
    ) -> None:
        given = operands or {}
        names = [f"Data({store_of(x).owner})" for x in given.values()]
        of = _cpp_type(store_of(next(iter(given.values()))).element.name) if given else ""
        if op == "PipeBarrier":
            self._call(op, "", f"PIPE_{pipe}")
        elif op in ("SetAtomicAdd", "SetAtomicMax", "SetAtomicMin"):
            self._call(op, "", _FROM_DTYPE.get(params["dtype"], f"{params['dtype']}_t"))
        elif not given and set(params) <= {"value"}:
            self._call(op, ", ".join(map(cpp, params.values())))
        elif op == "SetVectorMask":
            self._call(op, f"{params['maskHigh']}ull, {params['maskLow']}ull", "half")
        elif op == "DataCopy" and params.get("form") == "count":
            self._call(op, ", ".join([*names, cpp(params["count"])]))
        elif op == "Brcb":
            strides = f"{cpp(params['dstBlkStride'])}, {cpp(params['dstRepStride'])}"
            self._call(op, f"{', '.join(names)}, {cpp(params['repeat'])}, {{{strides}}}")
        elif pipe == "V" and "dst" in given and ("count" in params or "repeat" in params):
            self._vector(op, names, of, params)
        else:
            raise UnsupportedError(f"{op} has no C++ here")

    def _vector(self, op: str, names: list[str], of: str, params: dict[str, Any]) -> None:
        words = list(names)
        left = set(params) - {"isSetMask", "count", "mask", "repeat", "scalar", "roundMode"}
        if "scalar" in params:
            words.append(f"{of}({cpp(params['scalar'])})")
        elif op in WITH_SCALAR:
            raise UnsupportedError(f"{op} takes a scalar")
        if "roundMode" in params:
            words.append(f"AscendC::RoundMode::{params['roundMode']}")
        if "count" in params:
            if left:
                raise UnsupportedError(f"{op} with a count has no {', '.join(sorted(left))}")
            self._call(op, ", ".join([*words, cpp(params["count"])]))
            return
        mask, sets = params["mask"], params["isSetMask"]
        if isinstance(mask, list | tuple):
            bits: list[Any] = [*mask]  # pyright: ignore[reportUnknownVariableType]
            words.append(name := self.fresh("mask"))
            self.say(f"uint64_t {name}[] = {{{', '.join(f'{cpp(x)}ull' for x in bits)}}};")
        else:
            words.append(f"uint64_t({cpp(mask)})")
        words.append(f"uint8_t({cpp(params['repeat'])})")
        sides = [side for side in ("dst", "src", "src0", "src1") if f"{side}BlkStride" in left]
        if left != {f"{side}{kind}Stride" for side in sides for kind in ("Blk", "Rep")}:
            raise UnsupportedError(f"{op} with {', '.join(sorted(left))} has no C++ here")
        strides = [cpp(params[f"{side}{kind}Stride"]) for kind in ("Blk", "Rep") for side in sides]
        if len(sides) == 1:
            words += strides
        else:
            kind = "Binary" if len(sides) == 3 else "Unary"
            words.append(f"AscendC::{kind}RepeatParams({', '.join(strides)})")
        two_types = op in ("Cast", "Axpy", "MulAddDst")
        self._call(op, ", ".join(words), *([] if sets else [of, *([of] if two_types else []), "false"]))

    def put(self, op: str, pipe: str, operands: Any, params: Any) -> None:
        raise UnsupportedError(f"{op} has no C++ here")

    # --- whole products

    def tasks(self, swizzle: Any, problem: Any, tile: Any) -> Any:
        name = str(swizzle)
        if not name.rpartition("::")[2].startswith("GemmIdentityBlockSwizzle<"):
            raise UnsupportedError(f"the tasks of {name} have no loop in C++ here")
        return Tasks(name.rpartition("::")[2], tuple(problem), gemm_shape(tile))

    def schedule(self, *_: Any, **__: Any) -> Any:
        raise UnsupportedError("ctx.schedule has no C++ here", "Take ctx.tasks.")

    def block(self, policy: Any, tensors: Sequence[Any], l1: Any, l0: Any, bias: Any) -> BlockOfCpp:
        """Declare CATLASS's block of a product."""
        if self._ends:
            raise UnsupportedError("a block of CATLASS takes its buffers from the first byte on")
        stores = [store_of(x) for x in tensors]
        tags = tuple(store.tag or "RowMajor" for store in stores)
        kinds = tuple(store.element for store in stores)
        of_bias = None if bias is None else store_of(bias).element
        plan = gemm(self.arch, (1, 1, 1), kinds, tags, l1, l0, policy, "identity", bias=of_bias)
        found = plan.emit_cpp().split("\n\n")
        types = next(part for part in found if "using DispatchPolicy" in part)
        for line in types.partition("using BlockEpilogue")[0].splitlines():
            if not line.startswith("using ArchTag"):
                self.say(line)
        name = self.fresh("block")
        self.say(f"BlockMmad {name}(resource);")
        is_tla = plan.policy.family.api == "tla"
        if plan.policy.name not in ("MmadPingpong", "MmadAtlasA2Pingpong"):
            raise UnsupportedError(f"the block of {plan.policy.name} has no C++ here")
        return BlockOfCpp(name, is_tla, (tags[0], tags[1], tags[2]))

    def multiply(
        self, block: BlockOfCpp, a: Any, b: Any, c: Any, following: Any = None, bias: Any = None
    ) -> None:
        """Multiply a block of C."""
        names = [store_of(x).owner for x in (a, b, c)]
        (m, k), n = self.extents(a, "origin_shape"), self.extents(b, "origin_shape")[1]
        shape = f"GemmCoord{{{_u32(m)}, {_u32(n)}, {_u32(k)}}}"
        if block.is_tla:
            more = [] if bias is None else [store_of(bias).owner]
            self.say(f"{block.name}({', '.join([*names, shape, *more])});")
            return
        words: list[str] = []
        for name, tag, x in zip(names, block.tags, (a, b, c), strict=True):
            if tag not in ("RowMajor", "ColumnMajor"):
                raise UnsupportedError(f"a block of a matrix in {tag} has no C++ here")
            extents = ", ".join(_u32(e) for e in self.extents(x, "origin_shape"))
            step = 0 if tag == "RowMajor" else 1
            words += [
                f"Data({name})",
                f"layout::{tag}({extents}, int64_t(tla::get<{step}>({name}.stride())))",
            ]
        self.say(f"{block.name}({', '.join([*words, shape])});")


_WORDS_OF_CPP: Final = """
auto bool case catch char class const default delete do double else enum export extern float for goto
half if inline int long namespace new operator private public register return short signed sizeof static
struct switch template this throw try typedef union unsigned using virtual void volatile while layout tla
Data CopyTile CopyOut Rows RowsOf Gap Blocks MmadShape Multiply Least Most Quotient Remainder Shifted
resource Kernel
"""
_FROM_DTYPE: Final = {"float16": "half", "float32": "float", "bfloat16": "bfloat16_t"}


def _cpp_type(name: str) -> str:
    return "AscendC::int4b_t" if name == "int4b_t" else name


def is_known(x: object) -> bool:
    """Whether a value holds no number that only the run knows."""
    if isinstance(x, tuple | list):
        return all(map(is_known, x))  # pyright: ignore[reportUnknownArgumentType]
    return not isinstance(x, Number | Turns | Strided | BlockOfCpp) and not is_tensor(x)
