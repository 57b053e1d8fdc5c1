# SPDX-License-Identifier: Apache-2.0
"""Terms: the facts that a type states of its values. The mypy plugin computes with them."""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .terms import (
        BITS as BITS,
        NO_VALUE as NO_VALUE,
        OPAQUE as OPAQUE,
        OPEN as OPEN,
        STATIC as STATIC,
        Items as Items,
        Known as Known,
        OpenError as OpenError,
        Record as Record,
        Reflected as Reflected,
        Result as Result,
        Term as Term,
        defined as defined,
        getter as getter,
        marked as marked,
        run as run,
    )

lazy(__name__)
