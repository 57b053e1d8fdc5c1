# SPDX-License-Identifier: Apache-2.0
"""What a kernel says to a cube core: buffers, copies, products.

The parameters of every copy are those of `tla.ascend.copies`.

>>> from tla import get_tile, row_major
>>> ctx = CubeWords("AtlasA2", "AIC0", 1)
>>> a = Tensor(Store("GM", "A", element("half"), "RowMajor"), row_major(100, 60))
>>> a1 = ctx.alloc("L1", a, (64, 64))
>>> ctx.copy_gm_to_l1(a1, get_tile(a, (64, 0), (64, 60)))
>>> copy = ctx.instructions[0]
>>> copy.op, copy.operands["src"].place, copy.params["nValue"], copy.params["dValue"]
('DataCopy', 'A[7680]', 36, 60)
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from ...errors import CapacityError, KindError, UnsupportedError
from ...ground import described
from ...layouts import AnyLayout, Tensor, is_layout, is_tensor, row_major
from ...numbers import is_tuple, round_up
from ..allocation import allocate, allocate_stages
from ..buffers import l1_tag
from ..copies import Call, fields_of, gm_to_l1, l0c_to_gm, l1_to_bt, l1_to_l0a, l1_to_l0b
from ..elements import element
from ..tags import make_layout
from .issuing import ScalarUnit
from .places import Store, byte_of, operand_of, require_one_type, require_route, store_of
from .products import LEAST_ORDERED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..arch import Arch, Position
    from ..copies import Transfer
    from ..elements import Element, ElementLike
    from .instructions import Operand
    from .places import KernelTensor

_ROUTES: Final[dict[str, tuple[Callable[..., Transfer], str]]] = {
    "GM->L1": (gm_to_l1, "MTE2"), "L1->L0A": (l1_to_l0a, "MTE1"), "L1->L0B": (l1_to_l0b, "MTE1"),
    "L1->BT": (l1_to_bt, "MTE1"), "L0C->GM": (l0c_to_gm, "FIX"),
}  # fmt: skip
_BUFFERS: Final = {"AIC": ("L1", "L0A", "L0B", "L0C", "BT", "FB"), "AIV": ("UB",)}


class CubeWords(ScalarUnit):
    """Buffers, copies and products of one core."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._ends: dict[str, int] = {}

    # --- buffers

    def alloc(
        self, position: Position, like: KernelTensor | ElementLike, shape: Sequence[int] | AnyLayout,
        stages: int | None = None, *, tag: str | None = None, start: int | None = None,
    ) -> Any:  # fmt: skip
        """Return a tile in a buffer of the core, or several, one behind the other.

        >>> ctx = CubeWords("AtlasA2", "AIC0", 1)
        >>> ping, pong = ctx.alloc("L0A", "half", (128, 64), 2)
        >>> byte_of(ping), byte_of(pong), ping.data.tag
        (0, 16384, 'zZ')

        Args:
            position: ``L1``, ``L0A``, ``L0B``, ``L0C``, ``BT`` or ``FB`` of a cube core, ``UB`` of a
                vector core.
            like: The element type, or a tensor that has it. In L1 a tensor says the tag too: its rows
                stay rows, zN, its columns columns, nZ.
            shape: The extents, or a layout.
            stages: How many tiles; without it the tile itself is returned.
            tag: The layout tag; by default the buffer's own.
            start: The first byte; by default behind the last tile of the buffer.

        Raises:
            UnsupportedError: the core has no such buffer.
            TlaError: as `tla.ascend.allocate`.
        """
        kind = self.core[:3]
        if position not in _BUFFERS[kind]:
            raise UnsupportedError(
                f"{self.core} has no {position}",
                f"It has {', '.join(_BUFFERS[kind])}.",
                position=position,
            )
        of = _element(like)
        if tag is None and not is_layout(shape):
            tag = self._tag(position, like, len(shape))
        layout = _layout(of, tag, shape)
        unit = self.arch.fixpipe_block if position == "FB" else self.arch.start_alignment(position)
        first = self._ends.get(position, 0) if start is None else start
        if start is None:
            first = -(-first // unit) * unit
        if stages is None:
            tiles: tuple[Any, ...] = (allocate(self.arch, position, layout, of, start=first),)
        else:
            tiles = allocate_stages(self.arch, position, layout, of, stages, start=first)
        size = -(-of.bytes_of(int(layout.cosize)) // unit) * unit
        made: list[KernelTensor] = []
        for t in tiles:
            at = int(t.data_offset) * of.bits // 8
            store = Store(position, self.core, of, tag, layout, (at, at + size))
            made.append(Tensor(store, layout, None, position, data_offset=t.data_offset))
        self._ends[position] = max(self._ends.get(position, 0), byte_of(made[-1]) + size)
        return made[0] if stages is None else tuple(made)

    def _tag(self, position: Position, like: object, rank: int) -> str | None:
        if position == "UB":
            return None
        if rank == 1:
            return "VectorLayout"
        if position == "L1":
            return l1_tag(store_of(like).tag or "RowMajor") if is_tensor(like) else "zN"
        return {"L0A": self.arch.l0a_tag, "L0B": "nZ"}.get(position, "L0C")

    def make_tensor(
        self, buffer: KernelTensor, shape: Sequence[int] | AnyLayout, *, tag: str | None = None,
        like: KernelTensor | ElementLike | None = None,
    ) -> KernelTensor:  # fmt: skip
        """Return a buffer with the layout of a smaller tile. ``MakeTensor(buffer, MakeLayout(m, k))``.

        Args:
            tag: The layout tag; by default the buffer's, of a vector none.
            like: The element type, or a tensor that has it, if it is another: ``ReinterpretCast<T>()``.

        >>> ctx = CubeWords("AtlasA2", "AIC0", 1)
        >>> l0a = ctx.alloc("L0A", "half", (128, 64))
        >>> print(ctx.make_tensor(l0a, (44, 24)).layout)
        ((_16,3),(_16,2)):((_16,512),(_1,_256)):(44,24)

        Raises:
            CapacityError: the tile takes more bytes than the buffer has.
        """
        of = store_of(buffer).element if like is None else _element(like)
        return _view(buffer, shape if is_layout(shape) else tuple(shape), of, tag)

    # --- copies

    def copy_gm_to_l1(self, dst: KernelTensor, src: KernelTensor) -> None:
        """Copy a tile of global memory to L1. CATLASS's ``CopyGmToL1A``, ``CopyGmToL1B``."""
        self._copy("GM->L1", dst, src)

    def copy_l1_to_l0a(
        self, dst: KernelTensor, src: KernelTensor, scales: KernelTensor | None = None
    ) -> None:
        """Copy a tile of A from L1 to L0A, with its MX scales. CATLASS's ``CopyL1ToL0A``."""
        self._copy("L1->L0A", dst, src, scales)

    def copy_l1_to_l0b(
        self, dst: KernelTensor, src: KernelTensor, scales: KernelTensor | None = None
    ) -> None:
        """Copy a tile of B from L1 to L0B, with its MX scales. CATLASS's ``CopyL1ToL0B``."""
        self._copy("L1->L0B", dst, src, scales)

    def copy_l1_to_bt(self, dst: KernelTensor, src: KernelTensor) -> None:
        """Copy a bias from L1 to the bias table. CATLASS's ``CopyL1ToBT``."""
        self._copy("L1->BT", dst, src)

    def copy_l0c_to_gm(
        self, dst: KernelTensor, src: KernelTensor, unit_flag: int = 0, relu: bool = False,
        scale: Literal["channel"] | None = None,
    ) -> None:  # fmt: skip
        """Take sums out of L0C, rounded to the type of C. CATLASS's ``CopyL0CToGm``, a Fixpipe.

        Args:
            unit_flag: 3 if the products had unit flags, else 0.
            relu: Whether negative sums become 0.
            scale: Whether each column has a scale, where ``SetFixPipeConfig`` says.
        """
        word: dict[str, Any] = {"reluEn": True} if self.arch.code == 2201 else {"reluPre": 1}
        more = word if relu else {}
        self._copy("L0C->GM", dst, src, scale, unitFlag=unit_flag, **more)

    def copy_l0c_to_ub(self, dst: KernelTensor, src: KernelTensor, unit_flag: int = 0) -> None:
        """Hand sums to UB, half of the rows to each vector core. ``CopyL0CToUB``, on 3510 alone.

        Args:
            dst: Where the rows of the first vector core go; the other's go to the same place.
        """
        require_route("L0C->UB", dst, src)
        require_one_type("a copy L0C->UB", dst, src)
        (m, n), of = map(int, dst.origin_shape), store_of(dst).element
        rows = int(round_up(int(src.origin_shape[0]), 16))
        zeros = ("deqScalar", "srcNdStride", "dstNdStride", "srcNzMatrixStride", "dstDnMatrixStride")
        fields = {
            "format": "ROW_MAJOR", "nSize": int(round_up(n, 256 // of.bits)), "mSize": m + m % 2,
            "srcStride": rows, "dstStride": int(dst.layout.stride[0]),
            "quantPre": "NoQuant", "reluEn": False, "unitFlag": unit_flag, "isChannelSplit": False,
            "dualDstCtl": 1, "subBlockId": False, "ndNum": 1, "dnNum": 1, "srcNzC0Stride": 0,
            **dict.fromkeys(zeros, 0),
        }  # fmt: skip
        self.put("Fixpipe", "FIX", {"dst": operand_of(dst), "src": operand_of(src)}, fields)

    def _copy(
        self, route: str, dst: KernelTensor, src: KernelTensor,
        scales: KernelTensor | Literal["channel"] | None = None, **more: Any,
    ) -> None:  # fmt: skip
        require_route(route, dst, src)
        to, start = store_of(dst), store_of(src)
        if route not in ("L0C->GM", "L1->BT"):
            require_one_type(f"a copy {route}", dst, src)
        pipe = _ROUTES[route][1]
        target, source, layout, at = operand_of(dst), operand_of(src), src.layout, None
        if self.arch.code == 3510 and route.startswith("L1->L0") and start.whole is not None:
            # its loads name the place in the buffer's tile
            first = int(src.data_offset) * start.element.bits // 8
            source, layout, at = source._replace(address=first), start.whole, src.coord
        boxes: Any = store_of(scales).whole if is_tensor(scales) else scales
        key = (route, self.arch, start.element, to.element, layout, dst.layout, start.tag, to.tag)
        if (to.tag or "").startswith("MxScale"):  # pairs of them are copied, as halves
            target, source = (x._replace(dtype="float16") for x in (target, source))
        for op, forth, back, params in _instructions(*key, src.origin_shape, at, boxes):
            if op.startswith("Set"):
                self.put(op, pipe, {}, params)
                continue
            operands = {
                "dst": target._replace(address=target.address + forth),
                "src": source._replace(address=source.address + back),
            }
            if is_tensor(scales) and "yStartPosition" in params.get("mx", params):
                pairs = {"yStartPosition": int(scales.coord[route.endswith("A")]) // 2}
                where = operand_of(scales)._replace(address=int(scales.data_offset))
                if "mx" in params:
                    operands |= {"dst": _scaled(operands["dst"]), "src1": where}
                    params = {**params, "mx": {**params["mx"], **pairs}}
                else:
                    operands = {"dst": target._replace(dtype=where.dtype), "src": where}
                    params = {**params, **pairs}
            self.put(op, pipe, operands, {**params, **more} if more else params)

    # --- products

    def mmad(
        self, c: KernelTensor, a: KernelTensor, b: KernelTensor, m: int, n: int, k: int,
        init_c: bool = True, unit_flag: int = 0, *, bias: KernelTensor | None = None,
        k_direction_align: bool = False, disable_gemv: bool = False, scaled: bool = False,
    ) -> None:  # fmt: skip
        """Multiply a tile of L0A by one of L0B, into L0C or onto what is there.

        AscendC's ``Mmad(c, a, b, params)``.

        Args:
            init_c: Whether the sums start at 0; with a bias they start at the bias.
            unit_flag: 2, and 3 on the last product of a tile, if Fixpipe is to wait for each fractal;
                else 0.
            k_direction_align: Whether floats along K come in 16, as a transposed load of 2201 leaves
                them.
            disable_gemv: Whether A of a single row lies in fractals all the same; on 3510 alone.
            scaled: Whether A and B were loaded with MX scales.
        """
        operands = {"dst": operand_of(c), "src": operand_of(a), "src1": operand_of(b)}
        if scaled:
            operands |= {name: _scaled(operands[name]) for name in ("src", "src1")}
        if bias is not None:
            operands["bias"] = operand_of(bias)
        params = {
            "m": m, "n": n, "k": k, "isBias": False, "unitFlag": unit_flag,
            "kDirectionAlign": k_direction_align, "cmatrixSource": False,
            "cmatrixInitVal": init_c and bias is None, "disableGemv": disable_gemv,
        }  # fmt: skip
        product = self.arch.product(store_of(a).element, store_of(b).element)
        if product.accumulator != store_of(c).element.name:
            raise UnsupportedError(f"{product} does not sum in {store_of(c).element}", product=product)
        self.put("Mmad", "M", operands, params)

    def tile_mmad(
        self, c: KernelTensor, a: KernelTensor, b: KernelTensor, m: int, n: int, k: int,
        init_c: bool = True, unit_flag: int = 0, **more: Any,
    ) -> None:  # fmt: skip
        """Multiply as CATLASS's ``TileMmad``: `mmad`, and a barrier behind a small one."""
        self.mmad(c, a, b, m, n, k, init_c, unit_flag, disable_gemv=self.arch.code == 3510, **more)
        if (m // 16) * (n // 16) < LEAST_ORDERED:
            self.pipe_barrier("M")


def _scaled(operand: Operand) -> Operand:
    """A tile of L0 whose elements have scales; those of 4 bits always have."""
    dtype = operand.dtype
    return operand._replace(dtype=f"mx_{dtype}" if dtype.startswith("float8") else dtype)


def _element(like: KernelTensor | ElementLike) -> Element:
    return store_of(like).element if is_tensor(like) else element(like)


def _layout(of: Element, tag: str | None, shape: Any) -> AnyLayout:
    if is_layout(shape):
        return shape
    if not is_tuple(shape):
        raise KindError(f"the shape of a tile is a tuple of ints, not {described(shape)}", value=shape)
    return _made(of, tag, tuple(shape))


@lru_cache(maxsize=4096)
def _made(of: Element, tag: str | None, shape: tuple[int, ...]) -> AnyLayout:
    return row_major(*shape) if tag is None else make_layout(of, tag, *shape)


@lru_cache(maxsize=1 << 14)
def _view(
    buffer: KernelTensor, shape: tuple[int, ...] | AnyLayout, of: Element, tag: str | None
) -> KernelTensor:
    """A buffer with another layout, or as other elements."""
    store = store_of(buffer)
    vector = not is_layout(shape) and len(shape) == 1
    name = store.tag if tag is None and not vector else tag
    layout = _layout(of, name, shape)
    whole = buffer.layout if store.whole is None else store.whole
    needed, available = of.bytes_of(int(layout.cosize)), store.element.bytes_of(int(whole.cosize))
    if needed > available:
        raise CapacityError(
            f"a tile of {needed} bytes does not fit a buffer of {available} in {store.space}",
            position=store.space, needed=needed, available=available,
        )  # fmt: skip
    start = byte_of(buffer) * 8 // of.bits
    store = store._replace(element=of, tag=name, whole=None if store.space == "GM" else layout)
    return Tensor(store, layout, None, buffer.position, data_offset=start)


class _Made(NamedTuple):
    """An instruction of a copy: its name, the bytes from its tiles' first ones, its parameters."""

    op: str
    dst: int
    src: int
    params: dict[str, Any]


@lru_cache(maxsize=4096)
def _instructions(
    route: str, arch: Arch, of: Element, to: Element, src: AnyLayout, dst: AnyLayout,
    src_tag: str | None, dst_tag: str | None, extents: Any, at: Any,
    scales: AnyLayout | Literal["channel"] | None = None,
) -> tuple[_Made, ...]:  # fmt: skip
    """The instructions of a copy between two tiles."""
    given: dict[str, Any] = {"arch": arch, "element": of}
    if route == "L0C->GM":
        given = {"arch": arch, "element": to, "accumulator": of, "dst_tag": dst_tag, "scale": scales}
    elif route == "L1->BT":
        given["accumulator"] = to
    else:
        given.update(src_tag=src_tag, dst_tag=dst_tag)
        if route != "L1->BT":
            given.update(tile=extents, at=at)
        if scales is not None:
            given["scales"] = scales
    moved = _ROUTES[route][0](src, dst, **given)
    found: list[_Made] = []
    if moved.setting is not None:
        found.append(_Made(moved.setting.name, 0, 0, _setting(*moved.setting)))
    for call in moved.calls:
        params = _params(call, of)
        found.append(_Made(call.name, to.bytes_of(call.dst), of.bytes_of(call.src), params))
    if moved.scales is not None:
        found = _with_scales(
            found, dict(fields_of(moved.scales)), f"load_cbuf_to_c{route[-1].lower()}", of
        )
    return tuple(found)


def _with_scales(loads: list[_Made], scales: dict[str, Any], name: str, of: Element) -> list[_Made]:
    """A load with its scales; of several, of which those of 4 bits have another name, these go last."""
    if len(loads) == 1:
        return [each._replace(params={**each.params, "form": "2dv2mx", "mx": scales}) for each in loads]
    if of.bits == 4:
        loads = [
            each._replace(op=f"{name}_s4", params={x: y for x, y in each.params.items() if x != "form"})
            for each in loads
        ]
    return [*loads, _Made(f"{name}_mx", 0, 0, scales)]


def _setting(name: str, arguments: tuple[Any, ...]) -> dict[str, Any]:
    if name == "SetFixpipeNz2ndFlag":
        return dict(zip(("ndNum", "srcNdStride", "dstNdStride"), arguments, strict=True))
    height, width, _pads, side = arguments
    mode = str(side).removeprefix("FMATRIX_")
    return {"l1H": height, "l1W": width, "padList": [0, 0, 0, 0], "mode": mode}


_FORMS: Final[dict[str, tuple[str | None, dict[str, Any]]]] = {
    "Nd2NzParams": ("nd2nz", {}), "Dn2NzParams": ("dn2nz", {}), "DataCopyParams": ("block", {}),
    "LoadData2DParams": ("2d", {"sid": 0, "addrMode": 0}),
    "LoadData2dTransposeParams": ("2dtranspose", {"addrMode": 0}),
    "LoadData2DParamsV2": ("2dv2", {"sid": 0}),
    "LoadData3DParamsV2": ("3dv2", {
        "l1H": 0, "l1W": 0, "kStartPt": 0, "mStartPt": 0, "strideW": 1, "strideH": 1, "filterW": 0,
        "filterH": 0, "dilationFilterW": 0, "dilationFilterH": 0, "enSmallK": False,
        "filterSizeW": False, "filterSizeH": False, "padList": [0, 0, 0, 0],
    }),
    "FixpipeParamsV220": (None, {
        "deqScalar": 0, "ndNum": 1, "srcNdStride": 0, "dstNdStride": 0, "reluEn": False,
    }),
    "FixpipeParamsC310": (None, {"deqScalar": 0, "reluEn": False}),
    "DataCopyExtParams": ("pad", {}),
    "DataCopyCO12DstParams": ("co12dst", {"reluPre": 0}),
}  # fmt: skip
"""The form of a call by its struct, and the fields that a copy leaves at their defaults."""


def _params(call: Call, of: Element) -> dict[str, Any]:
    """The parameters of a call, each by its AscendC name."""
    form, rest = _FORMS[type(call.params).__name__]
    fields: dict[str, Any] = {**fields_of(call.params), **rest}
    if form == "block":
        fields["unit"] = f"{32 * call.unit}B"
    if "nz2nd" in fields:
        fields["format"] = "ROW_MAJOR" if fields.pop("nz2nd") else "NZ"
    return fields if form is None else {"form": form, **fields}
