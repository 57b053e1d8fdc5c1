"""The command line: ``tla COMMAND ...``."""

from .commands import COMMANDS
from .main import main

__all__ = ["COMMANDS", "main"]
