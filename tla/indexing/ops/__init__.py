# SPDX-License-Identifier: Apache-2.0
"""The maps of HLO ops, by their opcodes: `RULES`."""

from typing import TYPE_CHECKING

from ...ground import lazy

if TYPE_CHECKING:
    from .op import (
        Leaf as Leaf,
        MalformedError as MalformedError,
        Op as Op,
        called as called,
        leaves as leaves,
    )
    from .rules import Maps as Maps, Rule as Rule, rule as rule
    from .table import RULES as RULES, maps_of as maps_of

if TYPE_CHECKING:
    # for the rooms above
    from .op import Devices as Devices
    from .passing import of_one_input as of_one_input
    from .reshape import coordinates as coordinates

lazy(__name__)
