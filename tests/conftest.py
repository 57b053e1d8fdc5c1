"""Settings and caches that every test shares."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("tla", deadline=None, derandomize="CI" in os.environ)
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
