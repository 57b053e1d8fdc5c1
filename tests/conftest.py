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

# What a command writes is plain, whatever the runner of the tests has set.
os.environ.pop("FORCE_COLOR", None)
# No test takes part in the course of the user.
os.environ["TLA_PROGRESS"] = os.devnull

# A test gives the same answer each time. What is random lies in the fuzzers, which print their seed.
settings.register_profile("tla", deadline=None, derandomize=True)
settings.register_profile("quick", settings.get_profile("tla"), max_examples=40)
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


# --- the slow tests, and what need not run again, for CI ---


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--note-passed", metavar="FILE", help="write the ids of the tests that pass")
    parser.addoption("--leave-out", metavar="FILE", help="leave out the tests whose ids a file lists")


def pytest_configure(config: pytest.Config) -> None:
    if "not slow" in config.option.markexpr:
        settings.load_profile("quick")  # CI has the 100 examples of hypothesis
    if config.option.note_passed and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Passed(Path(config.option.note_passed)))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.option.leave_out:
        known = set(Path(config.option.leave_out).read_text("utf-8").splitlines())
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in known])
        items[:] = [item for item in items if item.nodeid not in known]


class _Passed:
    """The ids of the tests that pass, written at the end."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.ids: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.ids.append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self.file.write_text("".join(f"{name}\n" for name in self.ids), "utf-8")
