# SPDX-License-Identifier: Apache-2.0
"""A core's scalar unit as Python sees it: it issues instructions, sets flags and waits for them.

>>> unit = ScalarUnit("AtlasA2", "AIC0", 1)
>>> unit.set_flag("MTE1_MTE2", 0)
>>> unit.pipe_barrier("M")
>>> [str(i) for i in unit.instructions]
['AIC0 SetFlag<MTE1_MTE2>(0)', 'AIC0 PipeBarrier<PIPE_M>']
"""

from __future__ import annotations

from inspect import currentframe
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from ...errors import ArgumentError, CoordinateError, KindError, UnsupportedError
from ...ground import described, limit_error, limit_of
from ..arch import arch as arch_named
from .instructions import PIPES, Instruction, Operand, group_of
from .places import byte_of, operand_of, store_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType, TracebackType

    from numpy.typing import NDArray

    from ..arch import Arch
    from .places import KernelTensor

HardEvent: TypeAlias = Literal[
    "M_MTE1", "M_MTE2", "M_FIX", "MTE1_M", "MTE1_MTE2", "MTE1_MTE3", "MTE1_FIX", "MTE2_M", "MTE2_MTE1",
    "MTE2_MTE3", "MTE3_MTE1", "MTE3_MTE2", "FIX_M", "FIX_MTE1", "FIX_MTE2", "MTE2_FIX", "MTE3_FIX",
    "FIX_MTE3", "S_V", "S_MTE2", "S_MTE3", "V_S", "V_MTE2", "V_MTE3", "MTE2_S", "MTE2_V", "MTE3_S",
    "MTE3_V", "M_S", "S_M", "FIX_S", "S_FIX", "MTE1_S", "S_MTE1", "V_V",
]  # fmt: skip
"""An event: the pipe that sets its flag, and the pipe that waits for it."""
Pipe: TypeAlias = Literal["S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL"]

_HERE: Final = str(Path(__file__).parent)
_PACKAGE: Final = str(Path(__file__).parents[2])
_STARTS: Final = str(Path(__file__).parent / "simulation.py")
_BLOCKS: Final = str(Path(__file__).parent / "blocks")


