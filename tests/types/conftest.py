"""The caches of mypy, warm after their first use: one for each setting, as mypy keeps none for two."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of mypy strict and with the plugin."""
    return tmp_path_factory.mktemp("plugin")


@pytest.fixture(scope="session")
def plain_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of mypy strict and without the plugin."""
    return tmp_path_factory.mktemp("plain")
