# SPDX-License-Identifier: Apache-2.0
"""Kernels written in Python: a function of a context and tensors, run on every core.

>>> import numpy as np
>>> @kernel("AtlasA2", core="AIV")
... def double(ctx, X, Y):
...     x = ctx.alloc("UB", X, X.shape)
...     ctx.copy_gm_to_ub(x, X)
...     ctx.set_flag("MTE2_V", 0)
...     ctx.wait_flag("MTE2_V", 0)
...     ctx.add(x, x, x, 64)
...     ctx.set_flag("V_MTE3", 0)
...     ctx.wait_flag("V_MTE3", 0)
...     ctx.copy_ub_to_gm(Y, x)
>>> x = np.arange(64, dtype=np.float32).reshape(4, 16)
>>> run = simulate(double, x, np.zeros_like(x), cores=1)
>>> bool((run["Y"] == 2 * x).all()), run.findings
(True, ())

Each core runs the function once, one core after the other, and so makes its stream of instructions; then
the machine runs these. So what a kernel does may depend on shapes and on the numbers of inputs that
`get_value` reads, not on what other instructions compute.
"""

from __future__ import annotations

import inspect
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from ...errors import ArgumentError, CongruenceError, KindError, LayoutError, UnsupportedError
from ...ground import described, limit_error, limit_of, plural
from ...layouts import AnyLayout, Tensor
from ..arch import arch as arch_named
from ..elements import element
from ..tags import TaggedLayout, make_layout, parse_tagged
from .contexts import Context
from .instructions import group_of
from .issuing import site_of
from .lazy_numpy import np
from .places import Store
from .runs import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from ..arch import Arch
    from .instructions import Instruction
    from .places import KernelTensor

Cores: TypeAlias = Literal["AIC", "AIV", "MIX"]
_CORES: Final = ("AIC", "AIV", "MIX")


class Kernel:
    """A function that every core runs, and the cores that run it."""

    def __init__(self, function: Callable[..., object], arch: str | Arch, core: Cores = "MIX") -> None:
        if core not in _CORES:
            raise ArgumentError(
                f"there is no core {core!r}", f"There are {', '.join(_CORES)}.", core=core
            )
        self.function = function
        self.arch: Arch = arch_named(arch)
        self.core: Cores = core
        update_wrapper(self, function)
        self.name: str = getattr(function, "__name__", "kernel")
        parameters = list(inspect.signature(function).parameters.values())[1:]
        positional = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)
        self.tensors: tuple[str, ...] = tuple(
            [p.name for p in parameters if p.kind in positional and p.default is p.empty]
        )
        """The names of its tensors: its parameters behind the context that have no default."""

    def __call__(self, ctx: Context, /, *tensors: Any, **options: Any) -> object:
        """Run the function on one core, as part of another kernel.

        Raises:
            KindError: the first argument is no context of a core.
        """
        if not isinstance(ctx, Context):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise KindError(
                f"{self.name} is called with the context of a core, not with {described(ctx)}",
                f"simulate({self.name}, {', '.join(self.tensors)}) runs it on arrays.",
            )
        return self.function(ctx, *tensors, **options)

    def on(self, arch: str | Arch) -> Kernel:
        """Return the kernel for another architecture.

        >>> from tla.ascend.kernels.blocks import matmul
        >>> matmul.on("Ascend950")
        <kernel matmul(A, B, C) for AIC of Ascend950>
        """
        return Kernel(self.function, arch, self.core)

    def core_names(self, cores: int) -> list[str]:
        """Return the cores of a start on some blocks.

        >>> kernel("AtlasA2", core="MIX")(lambda ctx: None).core_names(2)
        ['AIC0', 'AIC1', 'AIV0', 'AIV1', 'AIV2', 'AIV3']
        """
        cubes = [f"AIC{i}" for i in range(cores)] if self.core != "AIV" else []
        vectors = {"AIC": 0, "AIV": cores, "MIX": 2 * cores}[self.core]
        return [*cubes, *[f"AIV{i}" for i in range(vectors)]]

    def block_of(self, core: str) -> int:
        """Return the block that a core is of."""
        return int(core[3:]) if self.core == "AIV" else group_of(core)

    def __repr__(self) -> str:
        return f"<kernel {self.name}({', '.join(self.tensors)}) for {self.core} of {self.arch}>"