class ScalarUnit:
    """The scalar unit of one core, with the instructions that it has issued."""

    def __init__(
        self, arch: str | Arch, core: str, block_num: int,
        inputs: Mapping[str, NDArray[Any]] | None = None,
        instructions: list[Instruction] | None = None, workspaces: dict[str, int] | None = None,
    ) -> None:  # fmt: skip
        self.arch: Arch = arch_named(arch)
        self.core = core
        """``AIC0`` and the like."""
        self.block_num = block_num
        """How many blocks the kernel was started with."""
        self.instructions: list[Instruction] = [] if instructions is None else instructions
        self._inputs: Mapping[str, NDArray[Any]] = {} if inputs is None else inputs
        self.workspaces: dict[str, int] = {} if workspaces is None else workspaces
        """The bytes of each workspace that the cores asked for."""
        self._most = limit_of("instructions")

    @property
    def is_aic(self) -> bool:
        """Whether the core is a cube core; else it is a vector core."""
        return self.core.startswith("AIC")

    @property
    def is_aiv(self) -> bool:
        """Whether the core is a vector core."""
        return not self.is_aic

    @property
    def block_idx(self) -> int:
        """The number of the core among those of its kind, as ``GetBlockIdx`` gives it."""
        return int(self.core[3:])

    @property
    def group_idx(self) -> int:
        """The number of the cube core with its two vector cores: ``GetBlockIdx / GetSubBlockNum``."""
        return group_of(self.core)

    @property
    def sub_block_idx(self) -> int:
        """Which of the two vector cores of a cube core it is: 0 or 1; of a cube core 0."""
        return self.block_idx % 2 if self.is_aiv else 0

    @property
    def sub_block_num(self) -> int:
        """How many vector cores a cube core has."""
        return 2 if self.is_aiv else 1

    def issue(
        self, op: str, pipe: str, operands: Mapping[str, KernelTensor | Operand] | None = None,
        **params: Any,
    ) -> None:  # fmt: skip
        """Issue an instruction by its AscendC name, with parameters as AscendC names them.

        >>> from tla.ascend.kernels import Context
        >>> ctx = Context("AtlasA2", "AIV0", 1)
        >>> x = ctx.alloc("UB", "half", (16, 16))
        >>> ctx.issue("Tanh", "V", {"dst": x, "src": x}, count=256, isSetMask=True)
        >>> ctx.instructions[0].operands["dst"].place
        'UB[0]'

        Raises:
            LimitError: the kernel has issued as many as the ``instructions`` of `tla.limits`.
            UnsupportedError: there is no such pipe.
        """
        if pipe not in PIPES and pipe != "ALL":
            words = f"There are {', '.join(PIPES)} and ALL."
            raise UnsupportedError(f"there is no pipe {pipe!r}", words, pipe=pipe)
        given: dict[str, Operand] = {
            name: x if isinstance(x, Operand) else operand_of(x) for name, x in (operands or {}).items()
        }
        self.put(op, pipe, given, params)

    def put(
        self, op: str, pipe: str, operands: Mapping[str, Operand], params: Mapping[str, Any]
    ) -> None:
        """Issue an instruction whose operands are places already.

        Raises:
            LimitError: the kernel has issued as many as the ``instructions`` of `tla.limits`.
        """
        number = len(self.instructions) + 1
        if number > self._most:
            raise limit_error(
                "instructions",
                f"the kernel has issued {self._most} instructions, and goes on",
                "Does its loop end?",
            )
        site, via = _sites(currentframe())
        self.instructions.append(Instruction(self.core, op, pipe, operands, params, site, via, number))

    # --- flags and barriers

    def set_flag(self, event: HardEvent, number: int) -> None:
        """Set a flag: what the event's first pipe did before is done. ``SetFlag<HardEvent>(id)``."""
        self.put("SetFlag", _pipes_of(event)[0], {}, {"event": str(event), "id": _id(number)})

    def wait_flag(self, event: HardEvent, number: int) -> None:
        """Let the event's second pipe wait for a flag. ``WaitFlag<HardEvent>(id)``."""
        self.put("WaitFlag", _pipes_of(event)[1], {}, {"event": str(event), "id": _id(number)})

    def pipe_barrier(self, pipe: Pipe = "ALL") -> None:
        """Let a pipe, or all, wait until what it did before is done. ``PipeBarrier<PIPE_V>()``."""
        self.issue("PipeBarrier", pipe)

    def cross_core_set_flag(self, flag: int, mode: int = 2, pipe: Pipe | None = None) -> None:
        """Tell other cores that a pipe is done so far. ``CrossCoreSetFlag<mode, PIPE_FIX>(flag)``.

        Args:
            flag: 0 to 15; each core counts its sets.
            mode: 0 for all cores of the kind, 1 for the two vector cores of a cube core, 2 between a
                cube core and its vector cores; 4 on Ascend950 for one vector core.
            pipe: By default the one that writes global memory: FIX, of a vector core MTE3.
        """
        last = "FIX" if self.is_aic else "MTE3"
        self.issue("CrossCoreSetFlag", last if pipe is None else pipe, mode=mode, flag=_id(flag))

    def cross_core_wait_flag(self, flag: int, mode: int = 0, pipe: Pipe = "S") -> None:
        """Wait for a flag of other cores. On 2201 the whole core waits, on 3510 the named pipe."""
        self.issue(
            "CrossCoreWaitFlag", "S" if self.arch.code == 2201 else pipe, mode=mode, flag=_id(flag)
        )

    def cross_core_barrier(self, mode: int, pipe: Pipe) -> None:
        """Meet the other cores of the kind: all, or with mode 1 those of the cube core.

        CATLASS's ``CrossCoreBarrier<mode, pipe>``, with its flags 8, 9 and 10.
        """
        flag = 9 if self.is_aic else 10 if mode == 1 else 8
        self.cross_core_set_flag(flag, mode, pipe)
        self.cross_core_wait_flag(flag)

    # --- settings

    def set_atomic_add(self, element_of: KernelTensor) -> None:
        """Let later copies to global memory add to what is there. ``SetAtomicAdd<T>()``."""
        self.issue("SetAtomicAdd", "S", dtype=store_of(element_of).dtype)

    def set_atomic_none(self) -> None:
        """Let later copies to global memory replace what is there. ``SetAtomicNone()``."""
        self.issue("SetAtomicNone", "S")

    def set_hf32_mode(self, on: bool) -> None:
        """Round floats to hf32 before they are multiplied. ``SetHF32Mode(on)``."""
        self.issue("SetHF32Mode", "S", value=on)

    def set_mm_layout_transform(self, on: bool) -> None:
        """Sum along N first, as a unit flag with rows in C needs. ``SetMMLayoutTransform(on)``."""
        self.issue("SetMMLayoutTransform", "S", value=on)

    # --- scalars

    def host_values(self, tensor: KernelTensor) -> list[Any]:
        """Return the numbers of an input as its host knows them, and issue nothing.

        Raises:
            UnsupportedError: the tensor is no input.
        """
        return [self._number(tensor, index)[0] for index in range(int(tensor.layout.cosize))]

    def get_value(self, tensor: KernelTensor, index: int = 0) -> Any:
        """Return a number of a tensor that the kernel was given. ``GetValue(index)``.

        Raises:
            UnsupportedError: the tensor is no input: cores make their instructions before they run.
            CoordinateError: its memory ends before the number.
        """
        value, src = self._number(tensor, index)
        self.put("GetValue", "S", {"src": src}, {"value": value})
        return value

    def _number(self, tensor: KernelTensor, index: int) -> tuple[Any, Operand]:
        """A number of an input, and its place."""
        store = store_of(tensor)
        array = self._inputs.get(store.owner) if store.space == "GM" else None
        if array is None:
            raise UnsupportedError(
                f"get_value reads {store.owner if store.space == 'GM' else store.space}, no input",
                "Instructions are made before they run: only the numbers of inputs are known.",
            )
        size = store.element.bytes_of(1)
        at = byte_of(tensor, index) // size
        if not 0 <= at < array.size:
            raise CoordinateError(f"{store.owner} has {array.size} numbers, and none at {at}", at=at)
        return array.reshape(-1)[at].item(), operand_of(tensor, index * size)


