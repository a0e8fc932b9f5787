"""Notebook: the document as a cell's output, and code cells that compute it again and go on from there.

Cells load engines from where they were read, at the same shapes and on the same GPU; a comment says what they leave
out. Jupyter shows the output of notebooks that you trust, and of cells that you run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError
from trex.export.document import DocumentFormat, RenderStyle
from trex.export.document_cell import document_cell
from trex.ingest.opening import split_address
from trex.perf.performance import Performance
from trex.perf.recognize import device_of, find_device
from trex.plan.engine_plan import EnginePlan
from trex.store.history import History
from trex.store.sweep_reading import SweepReading
from trex.views.compare.document import Compared
from trex.views.document import Document

# Command → the code that computes its document again from ``plan``, on the device that ``{device}`` adds.
_OF_ONE_ENGINE = {
    "summary": "plan",
    "report": "trex.report_card.report_card(plan{device})",
    "lint": "trex.lint_engine(plan{device})",
    "perf": "trex.roofline.performance(plan{device})",
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
    performance = source if isinstance(source, Performance) else getattr(source, "performance", None)
    plan = source if isinstance(source, EnginePlan) else getattr(performance, "plan", None)
    if document.command in _OF_ONE_ENGINE and isinstance(plan, EnginePlan):
        lines, device = _device(performance)
        code = _OF_ONE_ENGINE[document.command].format(device=device)
        yield "\n".join(("import trex", "", *_left_out(plan), f"plan = {_load(plan)}", *lines, code)), output
        return
    yield f"# trex {document.command}", output


def _comparison(compared: Compared, output: str) -> Iterator[tuple[str, str]]:
    base, others = compared.comparisons[0].left, [comparison.right for comparison in compared.comparisons]
    device_lines, device = _device(compared.comparisons[0].left_performance, "=device")
    left_out = (line for plan in (base, *others) for line in _left_out(plan))
    lines = ["import trex", "import trex.comparison", "", *left_out, f"base = {_load(base)}"]
    if len(others) == 1:
        lines += [f"new = {_load(others[0])}", *device_lines]
        lines += [f"comparison = trex.comparison.compare(base, new{device})"]
    else:
        loads = "".join(f"    {_load(plan)},\n" for plan in others)
        lines += [f"others = [\n{loads}]", *device_lines]
        lines += [f"comparison = trex.comparison.compare_series(base, *others{device})"]
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
    """The call that reads it again, with its optimization profile, model and shapes."""
    words = [_address(plan)]
    if plan.whole_engine.profiles != plan.engine.profiles and plan.engine.profiles:
        words.append(f"profile_id={plan.engine.profiles[0]}")
    if plan.model is not None and plan.model.source:
        words.append(f"onnx={str(Path.cwd() / plan.model.source)!a}")
    shapes = _shapes(plan)
    return f"trex.load({', '.join(words)})" + (f".at_shapes({shapes!a})" if shapes else "")


def _shapes(plan: EnginePlan) -> dict[str, list[int]]:
    """Of the inputs that are dynamic in the file, and not in the plan."""
    shapes = {}
    for binding in plan.engine.bindings if plan.engine is not plan.whole_engine else ():
        whole = plan.whole_engine.binding_by_name.get(binding.name)
        if binding.is_input and binding.tensor and whole and whole.tensor:
            shape, dynamic = binding.tensor.shape, whole.tensor.shape
            if dynamic is not None and None in dynamic and shape is not None and None not in shape:
                shapes[binding.name] = [size for size in shape if size is not None]
    return shapes


def _device(performance: Performance | None, word: str = "") -> tuple[list[str], str]:
    """(code for a GPU that is not the one of the engine's files, the argument that passes it)."""
    device = None if performance is None else performance.device
    if performance is None or device is None or device == device_of(performance.plan):
        return [], ""
    try:
        is_known = replace(find_device(device.name), notes=()) == replace(device, notes=())
    except TrexError:
        is_known = False
    if is_known:
        return [f"device = trex.roofline.find_device({device.name!a})"], f", device{word}"
    return [f"# without the GPU {device.name!a} of a file: trex.roofline.find_device(FILE) reads it"], ""


def _left_out(plan: EnginePlan) -> Iterator[str]:
    """A comment on the file that ``trex.load`` does not read."""
    profile, graph = (plan.files.profile, plan.files.graph) if plan.files and not plan.files.archive else (None, None)
    if profile and graph and Path(profile).parent != Path(graph).parent:
        yield f"# without the layer times of {profile!a}: trex.EnginePlan(GRAPH, PROFILE) reads them"


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