def kernel(arch: str | Arch, *, core: Cores = "MIX") -> Callable[[Callable[..., object]], Kernel]:
    """Make a kernel of a function of a context and of tensors.

    >>> @kernel("AtlasA2", core="AIC")
    ... def nothing(ctx, A, stages=2): ...
    >>> nothing
    <kernel nothing(A) for AIC of AtlasA2>

    Args:
        arch: The architecture that it is for, or a chip.
        core: The cores that run it: cube cores, vector cores, or both, where each block has a cube core
            and two vector cores. ``ctx.is_aic`` is CATLASS's ``ASCEND_IS_AIC``.

    Raises:
        UnsupportedError: there is no such architecture.
        ArgumentError: there is no such kind of core.
    """
    if callable(arch):
        raise KindError("kernel takes the architecture first", "Write @kernel('AtlasA2').")
    arch_named(arch)
    if core not in _CORES:
        raise ArgumentError(f"there is no core {core!r}", f"There are {', '.join(_CORES)}.", core=core)
    return lambda function: Kernel(function, arch, core)


class GlobalArray(NamedTuple):
    """The memory of a global tensor, and its layout; see `gm`."""

    memory: NDArray[Any]
    layout: TaggedLayout


def gm(memory: NDArray[Any], layout: str | TaggedLayout) -> GlobalArray:
    """Return memory as a global tensor of a layout: an argument of `simulate`.

    >>> import numpy as np
    >>> str(gm(np.zeros(32 * 48, np.float16), "zN<half>(20,48)").layout)
    'zN<half>(20,48)'

    Raises:
        CongruenceError: the memory has less bytes than the layout takes.
    """
    tagged = parse_tagged(layout) if isinstance(layout, str) else layout
    needed = tagged.element.bytes_of(int(tagged.layout.cosize))
    if memory.nbytes < needed:
        raise CongruenceError(
            f"{tagged} takes {needed} bytes, and the memory has {memory.nbytes}",
            needed=needed, available=memory.nbytes,
        )  # fmt: skip
    return GlobalArray(memory.reshape(-1), tagged)


class _Given(NamedTuple):
    """An argument: its memory, its tensor, and how its memory becomes the array again."""

    memory: NDArray[Any]
    tensor: KernelTensor
    shape: tuple[int, ...]
    order: Literal["C", "F"]


def _given(name: str, x: Any) -> _Given:
    """An array as memory: rows, or columns if it lies in columns."""
    if isinstance(x, GlobalArray):
        memory, tagged = x
        store = Store("GM", name, tagged.element, tagged.tag)
        tensor: KernelTensor = Tensor(store, tagged.layout)
        return _Given(memory, tensor, memory.shape, "C")
    if not (hasattr(x, "dtype") and hasattr(x, "shape") and hasattr(x, "__array__")):
        raise KindError(
            f"{name} is no array of numpy: {described(x)}",
            "gm(memory, 'zN<half>(20,48)') gives a layout too.",
        )
    array: NDArray[Any] = np.asarray(x)
    if array.size == 0 or array.ndim not in (1, 2):
        raise LayoutError(
            f"{name} has the shape {array.shape}: a tensor of a kernel has one mode or two, none of 0",
            "gm(memory, layout) gives memory any layout.",
            name=name,
        )
    try:
        of = element(str(array.dtype))
    except UnsupportedError:
        of = element(str(array.dtype).replace("float8_e4m3fn", "fp8_e4m3fn_t"))
    columns = array.ndim == 2 and array.flags.f_contiguous and not array.flags.c_contiguous
    order: Literal["C", "F"] = "F" if columns else "C"
    tag = "ColumnMajor" if columns else "VectorLayout" if array.ndim == 1 else "RowMajor"
    layout: AnyLayout = make_layout(of, tag, *array.shape)
    store = Store("GM", name, of, tag)
    return _Given(array.reshape(-1, order=order), Tensor(store, layout), array.shape, order)