def _pipes_of(event: object) -> list[str]:
    pipes = event.split("_") if isinstance(event, str) else []
    if len(pipes) != 2 or not all(pipe in PIPES for pipe in pipes):
        raise ArgumentError(
            f"there is no event {event!r}",
            f"An event names two pipes, as MTE2_MTE1; pipes are {', '.join(PIPES)}.",
            event=event,
        )
    return pipes


def _id(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int):
        raise KindError(f"the id of a flag is an int, not {described(number)}", value=number)
    return number


# --- lines of source

_FILES: Final[dict[str, str | None]] = {}


def _sites(frame: FrameType | None) -> tuple[str, str]:
    """The line of the kernel's author that made a call, and the line that called its function."""
    found: list[str] = []
    while frame is not None and len(found) < 2:
        file = frame.f_code.co_filename
        name = _file_name(file)
        if name is not None:
            found.append(f"{name}:{frame.f_lineno}")
        elif found and file == _STARTS:
            break  # what called the kernel
        frame = frame.f_back
    return (found[0] if found else ""), (found[1] if len(found) > 1 else "")


def site_of(traceback: TracebackType | None) -> str:
    """Return the line of the kernel's author that raised an error."""
    found = ""
    while traceback is not None:
        name = _file_name(traceback.tb_frame.f_code.co_filename)
        found = found if name is None else f"{name}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return found


def _file_name(file: str) -> str | None:
    return _FILES[file] if file in _FILES else _FILES.setdefault(file, _name_of(file))


def _name_of(file: str) -> str | None:
    """A file as findings name it; None for one that makes the words of kernels."""
    if file.startswith(_BLOCKS):
        return "tla" + file[len(_PACKAGE) :].replace("\\", "/")
    if file.startswith(_HERE) or file.startswith(_PACKAGE):
        return None
    here = str(Path.cwd())
    return file[len(here) + 1 :] if file.startswith(here + "/") else file
