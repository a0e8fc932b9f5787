"""The notebook: its cells compute the document again, its output is shown without a run, no path is code."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from typing import Any

import pytest

from tests.export.documents.makers import MAKERS
from tests.factories import engine, layer
from tests.simulated_examples import load_simulated
from trex.export.document import render_document
from trex.plan.engine_plan import EnginePlan

nbformat = pytest.importorskip("nbformat", reason="nbformat is absent: pip install nbformat")


def notebook_of(name: str, *plans: EnginePlan) -> Any:
    notebook = nbformat.reads(render_document(MAKERS[name](*plans), "notebook").decode(), as_version=4)
    nbformat.validate(notebook)
    return notebook


@pytest.mark.parametrize("name", MAKERS)
def test_the_output_is_there_before_any_run_and_the_code_runs(name: str) -> None:
    plans = load_simulated("resnet18-int8"), load_simulated("resnet18-int8-residual")
    notebook = notebook_of(name, *plans)
    outputs = [output["data"]["text/html"] for cell in notebook.cells for output in cell.outputs]
    assert len(outputs) == 1 and "predicted" in outputs[0]
    known: dict[str, Any] = {}
    for cell in notebook.cells:
        exec(cell.source, known)
    if name.startswith("compare"):
        assert len(known["comparison"].operations_df) > 10
        pairs = getattr(known["comparison"], "comparisons", [known["comparison"]])
        assert pairs[0].right.name == plans[1].name
    elif name in ("summary", "perf", "report", "lint"):
        assert known["plan"].name == plans[0].name and notebook.cells[0].source.count("\n") == 3


def test_no_path_is_code() -> None:
    plan = EnginePlan(engine(layer("a")), name="p")
    evil = EnginePlan(replace(plan.engine, source="/x/'); import os; os.abort()  # \ud800\n"))
    for name, calls in (("summary", 1), ("compare", 3)):
        code = json.loads(render_document(MAKERS[name](evil, evil), "notebook"))["cells"][0]["source"]
        assert len([node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]) == calls
        assert "import os" in code and "\ud800" not in code
