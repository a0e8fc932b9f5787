"""Plans → what notebook cells show of engines side by side: plots, tables of pairs of layers, and one pair in full."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from trex.compare.classic_pairs import Pair, classic_pairs
from trex.compare.plan_diff import PlanDiff
from trex.export.figures.figure import figure_of
from trex.jupyter.highlights import speedup_ranges
from trex.jupyter.report_card import Charts
from trex.jupyter.show import Tables, show_figure, show_html
from trex.plan.engine_plan import EnginePlan
from trex.views.compare.chart import CHARTS
from trex.views.diagram.doubts import doubt_words, doubtful
from trex.views.engines.plots import overview
from trex.views.engines.tables import SPEEDUP, details, merged
from trex.views.plot import Empty, Plot

if TYPE_CHECKING:
    import pandas as pd

NO_SUCH_PAIR = "<p>No pair of layers is like that.</p>"
LONGEST_NAME = 60


def overviews(plans: Sequence[EnginePlan]) -> Charts:
    """{title: what shows the plot of all engines and returns its figure}."""
    return {title: partial(_figure, make) for title, make in overview(plans).items()}


def _figure(make: Callable[[], Plot | Empty]) -> Any:
    return show_figure(figure_of(make()))


def difference_charts(left: EnginePlan, right: EnginePlan) -> Charts:
    """{title: what shows the chart of the difference between two engines}, those of other packages too."""
    comparison = PlanDiff(left, right)
    words = doubt_words(comparison)
    charts = {chart.title: replace(chart, title=doubtful(chart.title, words)) for chart in CHARTS.values()}
    return {title: partial(_figure, partial(chart.plot, comparison)) for title, chart in charts.items()}


def latency_tables(left: EnginePlan, right: EnginePlan, threshold: float, *, exact: bool) -> Charts:
    """{which pairs: what shows their table}; speed-ups beyond the threshold are colored."""
    frame = merged(left, right, classic_pairs(left, right, exact=exact))
    on_both = (frame["name (1)"] != "") & (frame["name (2)"] != "")
    mismatches = {
        "Precision Mismatch": (frame["in-p (1)"] != frame["in-p (2)"]) | (frame["out-p (1)"] != frame["out-p (2)"]),
        "Tactic Mismatch": frame["tactic (1)"] != frame["tactic (2)"],
    }
    tables: Charts = {"All": partial(_table, frame, threshold)}
    for title, rows in mismatches.items():
        tables[title] = partial(_table, frame[on_both & rows], threshold)
    for kind in dict.fromkeys(frame["type"]):
        tables[f"type {kind}" if kind in tables else kind] = partial(_table, frame[frame["type"] == kind], threshold)
    return tables


def _table(frame: pd.DataFrame, threshold: float) -> Any:
    if frame.empty:
        return show_html(NO_SUCH_PAIR)
    return Tables.show(frame, range_highlights=speedup_ranges(SPEEDUP, threshold))


def pair_tables(left: EnginePlan, right: EnginePlan) -> Charts:
    """{pair of layers: shows everything that the files contain about both}, in execution order."""
    tables: Charts = {}
    for number, pair in enumerate(classic_pairs(left, right, exact=True)):
        left_index, right_index = pair
        first = (
            left.working_layers[left_index].name
            if left_index is not None
            else right.working_layers[right_index or 0].name
        )
        side = "" if None not in pair else " (only in 1)" if pair[1] is None else " (only in 2)"
        cut = first if len(first) <= LONGEST_NAME else f"{first[:LONGEST_NAME]}…"
        tables[f"{number}: {cut}{side}"] = partial(_pair, left, right, pair)
    return tables


def _pair(left: EnginePlan, right: EnginePlan, pair: Pair) -> Any:
    return Tables.show(details(left, right, pair))
