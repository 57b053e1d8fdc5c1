"""Schedules of a matrix product: which core computes which block when.

>>> from tla.ascend.schedules import identity, swizzle
>>> schedule = identity((4096, 4096, 4096), (128, 256, 256), offset=3, cores=24)
>>> len(schedule), schedule.proof().points == 4096**3
(512, True)
>>> print(swizzle("GemmIdentityBlockSwizzle<3,0>"))
GemmIdentityBlockSwizzle<3,0>

A schedule is an order of tasks, and a task a block of the M x N x K space on a core in a turn. All are
made of two orders, even shares and bands walked to and fro. The modules, by their subjects:

- ``order``: shares and bands; ``schedule``: tasks and what every schedule answers;
- the schedulers: ``by_tile``, ``by_k``, ``stream``, ``window``; ``swizzles``: their C++ names as values;
- ``cover``: the proof; ``facts``: balance, bytes, L2; ``picture``: cores by turns.
"""

import typing as _typing

if _typing.TYPE_CHECKING:
    from .by_k import single_core_splitk, splitk, tail_splitk
    from .by_tile import column, identity, iterate_k, l1_full_load
    from .cover import CoverError, Proof, prove
    from .facts import Balance, Reuse, Traffic
    from .picture import timeline
    from .schedule import Schedule
    from .stream import streamk
    from .swizzles import (
        BlockSchedulerAswt,
        BlockSchedulerIterateK,
        BlockSwizzle,
        ColumnBlockSwizzle,
        GemmGroupedAswtTailSplitSwizzle,
        GemmIdentityBlockSwizzle,
        GemmIdentityBlockSwizzleL1FullLoad,
        SingleCoreSplitkGemmIdentityBlockSwizzle,
        SplitkGemmIdentityBlockSwizzle,
        StreamkGemmIdentityBlockSwizzle,
        TailSplitkGemmIdentityBlockSwizzle,
        default_swizzle,
        swizzle,
    )
    from .tasks import Block, Task
    from .window import aswt, grouped_aswt
else:
    _NAMES = {
        "by_k": "single_core_splitk splitk tail_splitk",
        "by_tile": "column identity iterate_k l1_full_load",
        "cover": "CoverError Proof prove",
        "facts": "Balance Reuse Traffic",
        "picture": "timeline",
        "schedule": "Schedule",
        "stream": "streamk",
        "swizzles": "BlockSchedulerAswt BlockSchedulerIterateK BlockSwizzle ColumnBlockSwizzle"
        " GemmGroupedAswtTailSplitSwizzle GemmIdentityBlockSwizzle GemmIdentityBlockSwizzleL1FullLoad"
        " SingleCoreSplitkGemmIdentityBlockSwizzle SplitkGemmIdentityBlockSwizzle"
        " StreamkGemmIdentityBlockSwizzle TailSplitkGemmIdentityBlockSwizzle default_swizzle"
        " swizzle",
        "tasks": "Block Task",
        "window": "aswt grouped_aswt",
    }
    _LATER = {name: module for module, names in _NAMES.items() for name in names.split()}

    def __getattr__(name):
        """Load what is public and not here yet."""
        from importlib import import_module

        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f".{_LATER[name]}", __name__), name)
        return value

    def __dir__():
        return sorted({*globals(), *_LATER})


__all__ = [
    "Balance",
    "Block",
    "BlockSchedulerAswt",
    "BlockSchedulerIterateK",
    "BlockSwizzle",
    "ColumnBlockSwizzle",
    "CoverError",
    "GemmGroupedAswtTailSplitSwizzle",
    "GemmIdentityBlockSwizzle",
    "GemmIdentityBlockSwizzleL1FullLoad",
    "Proof",
    "Reuse",
    "Schedule",
    "SingleCoreSplitkGemmIdentityBlockSwizzle",
    "SplitkGemmIdentityBlockSwizzle",
    "StreamkGemmIdentityBlockSwizzle",
    "TailSplitkGemmIdentityBlockSwizzle",
    "Task",
    "Traffic",
    "aswt",
    "column",
    "default_swizzle",
    "grouped_aswt",
    "identity",
    "iterate_k",
    "l1_full_load",
    "prove",
    "single_core_splitk",
    "splitk",
    "streamk",
    "swizzle",
    "tail_splitk",
    "timeline",
]
