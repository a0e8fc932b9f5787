"""``trex sweep report``: NAME or FILE.toml → SweepReading → Document."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from trex.cli import console
from trex.cli.stores import open_store
from trex.core.errors import TrexError
from trex.core.scratch_folder import scratch_folder

if TYPE_CHECKING:
    from trex.views.document import Document


def report(
    name: str,
    store: str = "",
    columns: str = "",
    where: str = "",
    best_by: str = "",
    lower: Sequence[str] = (),
    commit: str = "",
    *,
    is_short: bool = False,
) -> Document:
    """name: of a sweep, or its file. columns: a CSV file. lower: columns of it that are better when lower."""
    from trex.store.sweep_cells import RATE, sweep_cells
    from trex.store.sweep_reading import SweepReading
    from trex.views.sweep_report import sweep_report

    if not name:
        raise TrexError("which sweep?", "trex sweep report NAME, or trex sweep report FILE.toml")
    with console.patience("reading the store"):
        title, keys, folder = _jobs_of(name) if name.endswith(".toml") else (name, (), "")
        stored = open_store(store or folder)
        cells = sweep_cells(stored, title, columns, keys, commit)
        reading = SweepReading(cells, where, best_by or RATE, frozenset(lower))
        return sweep_report(reading, is_short=is_short)


def _jobs_of(file: str) -> tuple[str, Collection[str], str]:
    """(name of the sweep, keys of its jobs, its store): also of runs that another sweep has made."""
    from pathlib import Path

    from trex.sweep.matrix import Matrix
    from trex.sweep.spec_toml import read_spec

    spec = read_spec(file)
    with scratch_folder() as models:
        matrix = Matrix(spec, Path(models), is_strict=False)
        store = str(Path(spec.folder) / spec.store) if spec.store else ""
        return spec.name, {job.key for job in matrix.jobs if job.key}, store
