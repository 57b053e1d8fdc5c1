"""Settings and caches that every test shares."""

import os
import sys
from pathlib import Path

import pytest

if sys.dont_write_bytecode:
    # Tests start many processes. Without bytecode each of them would compile the library again.
    sys.pycache_prefix = str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
    sys.dont_write_bytecode = False
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

from hypothesis import settings

# A test gives the same answer each time. What is random lies in the fuzzers, which print their seed.
settings.register_profile("tla", deadline=None, derandomize=True)
settings.load_profile("tla")


# mypy keeps no cache for two settings


@pytest.fixture(scope="session")
def mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of mypy, strict and with the plugin, warm after its first use."""
    return tmp_path_factory.mktemp("plugin")


@pytest.fixture(scope="session")
def plain_mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same without the plugin."""
    return tmp_path_factory.mktemp("plain")
