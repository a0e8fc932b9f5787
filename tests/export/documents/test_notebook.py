"""The notebook: its cells compute the document again, its output is shown without a run, no path is code."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from typing import Any

import pytest

from tests.export.documents.makers import MAKERS
from tests.factories import engine, layer, t
from tests.simulated_examples import load_simulated
from trex.compare.plan_diff import PlanDiff
from trex.export.document import render_document
from trex.ingest.files import EngineFiles
from trex.perf.device import Device
from trex.perf.known_devices import find_device
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.views.compare.document import comparison_document
from trex.views.perf.document import performance_document

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


def code_of(command: str, plan: EnginePlan, device: Device | None = None) -> str:
    document = performance_document(Performance(plan, device))
    if command == "compare":
        document = comparison_document(PlanDiff(plan, plan, device))
    return json.loads(render_document(document, "notebook"))["cells"][0]["source"]


def test_cells_name_the_gpu_and_the_shapes_that_were_given() -> None:
    x, y = t("x", [None, 8]), t("y", [None, 8])
    plan = EnginePlan(engine(layer("a", inputs=[x], outputs=[y]), inputs=["x"], outputs=["y"]), name="p")
    h100, own = find_device("H100"), Device("mine\n")
    assert "device" not in code_of("perf", plan) and "at_shapes" not in code_of("perf", plan)
    for command, call in (("perf", "performance(plan, device)"), ("compare", "compare(base, new, device=device)")):
        code = code_of(command, plan.at_shapes({"x": (4, 8)}), h100)
        assert ".at_shapes({'x': [4, 8]})\n" in code and f"find_device({h100.name!r})\n" in code and call in code
    code = code_of("perf", plan, own)
    assert "# without the GPU 'mine\\n' of a file" in code and code.endswith("performance(plan)")


def test_a_profile_of_another_folder_is_a_comment() -> None:
    plan = EnginePlan(engine(layer("a")), name="p")
    plan.files = EngineFiles("p", graph="a/p.graph.json", profile="b/\n.json")
    assert "# without the layer times of 'b/\\n.json'" in code_of("perf", plan)
    plan.files = EngineFiles("p", graph="a/p.graph.json", profile="a/p.profile.json")
    assert "#" not in code_of("perf", plan)
