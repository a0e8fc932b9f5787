"""Notebooks of the repository, and what becomes of one when its cells are run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LONGEST_CELL_S = 120


def executed(path: Path, folder: Path, first_cell: str = "") -> Any:
    """The notebook with its outputs, run in ``folder``. A cell that fails raises; skips where nbclient is absent.

    first_cell: code to run before the others, not part of what is returned.
    """
    nbclient = pytest.importorskip("nbclient", reason="notebooks run with nbclient and ipykernel")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(first_cell))
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    client = nbclient.NotebookClient(
        notebook, timeout=LONGEST_CELL_S, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute(env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)})
    del notebook.cells[0]
    return notebook
