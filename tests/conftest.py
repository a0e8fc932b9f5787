"""Fixtures every test may use; real artifacts are optional and never part of the repository."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("TREX_SHARED", REPOSITORY.parent / "shared"))


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
