"""Fixtures for every test, the options ``--fast`` and ``--part``, and time limits.

Real artifacts are optional and never part of the repository: tests of them are slow, and skipped where they are absent.
"""

from __future__ import annotations

import os
import signal
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("TREX_SHARED", REPOSITORY.parent / "shared"))
READS_REAL_ARTIFACTS = {"shared_engines", "shared_logs"}
SLOW_FILE = "\npytestmark = pytest.mark.slow\n"
CASES_IN_FAST_RUN = 3
PARTS = 8
SLOW_LIMIT_S = 600
LONGEST = (
    "benchmarks/test_benchmarks_run.py", "ingest/test_bounds.py", "tests/test_hostile_input.py", "utils/test_new.py",
    "backends/test_tensorrt_rtx.py", "fuzz/test_monsters.py", "capture/test_killed_runs.py", "packaging/test_wheel.py",
    "documents/test_every_document.py", "views/test_redaction.py", "tests/test_every_diagram.py",
)  # fmt: skip
"""Files of more than 25 s: begun first, so that no worker is alone with one at the end."""

# On a busy machine an example takes seconds. What a test may take is the business of pytest-timeout.
settings.register_profile("trex", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("trex")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fast",
        action="store_true",
        help=f"leave slow tests out; of a test with many cases run {CASES_IN_FAST_RUN}: the first, middle, and last",
    )
    parser.addoption(
        "--part",
        type=int,
        metavar="NUMBER",
        help=f"what --fast runs, and one of {PARTS} parts of the rest: 0 to {PARTS - 1}",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A fast run doesn't even import a file whose tests are all slow."""
    if config.getoption("--fast") and collection_path.suffix == ".py":
        return SLOW_FILE in collection_path.read_text(encoding="utf-8") or None
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Function]) -> None:
    for item in items:
        if READS_REAL_ARTIFACTS & set(item.fixturenames):
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_LIMIT_S))
    items.sort(key=lambda item: not item.path.as_posix().endswith(LONGEST))
    part = config.getoption("--part")
    if config.getoption("--fast") or part is not None:
        chosen = set(_fast(items))
        if part is not None:
            chosen.update(item for item in items if crc32(item.nodeid.encode()) % PARTS == part)
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = [item for item in items if item in chosen]


def _fast(items: list[pytest.Function]) -> list[pytest.Function]:
    cases = defaultdict(list)
    for item in items:
        if not item.get_closest_marker("slow"):
            cases[item.parent, item.originalname].append(item)
    return [item for group in cases.values() for item in _spread(group)]


def _spread(items: list[pytest.Function]) -> list[pytest.Function]:
    if len(items) <= CASES_IN_FAST_RUN:
        return items
    last = len(items) - 1
    return [items[index * last // (CASES_IN_FAST_RUN - 1)] for index in range(CASES_IN_FAST_RUN)]


@pytest.fixture(scope="session", autouse=True)
def _no_settings_from_above(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Ends the search for settings at the folder of temporary folders: a ``trex.toml`` above it changes no test.

    In the checkout, ``[tool.trex]`` of its pyproject.toml does the same.
    """
    (tmp_path_factory.getbasetemp() / "trex.toml").touch()


def _shared(part: str) -> Path:
    folder = SHARED / part
    if not folder.is_dir():
        pytest.skip(f"real artifacts are absent ({part}): set TREX_SHARED to the folder that holds them")
    return folder


@pytest.fixture(scope="session")
def shared_engines() -> Path:
    """Folder of real engines; the test is skipped where it is absent."""
    return _shared("engines")


@pytest.fixture(scope="session")
def shared_logs() -> Path:
    """Folder of real logs; the test is skipped where it is absent."""
    return _shared("logs")


@pytest.fixture
def terminal_signals() -> Iterator[None]:
    """Signals act as in a terminal, here and in child processes, even if the tests run as ``nohup … &``."""
    actions: dict[int, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
    }
    previous = {number: signal.getsignal(number) for number in actions}
    for number, action in actions.items():
        if previous[number] is signal.SIG_IGN:
            signal.signal(number, action)
    yield
    for number, handler in previous.items():
        signal.signal(number, handler)


@pytest.fixture
def make_trtexec(tmp_path: Path) -> Callable[..., Path]:
    """Writes a mock trtexec: ``make_trtexec("10.4", fault="hang", at="build")`` → its path. See tests/mocks."""
    from tests.mocks import write_trtexec

    def make(release: str = "10.4", folder: Path | None = None, **behavior: Any) -> Path:
        return write_trtexec(folder or tmp_path / f"TensorRT-{release}", release, **behavior)

    return make
