"""A store with runs of small engines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.store.small_engines import write_engine
from trex.store.run import StoredRun
from trex.store.run_store import RunStore

Add = Callable[..., StoredRun]


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore.open(tmp_path / "store", create=True)


@pytest.fixture
def add(store: RunStore, tmp_path: Path) -> Add:
    """``add(1.0, 0.5, name="net", …)`` adds an engine with these layer times."""

    def added(*layer_ms: float, name: str = "net", **given: object) -> StoredRun:
        number = len(list(tmp_path.glob("engine-*")))
        folder = write_engine(tmp_path / f"engine-{number}", name, layer_ms)
        return store.add(folder, **given)

    return added
