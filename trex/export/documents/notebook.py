"""Notebook: the document as a cell's output, and code cells that compute it again and go on from there.

Cells load engines from where they were read, on the GPU that their files name. Jupyter shows the output of notebooks
that you trust, and of cells that you run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trex.export.document import DocumentFormat, RenderStyle
from trex.export.document_cell import document_cell
from trex.ingest.opening import split_address
from trex.plan.engine_plan import EnginePlan
from trex.rules.lint_result import LintResult
from trex.store.history import History
from trex.store.sweep_reading import SweepReading
from trex.views.compare.document import Compared
from trex.views.document import Document

# Command → the code that computes its document again from ``plan``.
_OF_ONE_ENGINE = {
    "summary": "plan",
    "report": "trex.report_card.report_card(plan)",
    "lint": "trex.lint_engine(plan)",
    "perf": "trex.roofline.performance(plan)",
}


def render(document: Document, style: RenderStyle) -> str:
    """nbformat 4.5, the same for the same document."""
    cells = [_cell(number, code, output) for number, (code, output) in enumerate(_cells(document))]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1) + "\n"


def _cells(document: Document) -> Iterator[tuple[str, str]]:
    """(code, its output as HTML, empty for what is to be run)."""
    output = document_cell(document)
    source = document.source
    if isinstance(source, Compared) and source.comparisons:
        yield from _comparison(source, output)
        return
    if isinstance(source, History | SweepReading):
        yield from _stored(source, output)
        return
    source = source.performance if isinstance(source, LintResult) else source
    plan = source if isinstance(source, EnginePlan) else getattr(source, "plan", None)
    if document.command in _OF_ONE_ENGINE and isinstance(plan, EnginePlan):
        code = _OF_ONE_ENGINE[document.command]
        yield f"import trex\n\nplan = {_load(plan)}\n{code}", output
        return
    yield f"# trex {document.command}", output


def _comparison(compared: Compared, output: str) -> Iterator[tuple[str, str]]:
    base, others = compared.comparisons[0].left, [comparison.right for comparison in compared.comparisons]
    lines = ["import trex", "import trex.comparison", "", f"base = {_load(base)}"]
    if len(others) == 1:
        lines += [f"new = {_load(others[0])}", "comparison = trex.comparison.compare(base, new)"]
    else:
        loads = "".join(f"    {_load(plan)},\n" for plan in others)
        lines += [f"others = [\n{loads}]"]
        lines += ["comparison = trex.comparison.compare_series(base, *others)"]
    yield "\n".join(lines), ""
    yield "comparison  # speed-ups are base over new, above 1 when the new engine is faster", output
    yield "comparison.show()  # both graphs side by side", ""
    yield "comparison.df", ""
    yield "comparison.operations_df", ""
    if len(others) > 1:
        yield "comparison.best_of_each", ""


def _stored(source: History | SweepReading, output: str) -> Iterator[tuple[str, str]]:
    """The runs of a history or a sweep, as rows of the store's tables."""
    is_sweep = isinstance(source, SweepReading)
    store = source.sweep.store if isinstance(source, SweepReading) else source.store
    path = ascii(store if "://" in store else str(Path.cwd() / store))
    yield f"import trex.run_store\n\nstore = trex.run_store.Store({path})", output
    if isinstance(source, SweepReading):
        yield f"runs = store.runs\nruns = runs[runs.id.isin({source.run_ids!a})]\nruns", ""
    else:
        yield f"runs = store.runs\nruns = runs[runs.model == {source.model!a}].sort_values('made_at')\nruns", ""
    by = "labels" if is_sweep else "commit"
    yield f"runs[['id', 'gpu', 'precision', 'batch', 'gpu_compute_ms', 'latency_ms', {by!r}]]", ""
    yield "layers = store.layers\nlayers[layers.id.isin(runs.id)].groupby(['id', 'type']).time_ms.sum().unstack()", ""


def _load(plan: EnginePlan) -> str:
    """The call that reads it again, with its optimization profile and model; a comment on what no argument names."""
    words = [_address(plan)]
    if plan.whole_engine.profiles != plan.engine.profiles and plan.engine.profiles:
        words.append(f"profile_id={plan.engine.profiles[0]}")
    if plan.model is not None and plan.model.source:
        words.append(f"onnx={str(Path.cwd() / plan.model.source)!a}")
    return f"trex.load({', '.join(words)})"


def _address(plan: EnginePlan) -> str:
    """As a string literal, whatever the path contains."""
    path = plan.engine.source
    path = next(iter(split_address(path) or (path,)))
    return ascii(str(Path.cwd() / path) if path else plan.name)


def _cell(number: int, code: str, output: str) -> dict[str, Any]:
    outputs = []
    if output:
        html = output.encode("utf-8", "replace").decode("utf-8")
        outputs = [{"output_type": "display_data", "data": {"text/html": html}, "metadata": {}}]
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"cell-{number}",
        "metadata": {},
        "outputs": outputs,
        "source": code,
    }


FORMAT = DocumentFormat((".ipynb",), render)
