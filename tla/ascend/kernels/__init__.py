# SPDX-License-Identifier: Apache-2.0
"""Kernels that run: instructions executed on bytes, checked for races, deadlocks and stale reads.

`replay` runs a recorded CATLASS kernel. The machine has the pipes, flags and buffers of the chip, and
reads L0A and L0B in its fixed order, so a wrong copy gives wrong numbers. The sanitizer has four checks:
memcheck, racecheck, initcheck, synccheck. Its findings do not depend on the order in which pipes run.

The modules, by their subjects:

- ``instructions`` and ``traces``: one value for each call, and the reader of recorded ones;
- ``boxes``, ``numbers``, ``works``: which bytes, which numbers, what is done with them;
- ``implied``: the operands that a call does not name;
- ``moving``, ``products``, ``vectors``: the definition of each instruction, written once;
- ``programs``, ``queues``, ``memories``: the machine;
- ``conflicts``, ``races``, ``syncs``, ``bounds``, ``shadows``: the checks, and ``findings``;
- ``timing``: when each instruction runs, by a model;
- ``runs``: all of it on one kernel.
"""

from typing import TYPE_CHECKING

from ...ground import lazy

if TYPE_CHECKING:
    from . import blocks as blocks
    from .contexts import Context as Context
    from .findings import CHECKS as CHECKS, Finding as Finding, Place as Place
    from .instructions import Instruction as Instruction, Operand as Operand
    from .places import KernelTensor as KernelTensor, Store as Store
    from .runs import (
        Drop as Drop,
        FindingsError as FindingsError,
        Run as Run,
        RunOptions as RunOptions,
        replay as replay,
        run_program as run_program,
    )
    from .simulation import Kernel as Kernel, gm as gm, kernel as kernel, simulate as simulate
    from .timing import Span as Span, Timing as Timing
    from .traces import arch_of as arch_of, parse_trace as parse_trace, read_trace as read_trace
    from .translation import translate as translate

if TYPE_CHECKING:
    # for the rooms above
    from .numbers import is_memory_of as is_memory_of, type_name as type_name

lazy(__name__, guard=True)
