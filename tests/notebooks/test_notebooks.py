"""The notebooks run from the first cell to the last with what the extra ``notebook`` brings; outputs are in docs/."""

from __future__ import annotations

import ast
import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import trex
from tests.notebook_runs import NOTEBOOKS, executed
from tests.notebooks.declared import hiding_cell, undeclared

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "notebooks"
PUBLIC = {"trex", *(f"trex.{file.stem}" for file in (ROOT / "trex").glob("*.py"))}

EACH = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells_of(path: Path) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return cells


def test_there_are_notebooks() -> None:
    names = {path.stem for path in NOTEBOOKS}
    assert names >= {"tutorial", "api-examples", "engine_report_card", "compare_engines", "engine_graph"}
    assert "quantization_walkthrough" in names


@EACH
def test_outputs_are_not_kept(path: Any) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.endswith("}\n") and "\t" not in text
    for cell in cells_of(path):
        assert not cell.get("outputs") and cell.get("execution_count") is None
        assert cell["metadata"] == {}


@EACH
def test_code_compiles_and_words_come_first(path: Any) -> None:
    cells = cells_of(path)
    assert cells[0]["cell_type"] == "markdown" and "".join(cells[0]["source"]).startswith("# ")
    for cell in cells:
        if cell["cell_type"] == "code":
            compile("".join(cell["source"]), str(path), "exec")


@EACH
def test_only_public_names_are_imported(path: Any) -> None:
    code = "\n".join("".join(cell["source"]) for cell in cells_of(path) if cell["cell_type"] == "code")
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("trex"):
            assert node.module in PUBLIC
        elif isinstance(node, ast.Import):
            assert all(each.name in PUBLIC for each in node.names if each.name.startswith("trex"))


@EACH
def test_it_says_how_to_take_an_engine_of_ones_own_and_that_times_of_examples_are_predicted(path: Any) -> None:
    words = "".join("".join(cell["source"]) for cell in cells_of(path)[:6])
    assert ("predicted" in words or "synthetic" in words) and ("our own" in words or "your own" in words.lower())


@EACH
def test_it_has_a_page_with_its_cells_and_pictures(path: Any) -> None:
    page = (PAGES / f"{path.stem}.md").read_text(encoding="utf-8")
    at = 0
    for cell in cells_of(path):
        if cell["cell_type"] == "code":
            at = page.index("".join(cell["source"]), at)
    pictures = re.findall(r"\]\((pictures/[^)]+)\)", page)
    assert set(pictures) == {f"pictures/{file.name}" for file in (PAGES / "pictures").glob(f"{path.stem}-??.webp")}
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page):
        assert (PAGES / target).exists(), target
    assert len(page.encode()) + sum((PAGES / each).stat().st_size for each in pictures) < 450_000


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, Path]:
    """A notebook's path, the notebook with its outputs, and the folder it ran in."""
    folder = tmp_path_factory.mktemp(request.param.stem)
    return request.param, executed(request.param, folder, hiding_cell()), folder


@pytest.mark.slow
@pytest.mark.xdist_group("notebooks")
def test_every_cell_runs(run: Any) -> None:
    _, notebook, _ = run
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.execution_count is not None
            assert not [output for output in cell.outputs if output.output_type == "error"]
            assert not [output for output in cell.outputs if output.get("name") == "stderr"], cell.source


@pytest.mark.slow
@pytest.mark.xdist_group("notebooks")
def test_the_graphs_are_shown(run: Any) -> None:
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


@pytest.mark.slow
@pytest.mark.xdist_group("notebooks")
def test_the_page_says_what_the_cells_show(run: Any) -> None:
    path, notebook, _ = run
    script = runpy.run_path(str(ROOT / "utils" / "write_notebook_pages.py"), run_name="utils_write_notebook_pages")
    page = script["page_of"](path.stem, notebook)
    assert page.text == (PAGES / f"{path.stem}.md").read_text(encoding="utf-8"), (
        f"python utils/write_notebook_pages.py {path.stem}"
    )


@pytest.mark.slow
@pytest.mark.xdist_group("notebooks")
def test_what_is_shown_is_shown_once(run: Any) -> None:
    for cell in run[1].cells:
        if cell.cell_type == "code":
            shown = [json.dumps(output.data, sort_keys=True) for output in cell.outputs if "data" in output]
            assert len(shown) == len(set(shown)), cell.source
            assert not [each for each in shown if "object at 0x" in each], cell.source


def test_undeclared_modules_are_hidden() -> None:
    # pytest is no requirement of notebooks, pandas is: what hides the one must not hide the other.
    hidden = undeclared()
    assert "pytest" in hidden
    assert not {"pandas", "plotly", "ipywidgets", "IPython", "xlsxwriter", "openpyxl"} & hidden
    assert trex.__name__ not in hidden
