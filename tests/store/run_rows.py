"""Rows of the table ``runs``, and a store that answers with them: for tests of readings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd

from trex.core.errors import TrexError
from trex.store.columns import RUNS
from trex.store.storage import LocalStorage

DAY = datetime(2026, 3, 1)


def row(number: int, ms: float, **facts: Any) -> dict[str, Any]:
    """One row of ``runs``."""
    made_at = DAY + timedelta(days=number)
    known = {
        "id": f"{number:016x}", "name": "net", "model": "net", "gpu": "A100", "tensorrt": "10.4", "options": {},
        "provenance": "measured", "batch": 8.0, "precision": "FP16", "made_at": made_at, "added_at": made_at,
        "made_at_from": "manifest", "commit": f"{number:07x}", "labels": {}, "repetition": 0, "gpu_compute_ms": ms,
    }  # fmt: skip
    return {**dict.fromkeys(column.name for column in RUNS.columns), **known, **facts}


class Tables:
    """A store with these rows. kernels: {run: its kernels}. doubted: {run: why its times are}."""

    def __init__(
        self,
        rows: list[dict[str, Any]],
        kernels: Mapping[str, str] | None = None,
        doubted: Mapping[str, str] | None = None,
    ) -> None:
        self.kernels = kernels or {}
        self.doubted = doubted or {}
        self.table = pd.DataFrame(rows)
        for column in ("made_at", "added_at"):
            self.table[column] = pd.to_datetime(self.table[column])
        self.storage = LocalStorage(Path("store"))
        self.queries = self
        self.snapshot = SimpleNamespace(loose={}, compacted={}, removed={})

    def run_ids(self, known: Collection[str] = ()) -> list[str]:
        return []

    def frame(self, sql: str, parameters: list[str]) -> pd.DataFrame:
        named = next((name for name in ("model", "name") if f"{name} = ?" in sql), "")
        return self.table[self.table[named] == parameters[0] if named else slice(None)].copy()

    def plan(self, wanted: str) -> None:
        raise TrexError("the run has no files", "", wanted)

    def rows(self, sql: str, parameters: Sequence[str] = ()) -> list[tuple[str, ...]]:
        if "FROM tactics" in sql:
            return list(self.kernels.items())
        if "FROM findings" in sql:
            return list(self.doubted.items())
        return [] if "FROM layers" in sql else [(name,) for name in sorted(set(self.table["model"]))]
