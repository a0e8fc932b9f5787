"""A chart of comparisons, in page and workbook."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="views/comparison/charts",
    plug='''\
"""One sentence: what the chart shows.

What it shows: how to read it. This text is the chart's explanation in the page.
"""

from __future__ import annotations

from trex.compare.plan_diff import PlanDiff
from trex.views.comparison.chart import NO_TIMES, ComparisonChart
from trex.views.plot import Axis, Bars, Empty, Plot


def make(comparison: PlanDiff) -> Plot | Empty:
    """A plot of the known times, or Empty with the reason. It must work for any two engines."""
    known = [at for at, change in enumerate(comparison.changes) if change.is_known]
    if not known:
        return NO_TIMES
    return Bars(
        "$title",
        [comparison.changes[at].cause.value for at in known],
        [comparison.changes[at].difference_ms for at in known],
        Axis("layer groups"),
        Axis("new minus base", "ms"),
        shows_names=False,
        layers=known,
    )


CHART = ComparisonChart("$title", "layers", 990, make)
''',
    test='''\
"""The chart ``$name`` of comparisons."""

from pathlib import Path

import pytest

from trex.cli.main import main
from trex.compare.plan_diff import PlanDiff
from trex.engine_plan import load_example
from trex.views.comparison.chart import CHARTS
from trex.views.plot import Bars


def test_a_bar_for_every_group_of_layers() -> None:
    diff = PlanDiff(load_example("resnet18-fp16"), load_example("resnet18-int8"))
    plot = CHARTS["$name"].value.make(diff)
    assert isinstance(plot, Bars)
    assert len(plot.values) == len(plot.layers) == len(diff.changes)


def test_the_page_has_it(tmp_path: Path) -> None:
    pytest.importorskip("plotly", reason="plotly is absent: pip install plotly")
    file = tmp_path / "comparison.html"
    assert main(["compare", "example:resnet18-fp16", "example:resnet18-int8", "--output", str(file)]) == 0
    assert 'data-chart="$name"' in file.read_text("utf-8")
''',
    related=(),
)
