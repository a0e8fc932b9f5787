"""What a cell shows of two engines: both graphs in a frame of their own, escaped, without IPython."""

from __future__ import annotations

from html import unescape

import pytest
from trex.views.comparison.reading import ComparisonReading, read_comparison
from trex.views.performance.section import Detail

from tests.jupyter.test_drawn_graph import HOSTILE, Tags, chain
from trex.compare.plan_diff import PlanDiff
from trex.core.errors import TrexError
from trex.engine_plan import load_example
from trex.export.comparisons.html import graphs_page
from trex.jupyter.shown_comparison import ShownComparison


@pytest.fixture(scope="module")
def reading() -> ComparisonReading:
    return read_comparison(PlanDiff(load_example("resnet18-int8"), load_example("resnet18-int8-residual")), Detail())


def test_the_cell_holds_the_graphs_and_no_charts(reading: ComparisonReading):
    tags = Tags(ShownComparison(reading, 700)._repr_html_())
    page = tags.frame["srcdoc"]
    assert page == graphs_page(reading).decode("utf-8") and len(page) < 600_000
    assert 'id="pair"' in page and reading.comparisons[0].verdict in unescape(page)
    assert "plotly.js and its license" not in page
    assert tags.frame["sandbox"] == "allow-scripts allow-downloads"
    assert tags.tags == ["div", "p", "iframe"]


def test_hostile_names_stay_in_the_frame():
    plan = chain(HOSTILE)
    tags = Tags(ShownComparison(read_comparison(PlanDiff(plan, plan), Detail()))._repr_html_())
    assert tags.tags == ["div", "p", "iframe"] and set(tags.frame) == {"title", "sandbox", "allow", "style", "srcdoc"}


def test_it_is_saved_by_the_ending(reading: ComparisonReading, tmp_path):
    shown = ShownComparison(reading)
    assert shown.save(tmp_path / "x.md") == str(tmp_path / "x.md")
    assert (tmp_path / "x.md").read_text("utf-8").startswith("# resnet18")
    with pytest.raises(TrexError, match="no kind of comparison"):
        shown.save(tmp_path / "x.doc")
    assert "resnet18-int8 → resnet18-int8-residual" in repr(shown)


@pytest.mark.parametrize("height", [0, -5, 2.5, True, "tall"])
def test_no_height(reading: ComparisonReading, height):
    with pytest.raises(TrexError, match="no height"):
        ShownComparison(reading, height)