def given_arrays(kernel: Kernel, arrays: Sequence[Any], options: Mapping[str, Any]) -> dict[str, _Given]:
    """Return a kernel's arrays as tensors, by their names.

    Raises:
        ArgumentError: the kernel takes another number of arrays, or has no such option.
    """
    if not isinstance(kernel, Kernel):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise KindError(
            f"expected a kernel, got {described(kernel)}", "Mark its function with @kernel('AtlasA2')."
        )
    if len(arrays) != len(kernel.tensors):
        raise ArgumentError(
            f"{kernel.name} takes {plural(len(kernel.tensors), 'array')}, not {len(arrays)}",
            f"Its tensors are {', '.join(kernel.tensors) or 'none'}, outputs too.",
        )
    try:
        inspect.signature(kernel.function).bind(None, *arrays, **options)
    except TypeError as error:
        raise ArgumentError(f"{kernel.name}: {error}", options=options) from None
    return {name: _given(name, x) for name, x in zip(kernel.tensors, arrays, strict=True)}


def simulate(
    kernel: Kernel, *arrays: Any, cores: int = 1, checks: Collection[str] | str | None = None,
    seed: int = 0, orders: int = 1, drop: int | str | Collection[int | str] = (), strict: bool = False,
    only: Collection[int] | None = None, progress: Callable[[int, int], object] | None = None,
    **options: Any,
) -> Run:  # fmt: skip
    """Run a kernel on arrays of numpy: every instruction of every core on bytes, and checked.

    Args:
        kernel: A function with the mark `kernel`.
        arrays: One for each tensor, outputs too. An array that lies in columns is ColumnMajor, others
            are RowMajor; one of one mode is a vector. They stay as they are: the results are in the run,
            ``run["C"]``.
        cores: How many blocks: cube cores, or vector cores of a kernel for these alone.
        only: The blocks that run, by their numbers, where a large problem has many alike; the others
            write nothing.
        checks, seed, orders, drop, strict, progress: As in `RunOptions`. The lines of `drop` are numbers
            of instructions, from 1, or lines of source.
        options: The kernel's parameters with defaults.

    Raises:
        ArgumentError: the kernel takes another number of arrays, or has no such option or block.
        LimitError: a core issues more than the ``instructions`` of `tla.limits`.
        Exception: the kernel's own, with a note of the core and of its last instruction.
    """
    given = given_arrays(kernel, arrays, options)
    if cores < 1:
        raise ArgumentError(f"cores = {cores}: a kernel runs on at least one", cores=cores)
    if cores > limit_of("cores"):
        raise limit_error("cores", f"cores = {cores}", needed=cores)
    if only is not None and not (only and set(only) <= set(range(cores))):
        raise ArgumentError(
            f"only = {only}: the blocks are 0 to {cores - 1}, and one at least is to run", only=only
        )
    workspaces: dict[str, int] = {}
    names = [core for core in kernel.core_names(cores) if only is None or kernel.block_of(core) in only]
    instructions = _issued(kernel, given, names, cores, workspaces, options)
    memories = {name: x.memory for name, x in given.items()}
    tensors = memories | {name: np.zeros(size, np.uint8) for name, size in workspaces.items()}
    run = Run(
        instructions, tensors, checks=checks, seed=seed, orders=orders, arch=kernel.arch, drop=drop,
        strict=strict, progress=progress, cores=names, workspaces=workspaces,
    )  # fmt: skip
    for name, (_, _, shape, order) in given.items():
        run.tensors[name] = run.tensors[name].reshape(shape, order=order)
    return run


def _issued(
    kernel: Kernel, given: Mapping[str, _Given], names: list[str], cores: int,
    workspaces: dict[str, int], options: Mapping[str, Any],
) -> list[Instruction]:  # fmt: skip
    """The instructions of every core, one core after the other."""
    instructions: list[Instruction] = []
    inputs = {name: x.memory for name, x in given.items()}
    for core in names:
        ctx = Context(kernel.arch, core, cores, inputs, instructions, workspaces)
        first = len(instructions)
        try:
            kernel.function(ctx, *[x.tensor for x in given.values()], **options)
        except (Exception, KeyboardInterrupt) as error:
            where = f"in kernel {kernel.name} on {core}, block {kernel.block_of(core)} of {cores}"
            site = site_of(error.__traceback__)
            last = f", after {instructions[-1]}" if instructions[first:] else ""
            error.add_note(f"{where}, at {site}, step {len(instructions) - first}{last}")
            raise
    return instructions
