# SPDX-License-Identifier: Apache-2.0
"""The memory of compiled programs: the bytes of each buffer, its lifetime, its padding.

- ``buffers``, with ``outline aliasing roles``: the values with memory of their own;
- ``tally`` and ``by``: their bytes, in all and in groups; ``waste``: padding; ``sizes``: bytes as text;
- ``lifetimes``, with ``schedule``; ``live``: the peak, with ``simulated`` for the other memories, and
  ``scoped``, the VMEM of single instructions;
- ``copying``, with ``origins renaming trips``; ``formats``, with ``copy_advice updates``: layouts that
  make copies needless;
- ``compare`` and ``matching``: two modules; ``sweep``: many; ``advice``: cheaper layouts of one array;
- ``assignment`` and ``assignment_proto``: the compiler's own allocations and addresses, from a dump;
- ``oom``, with ``oom_text oom_report oom_check``: out-of-memory reports;
- ``entry``: parameters and results; ``pallas``: the blocks of a kernel; ``picture``: buffers as bars.
"""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .aliasing import RULES as RULES
    from .assignment import (
        Allocation as Allocation,
        Assignment as Assignment,
        LiveRanges as LiveRanges,
        PlacedValue as PlacedValue,
        read_assignment as read_assignment,
        read_live_ranges as read_live_ranges,
    )
    from .assignment_proto import read_proto_assignment as read_proto_assignment
    from .buffers import (
        AliasedValue as AliasedValue,
        Buffer as Buffer,
        ComputationBuffers as ComputationBuffers,
        Kind as Kind,
        module_buffers as module_buffers,
        stream_buffers as stream_buffers,
    )
    from .by import (
        Group as Group,
        Key as Key,
        group_of as group_of,
        grouped as grouped,
        source_of as source_of,
    )
    from .collectives import Collective as Collective, collectives as collectives
    from .compare import Comparison as Comparison, compare as compare
    from .copy_advice import Advice as Advice
    from .copying import (
        Copy as Copy,
        CopyTotal as CopyTotal,
        copy_totals as copy_totals,
        run_cycles as run_cycles,
    )
    from .entry import (
        alias_bytes as alias_bytes,
        argument_bytes as argument_bytes,
        index_tables_bytes as index_tables_bytes,
        output_bytes as output_bytes,
    )
    from .formats import Copies as Copies, copies as copies
    from .lifetimes import (
        Lifetime as Lifetime,
        Lifetimes as Lifetimes,
        Span as Span,
        lifetimes as lifetimes,
    )
    from .live import Liveness as Liveness, Peak as Peak, VmemPeak as VmemPeak, live as live
    from .outline import (
        Outline as Outline,
        module_outline as module_outline,
        stream_outline as stream_outline,
    )
    from .pallas import (
        BlockBytes as BlockBytes,
        BlockReport as BlockReport,
        KernelBlock as KernelBlock,
        block_report as block_report,
    )
    from .roles import Role as Role, module_roles as module_roles
    from .schedule import Schedule as Schedule, Step as Step, schedule_of as schedule_of
    from .scoped import (
        ScopedUse as ScopedUse,
        ScopedVmem as ScopedVmem,
        scoped_vmem as scoped_vmem,
    )
    from .sweep import ModuleSummary as ModuleSummary, sweep as sweep
    from .tally import Row as Row, SpaceTotal as SpaceTotal, Tally as Tally, Unsized as Unsized
    from .waste import Factor as Factor, Waste as Waste, array_waste as array_waste

if TYPE_CHECKING:
    # for the rooms above
    from .advice import Candidate as Candidate
    from .buffers import label_of as label_of
    from .by import source_text as source_text
    from .compare import ShapeChange as ShapeChange, ShapeGroup as ShapeGroup, Total as Total
    from .entry import is_tiled as is_tiled
    from .matching import Item as Item
    from .oom import read_reports as read_reports
    from .oom_check import Checked as Checked, check as check, chip_of as chip_of
    from .oom_report import Report as Report
    from .picture import MOST_DRAWN as MOST_DRAWN
    from .sizes import printed_bytes as printed_bytes, printed_expansion as printed_expansion

lazy(__name__, guard=True)
