"""Overviews of the report card as scripts for TREx ask for them: charts by key."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from trex.core.near_names import did_you_mean
from trex.jupyter.report_card import Charts, charts, show_chart
from trex.plan.engine_plan import EnginePlan
from trex.views.chart import Chart, Subject
from trex.views.charts.convolutions import convolution_bars

if TYPE_CHECKING:
    import pandas as pd

# Titles of charts in TREx's tutorial, with the columns that it plots: (height, color).
_CONVOLUTIONS = {
    "Convolution Data Sizes<BR>(bar color indicates latency)": ("total_io_size_bytes", "latency.pct_time"),
    "Convolution Arithmetic Intensity<BR>(bar color indicates activations size)": (
        "attr.arithmetic_intensity",
        "total_io_size_bytes",
    ),
    "Convolution Arithmetic Intensity<BR>(bar color indicates latency)": (
        "attr.arithmetic_intensity",
        "latency.pct_time",
    ),
    "Convolution Memory Efficiency<BR>(bar color indicates latency)": ("attr.memory_efficiency", "latency.pct_time"),
    "Convolution Compute Efficiency<BR>(bar color indicates latency)": ("attr.compute_efficiency", "latency.pct_time"),
}
# The same of sizes, with our charts of these columns.
_MEMORY = {
    "Weights Sizes Per Layer": "Weights footprint per layer",
    "Activations Sizes Per Layer": "Activation footprint per layer",
    "Layer Activations Sizes Distribution": "Activation footprint distribution per layer",
}
_SPELLINGS = ((r"<br>", " "), (r"colou?r", "color"), (r"bar color indicates", "color"), (r"\bmacs\b", "fmas"))


class Overview(Charts):
    """{key: function that shows the chart and returns its figure}.

    ``overview[key]`` ignores case, punctuation and line breaks and reads ``bar color indicates`` as ``color =``; a key
    without a chart is a KeyError that names similar keys.
    """

    def __missing__(self, key: str) -> Any:
        wanted = _words(str(key))
        for own, show in self.items():
            if _words(own) == wanted:
                return show
        raise KeyError(f"no chart {key!r}; {did_you_mean(str(key), self, 'list(overview) lists the keys')}")


def performance_overview(plan: EnginePlan) -> Overview:
    return Overview(charts(Subject.of_plan(plan), "performance"))


def convolutions_overview(convs: pd.DataFrame) -> Overview:
    """Our charts, and those of TREx's tutorial by their titles there."""
    subject = Subject(convs)
    overview = Overview(charts(subject, "convolutions"))
    for key, (column, shade) in _CONVOLUTIONS.items():
        draw = partial(convolution_bars, column=column, shade=shade)
        overview[key] = partial(show_chart, Chart("", key.replace("<BR>", " "), "", draw, "convolutions"), subject)
    return overview


def memory_overview(plan: EnginePlan) -> Overview:
    """Our charts, some also by their titles in TREx's tutorial."""
    overview = Overview(charts(Subject.of_plan(plan), "memory"))
    overview.update({key: overview[own] for key, own in _MEMORY.items()})
    return overview


def _words(key: str) -> list[str]:
    text = key.casefold()
    for spelling, ours in _SPELLINGS:
        text = re.sub(spelling, ours, text)
    return re.findall(r"[\w%]+", text)
