"""Templates of new plugs of comparisons (a format, a chart, a metric) for utils/new.py."""

from string import Template

COMPARISON_FORMAT = Template('''\
"""$title: one sentence on what this format is for."""

from __future__ import annotations

from trex.core.printable import printable
from trex.export.comparison import ComparisonFormat, ComparisonStyle
from trex.views.comparison.reading import ComparisonReading


def render(reading: ComparisonReading, style: ComparisonStyle) -> str:
    """The file's content. It must stay valid whatever the names in an engine contain."""
    lines = [f"{printable(reading.title)}\\n", *(f"{printable(title)}\\n" for _, title, _ in reading.sections)]
    return "".join(lines)


FORMAT = ComparisonFormat((".$name",), render)
''')

COMPARISON_FORMAT_TEST = Template('''\
"""The format ``$name`` of comparisons."""

from pathlib import Path

from trex.cli.main import main


def test_the_ending_of_the_file_asks_for_it(tmp_path: Path) -> None:
    file = tmp_path / "engine.$name"
    assert main(["compare", "example:resnet18-fp16", "example:resnet18-int8", "--output", str(file)]) == 0
    lines = file.read_text("utf-8").splitlines()
    assert lines[0] == "resnet18-fp16 → resnet18-int8" and "Causes" in lines
''')

COMPARISON_CHART = Template('''\
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
''')

COMPARISON_CHART_TEST = Template('''\
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
''')

METRIC = Template('''\
"""One sentence: what the metric measures."""

from __future__ import annotations

from trex.compare.metric import Metric
from trex.perf.performance import Performance


def read(performance: Performance) -> float | None:
    """The value of one engine, None if unknown. Here: its number of layers."""
    return float(len(performance.plan.layers))


METRIC = Metric("layers", read=read, is_exact=True)
''')

METRIC_TEST = Template('''\
"""The metric ``$name``."""

import pytest

from trex.cli.main import main
from trex.compare.baseline import baseline_document
from trex.engine_plan import load_example

BASE, NEW = "example:resnet18-int8-residual", "example:resnet18-int8"


@pytest.mark.parametrize(("threshold", "code"), [("+100%", 0), ("+1layers", 1)])
def test_the_gate_checks_it(threshold: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", BASE, NEW, "--fail-on", f"$name>{threshold}"]) == code
    assert "$name 25 → 35 layers" in capsys.readouterr().out


def test_a_baseline_keeps_it() -> None:
    assert baseline_document(load_example("resnet18-int8"))["metrics"]["$name"] == 35.0
''')
