"""Run stores: every run of every engine on disk, and SQL over them.

NVIDIA's TREx has no such module. ``trex store`` is the same on the command line; docs/store.md lists the tables.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from trex.store.run import StoredRun
from trex.store.run_store import RunStore

if TYPE_CHECKING:
    import pandas as pd

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
