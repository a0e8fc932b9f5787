"""Notebook: what was found, as a cell's output that needs no run, and cells that make it anew and go on from there.

Cells load the engines from where they were read, on the GPU that their files name. Jupyter shows the output only of
notebooks that one trusts, or of cells that one runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from trex.compare.plan_diff import PlanDiff
from trex.export.comparison import ComparisonFormat, ComparisonStyle
from trex.export.comparison_cell import comparison_cell
from trex.plan.engine_plan import EnginePlan
from trex.views.comparison.reading import ComparisonReading


def render(reading: ComparisonReading, style: ComparisonStyle) -> str:
    """nbformat 4.5, the same for the same comparison."""
    cells = [_cell(at, source, shown) for at, (source, shown) in enumerate(_cells(reading))]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1) + "\n"


def _cells(reading: ComparisonReading) -> Iterator[tuple[str, str]]:
    """(code, its output as HTML), the output "" for what is to be run."""
    comparisons = reading.comparisons
    if not comparisons:
        yield "# no engine was compared", comparison_cell(reading)
        return
    several = len(comparisons) > 1
    yield _loading(comparisons), ""
    yield "found  # speed-ups are base over new, above 1 when the new engine is faster", comparison_cell(reading)
    yield "found.show()  # both graphs side by side", ""
    yield f"found.{'df' if several else 'operations_df'}", ""
    yield f"found.{'operations_df' if several else 'df'}", ""
    if several:
        yield "found.best_of_each", ""


def _loading(comparisons: Sequence[PlanDiff]) -> str:
    first = comparisons[0]
    lines = ["import trex", "import trex.comparison", "", f"base = trex.load({_address(first.left)})"]
    if len(comparisons) == 1:
        lines += [f"new = trex.load({_address(first.right)})", "found = trex.comparison.compare(base, new)"]
    else:
        paths = "".join(f"    {_address(each.right)},\n" for each in comparisons)
        lines += [f"others = [trex.load(path) for path in (\n{paths})]"]
        lines += ["found = trex.comparison.compare_series(base, *others)"]
    return "\n".join(lines)


def _address(plan: EnginePlan) -> str:
    """As text of Python that steers nothing, whatever the path holds."""
    path = plan.engine.source.partition("!")[0]
    return ascii(str(Path.cwd() / path) if path else plan.name)


def _cell(at: int, source: str, shown: str) -> dict[str, Any]:
    outputs = []
    if shown:
        html = shown.encode("utf-8", "replace").decode("utf-8")
        outputs = [{"output_type": "display_data", "data": {"text/html": html}, "metadata": {}}]
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"cell-{at}",
        "metadata": {},
        "outputs": outputs,
        "source": source,
    }


FORMAT = ComparisonFormat((".ipynb",), render)
