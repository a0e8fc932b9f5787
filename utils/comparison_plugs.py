"""Templates of a new chart of comparisons for utils/new.py."""

from string import Template

COMPARISON_CHART = Template('''\
"""One sentence: what is shown over what.

What it shows: how to read it, and what one looks for in it. This text is the chart's explanation in the page.
"""

from __future__ import annotations

from trex.compare.comparison import Comparison
from trex.views.comparison.chart import NO_TIMES, ComparisonChart
from trex.views.plot import Axis, Bars, Empty, Plot


def make(comparison: Comparison) -> Plot | Empty:
    """A plot of what is known, or Empty with the reason: no two engines may make it fail."""
    known = [at for at, change in enumerate(comparison.changes) if change.is_known]
    if not known:
        return NO_TIMES
    return Bars(
        "$title",
        [comparison.changes[at].cause.value for at in known],
        [comparison.changes[at].difference_ms for at in known],
        Axis("layer groups"),
        Axis("new less base", "ms"),
        shows_names=False,
        layers=known,
    )


CHART = ComparisonChart("$title", "layers", 990, make)
''')

COMPARISON_CHART_TEST = Template('''\
"""The chart ``$name`` of comparisons."""

from pathlib import Path

import pytest

from trex.cli.main import main
from trex.compare.comparison import compare
from trex.engine_plan import load_example
from trex.views.comparison.chart import CHARTS
from trex.views.plot import Bars


def test_a_bar_for_every_group_of_layers() -> None:
    found = compare(load_example("resnet18-fp16"), load_example("resnet18-int8"))
    plot = CHARTS["$name"].value.make(found)
    assert isinstance(plot, Bars)
    assert len(plot.values) == len(plot.layers) == len(found.changes)


def test_the_page_has_it(tmp_path: Path) -> None:
    pytest.importorskip("plotly", reason="plotly is absent: pip install plotly")
    file = tmp_path / "comparison.html"
    assert main(["compare", "example:resnet18-fp16", "example:resnet18-int8", "--output", str(file)]) == 0
    assert 'data-chart="$name"' in file.read_text("utf-8")
''')
