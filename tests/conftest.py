"""Fixtures every test may use; real artifacts are optional and never part of the repository."""

from __future__ import annotations

import os
from collections.abc import Callable
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
def make_trtexec(tmp_path: Path) -> Callable[..., Path]:
    """Writes a mock trtexec: ``make_trtexec("10.4", fault="hang", at="build")`` → its path. See tests/mocks."""
    from tests.mocks import write_trtexec

    def make(release: str = "10.4", folder: Path | None = None, **behavior: Any) -> Path:
        return write_trtexec(folder or tmp_path / f"TensorRT-{release}", release, **behavior)

    return make
