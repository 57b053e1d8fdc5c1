"""The command line: ``tla COMMAND ...``."""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .commands import COMMANDS as COMMANDS
    from .main import main as main

lazy(__name__)
