"""The notebooks run from the first cell to the last, and are kept without what running them wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.notebook_runs import NOTEBOOKS, executed

EACH = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells_of(path: Path) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return cells


def test_there_are_notebooks():
    assert "engine_graph" in {path.stem for path in NOTEBOOKS}


@EACH
def test_outputs_are_not_kept(path):
    text = path.read_text(encoding="utf-8")
    assert text.endswith("}\n") and "\t" not in text
    for cell in cells_of(path):
        assert not cell.get("outputs") and cell.get("execution_count") is None
        assert cell["metadata"] == {}


@EACH
def test_code_compiles_and_words_come_first(path):
    cells = cells_of(path)
    assert cells[0]["cell_type"] == "markdown" and "".join(cells[0]["source"]).startswith("# ")
    for cell in cells:
        if cell["cell_type"] == "code":
            compile("".join(cell["source"]), str(path), "exec")


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, Path]:
    """A notebook's path, the notebook with its outputs, and the folder it ran in."""
    folder = tmp_path_factory.mktemp(request.param.stem)
    return request.param, executed(request.param, folder), folder


@pytest.mark.slow
@pytest.mark.xdist_group("notebooks")
def test_every_cell_runs(run):
    _, notebook, _ = run
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.execution_count is not None
            assert not [output for output in cell.outputs if output.output_type == "error"]
            assert not [output for output in cell.outputs if output.get("name") == "stderr"], cell.source


@pytest.mark.slow
@pytest.mark.xdist_group("notebooks")
def test_the_graphs_are_shown(run):
    path, notebook, folder = run
    if path.stem != "engine_graph":
        pytest.skip("draws no graphs")
    shown = {
        cell.source: output.data
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "execute_result"
    }
    drawn = [data for source, data in shown.items() if "trex.draw" in source and "save" not in source]
    assert len(drawn) >= 7
    for data in drawn:
        assert "<iframe" in data["text/html"] and data["text/plain"].startswith("<Graph of ")
    assert [data for data in shown.values() if "Sum of layer times" in data.get("text/html", "")]
    assert {"resnet18.html", "resnet18.svg", "resnet18-int8-layers.dot"} <= {file.name for file in folder.iterdir()}
