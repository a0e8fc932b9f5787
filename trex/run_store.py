"""Run stores: every run of every engine on disk, and SQL over them.

NVIDIA's TREx has no such module. ``trex store`` is the same on the command line; docs/store.md lists the tables.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trex.store.run import StoredRun
from trex.store.run_store import RunStore

if TYPE_CHECKING:
    import pandas as pd

    from trex.store.history import History

__all__ = ["Store", "StoredRun"]


class Store(RunStore):
    """A store at a path or an fsspec address; ``create=True`` makes a new one.

    ``.runs``, ``.layers``, ``.tactics``, ``.samples`` and ``.findings`` are DataFrames, read anew after ``.add``,
    ``.remove`` and ``.refresh``.
    """

    def __init__(self, path: str | os.PathLike[str], create: bool = False) -> None:
        super().__init__(RunStore.open(path, create).storage)

    @property
    def runs(self) -> pd.DataFrame:
        """One row per run."""
        return self.frame("runs")

    @property
    def layers(self) -> pd.DataFrame:
        """One row per layer of a run."""
        return self.frame("layers")

    @property
    def tactics(self) -> pd.DataFrame:
        """One row per kernel of a run."""
        return self.frame("tactics")

    @property
    def samples(self) -> pd.DataFrame:
        """One row per measured inference, at most 1000 of a run."""
        return self.frame("samples")

    @property
    def findings(self) -> pd.DataFrame:
        """One row per finding of ``trex lint``."""
        return self.frame("findings")

    def history(self, model: str, by: str = "made_at", metrics: Sequence[str] = ()) -> History:
        """The history of a model, as ``trex history`` has it: ``.events`` are its changes, ``.series`` the trends.

        by: ``made_at``, ``commit``, ``tensorrt``, ``driver``, or a label's name. metrics: names, by default all.
        Raises TrexError for an unknown model, axis or metric.
        """
        from trex.store.history import history_of

        return history_of(self, model, by, metrics)

    def sweep(self, name: str, columns: str | os.PathLike[str] = "") -> pd.DataFrame:
        """One row per configuration of a sweep: its axes and the medians over its repetitions. columns: a CSV file with
        more, such as accuracies. Raises TrexError if the store has no run of it.
        """
        from trex.store.sweep_cells import sweep_cells

        return sweep_cells(self, name, columns).cells
