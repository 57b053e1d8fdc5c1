# SPDX-License-Identifier: Apache-2.0
"""Schedules of a matrix product: the core and the turn of each block.

>>> from tla.ascend.schedules import identity, swizzle
>>> schedule = identity((4096, 4096, 4096), (128, 256, 256), offset=3, cores=24)
>>> len(schedule), schedule.proof().points == 4096**3
(512, True)
>>> print(swizzle("GemmIdentityBlockSwizzle<3,0>"))
GemmIdentityBlockSwizzle<3,0>

A schedule is an order of tasks. A task is a block of the M x N x K space on a core in a turn. Every
schedule combines two orders: even shares, and bands that run to and fro. The modules, by their subjects:

- ``order``: shares and bands; ``tasks`` and ``schedule``: the methods of every schedule;
- the schedulers: ``by_tile``, ``by_k``, ``stream``, ``window``; ``groups``: several products;
  ``heads``: attention; ``convolution``; ``rows``: products with a vector;
  ``swizzles``: their C++ names as values;
- ``cover``: the proof; ``facts``: balance, bytes, L2; ``picture``: cores by turns.
"""

from typing import TYPE_CHECKING

from ...ground import lazy

if TYPE_CHECKING:
    from .by_k import (
        single_core_splitk as single_core_splitk,
        splitk as splitk,
        tail_splitk as tail_splitk,
    )
    from .by_tile import (
        column as column,
        identity as identity,
        iterate_k as iterate_k,
        l1_full_load as l1_full_load,
    )
    from .convolution import convolution as convolution
    from .cover import CoverError as CoverError, Proof as Proof, box as box, prove as prove
    from .facts import Balance as Balance, Reuse as Reuse, Traffic as Traffic
    from .groups import Axis as Axis
    from .heads import heads as heads
    from .picture import block_map as block_map, timeline as timeline
    from .rows import rows as rows
    from .schedule import Schedule as Schedule
    from .stream import streamk as streamk
    from .swizzles import (
        BlockSchedulerAswt as BlockSchedulerAswt,
        BlockSchedulerIterateK as BlockSchedulerIterateK,
        BlockSwizzle as BlockSwizzle,
        ColumnBlockSwizzle as ColumnBlockSwizzle,
        GemmGroupedAswtTailSplitSwizzle as GemmGroupedAswtTailSplitSwizzle,
        GemmIdentityBlockSwizzle as GemmIdentityBlockSwizzle,
        GemmIdentityBlockSwizzleL1FullLoad as GemmIdentityBlockSwizzleL1FullLoad,
        SingleCoreSplitkGemmIdentityBlockSwizzle as SingleCoreSplitkGemmIdentityBlockSwizzle,
        SplitkGemmIdentityBlockSwizzle as SplitkGemmIdentityBlockSwizzle,
        StreamkGemmIdentityBlockSwizzle as StreamkGemmIdentityBlockSwizzle,
        TailSplitkGemmIdentityBlockSwizzle as TailSplitkGemmIdentityBlockSwizzle,
        default_swizzle as default_swizzle,
        in_groups as in_groups,
        swizzle as swizzle,
    )
    from .tasks import Block as Block, Task as Task
    from .window import aswt as aswt, grouped_aswt as grouped_aswt

if TYPE_CHECKING:
    # for the rooms above
    from .facts import tally as tally
    from .order import Bands as Bands, bands_of as bands_of, share as share
    from .swizzles import WORDS as WORDS
    from .tasks import positive as positive

lazy(__name__, guard=True)
