"""What the buffers of compiled programs take in memory, when they are live, and what of it is waste."""

from .aliasing import RULES
from .buffers import AliasedValue, Buffer, ComputationBuffers, Kind, module_buffers, stream_buffers
from .by import Group, Key, group_of, grouped, source_of
from .compare import Comparison, compare
from .copies import Copy, CopyTotal, copy_totals, module_copies
from .entry import alias_bytes, argument_bytes, index_tables_bytes, output_bytes
from .formats import Advice, Formats
from .lifetimes import Lifetime, Lifetimes, Span, lifetimes
from .live import Liveness, Peak, live
from .outline import Outline, module_outline, stream_outline
from .roles import Role, module_roles
from .schedule import Schedule, Step, schedule_of
from .tally import Row, SpaceTotal, Tally, Unsized
from .waste import Factor, Waste, array_waste

__all__ = [
    "RULES",
    "Advice",
    "AliasedValue",
    "Buffer",
    "Comparison",
    "ComputationBuffers",
    "Copy",
    "CopyTotal",
    "Factor",
    "Formats",
    "Group",
    "Key",
    "Kind",
    "Lifetime",
    "Lifetimes",
    "Liveness",
    "Outline",
    "Peak",
    "Role",
    "Row",
    "Schedule",
    "SpaceTotal",
    "Span",
    "Step",
    "Tally",
    "Unsized",
    "Waste",
    "alias_bytes",
    "argument_bytes",
    "array_waste",
    "compare",
    "copy_totals",
    "group_of",
    "grouped",
    "index_tables_bytes",
    "lifetimes",
    "live",
    "module_buffers",
    "module_copies",
    "module_outline",
    "module_roles",
    "output_bytes",
    "schedule_of",
    "source_of",
    "stream_buffers",
    "stream_outline",
]
