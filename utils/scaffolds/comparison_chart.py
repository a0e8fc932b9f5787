"""A chart of comparisons, in page and workbook."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="views/compare/charts",
    plug='''\
"""One sentence: what the chart shows."""

from __future__ import annotations

from trex.compare.plan_diff import PlanDiff
from trex.views.chart import Chart
from trex.views.compare.chart import NO_TIMES
from trex.views.plot import Axis, Bars, Empty


def _draw(comparison: PlanDiff) -> Bars | Empty:
    """A plot of the known times, or Empty with the reason. It must work for any two engines."""
    known = [index for index, change in enumerate(comparison.changes) if change.is_known]
    if not known:
        return NO_TIMES
    return Bars(
        [comparison.changes[index].cause.value for index in known],
        [comparison.changes[index].difference_ms for index in known],
        Axis("layer groups"),
        Axis("new minus base", "ms"),
        shows_names=False,
        layers=known,
    )


CHARTS = (Chart("$name", "$title", "What it shows and how to read it.", _draw, "layers"),)
''',
    test='''\
"""The chart ``$name`` of comparisons."""

from pathlib import Path

import pytest

from trex.cli.main import main
from trex.compare.plan_diff import PlanDiff
from trex.engine_plan import load_example
from trex.views.compare.chart import CHARTS
from trex.views.plot import Bars


def test_a_bar_for_every_group_of_layers() -> None:
    diff = PlanDiff(load_example("resnet18-fp16"), load_example("resnet18-int8"))
    plot = CHARTS["$name"].plot(diff)
    assert isinstance(plot, Bars)
    assert len(plot.values) == len(plot.layers) == len(diff.changes)


def test_the_page_has_it(tmp_path: Path) -> None:
    pytest.importorskip("plotly", reason="plotly is absent: pip install plotly")
    file = tmp_path / "comparison.html"
    assert main(["compare", "example:resnet18-fp16", "example:resnet18-int8", "--output", str(file)]) == 0
    assert 'data-chart="$name"' in file.read_text("utf-8")
''',
)
