"""What a type tells of a value: the terms that the mypy plugin computes with."""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:  # for the rooms above
    from .terms import (
        BITS as BITS,
        OPAQUE as OPAQUE,
        OPEN as OPEN,
        STATIC as STATIC,
        UNTOLD as UNTOLD,
        Items as Items,
        Known as Known,
        Made as Made,
        OpenError as OpenError,
        Reflected as Reflected,
        Result as Result,
        Term as Term,
        defined as defined,
        getter as getter,
        marked as marked,
        run as run,
    )

lazy(__name__)
