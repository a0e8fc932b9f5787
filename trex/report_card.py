"""The report card of an engine, in a notebook or as data.

Differs from NVIDIA's TREx: each group also holds the charts that are new here; a chart that has nothing to show says
why; tables are shown without a server (see ``trex.notebook``). ``report_card(plan)`` is the whole report as data, and
``report_card(plan).save("report.html")`` one offline page.
"""

from __future__ import annotations

import os
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from trex import _reexported
from trex.classic.overviews import convolutions_overview, memory_overview, performance_overview
from trex.engine_plan import EnginePlan
from trex.export.document import write_document as write_report
from trex.export.document_view import DocumentView
from trex.export.figures.figure import figure_of
from trex.jupyter.pickers import Picker
from trex.jupyter.report_card import Charts, GraphChooser, charts, graphs, picker, tables
from trex.jupyter.show import Tables, shown_once
from trex.parser import read_timing_file
from trex.perf.device import Device
from trex.rules.plan_lint import ConfigurationSource
from trex.views.chart import CHARTS, Subject
from trex.views.charts.time import query_lines
from trex.views.document import Document
from trex.views.pointwise_table import pointwise_table
from trex.views.report.document import report_document

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

__all__ = [
    "Report",
    "layer_latency_sunburst",
    "partial",
    "plot_engine_timings",
    "report_card",
    "report_card_convolutions_overview",
    "report_card_convolutions_overview_widget",
    "report_card_draw_plan_graph",
    "report_card_draw_plan_graph_extended",
    "report_card_efficiency_vs_latency_3d",
    "report_card_gemm_MNK",
    "report_card_gemm_MNK_scatter",
    "report_card_memory_footprint",
    "report_card_memory_footprint_widget",
    "report_card_perf_overview",
    "report_card_perf_overview_widget",
    "report_card_perf_scatter",
    "report_card_pointwise_lint",
    "report_card_reformat_overview",
    "report_card_table_view",
    "write_report",
]


class Report(DocumentView, Document):
    """The whole report as data: a Document that a notebook shows and ``save`` writes."""

    @property
    def document(self) -> Document:
        return self


def report_card(
    plan: EnginePlan, device: Device | None = None, top: int = 10, configuration: ConfigurationSource = None
) -> Report:
    """Everything trex knows about a plan. device: the GPU, None for the one that the engine's files name.

    top: how many of the slowest layers the summary lists. configuration: settings of lint; no file is searched.
    """
    document = report_document(plan, device, top, configuration)
    return Report(**{field.name: getattr(document, field.name) for field in fields(document)})


def report_card_perf_overview(plan: EnginePlan) -> Charts:
    """{title: function that shows the chart and returns its figure}: where the time goes.

    The functions of all overviews take ``title=``, in place of the chart's, and ``do_show=False``. Case and punctuation
    of a key do not matter; ``list(overview)`` lists the keys.
    """
    return performance_overview(plan)


def report_card_perf_overview_widget(plan: EnginePlan) -> Picker:
    """The same as a menu."""
    return picker(report_card_perf_overview(plan), "Performance:")


def report_card_convolutions_overview(convs: pd.DataFrame) -> Charts:
    """{title: function that shows the chart}, of ``plan.get_layers_by_type("Convolution")`` or a part of it.

    Charts that need a column that ``convs`` lacks say so. The titles of TREx's tutorial are keys, too.
    """
    return convolutions_overview(convs)


def report_card_convolutions_overview_widget(convs: pd.DataFrame) -> Picker:
    """A menu of its charts."""
    return picker(charts(Subject(convs), "convolutions"), "Convolutions:")


def report_card_memory_footprint(plan: EnginePlan) -> Charts:
    """{title: function that shows the chart}: bytes of weights and activations.

    The titles of TREx's tutorial are keys, too.
    """
    return memory_overview(plan)


def report_card_memory_footprint_widget(plan: EnginePlan) -> Picker:
    """A menu of its charts."""
    return picker(charts(Subject.of_plan(plan), "memory"), "Memory:")


def report_card_table_view(plan: EnginePlan) -> Picker:
    """A menu of layer types, and the table of the chosen one."""
    return picker(tables(plan), "Layers:")


def report_card_draw_plan_graph(plan: EnginePlan, engine_name: str) -> Picker:
    """A menu of ways to draw the engine's graph. engine_name: kept for old notebooks, nothing is written."""
    return picker(graphs(plan), "Graph:")


def report_card_draw_plan_graph_extended(plan: EnginePlan, engine_name: str) -> GraphChooser:
    """The engine's graph with a switch for everything it can show; buttons save ``<engine_name>.svg`` and ``.onnx``."""
    return GraphChooser(plan, engine_name)


def report_card_pointwise_lint(plan: EnginePlan) -> Any:
    """Shows the table of pointwise layers: their operations, time, and which neighbor might have taken them in."""
    return Tables.show(pointwise_table(plan))


def report_card_reformat_overview(plan: EnginePlan) -> Picker:
    """A menu of charts of Reformat layers."""
    return picker(charts(Subject.of_plan(plan), "reformats"), "Reformats:")


def report_card_gemm_MNK(plan: EnginePlan) -> Picker:
    """A menu of 3D charts of the sizes of GEMMs."""
    return picker(_gemms(plan, in_3d=True), "M, N, K:")


def report_card_gemm_MNK_scatter(plan: EnginePlan) -> Picker:
    """A menu of M, N and K against latency."""
    return picker(_gemms(plan, in_3d=False), "M, N, K:")


def report_card_efficiency_vs_latency_3d(plan: EnginePlan) -> Any:
    """Shows compute efficiency, memory efficiency and latency of GEMMs in 3D."""
    return charts(Subject.of_plan(plan), "efficiency")["Efficiency against latency"]()


def report_card_perf_scatter(plan: EnginePlan) -> Picker:
    """A menu of charts of latency, efficiency, data and arithmetic against one another."""
    menu = charts(Subject.of_plan(plan), "efficiency")
    menu.pop("Efficiency against latency", None)
    return picker(menu, "Efficiency:")


def layer_latency_sunburst(df: pd.DataFrame, title: str, do_show: bool = True) -> go.Figure:
    """Time by type and layer as rings. df: ``plan.df`` or a part of it."""
    figure = figure_of(replace(CHARTS["latency-sunburst"], title=title).plot(Subject(df)))
    if do_show:
        figure.show()
        shown_once(figure)
    return figure


def plot_engine_timings(timing_json_file: str | os.PathLike[str], do_show: bool = True) -> go.Figure:
    """The latency of every query of an exported timing file (``--exportTimes``), in milliseconds."""
    figure = figure_of(replace(CHARTS["per-query-times"], draw=query_lines).plot(read_timing_file(timing_json_file)))
    if do_show:
        figure.show()
        shown_once(figure)
    return figure


def _gemms(plan: EnginePlan, *, in_3d: bool) -> Charts:
    menu = charts(Subject.of_plan(plan), "gemms")
    return {title: show for title, show in menu.items() if title.startswith("M, N and K") == in_3d}


__getattr__ = _reexported(__name__)
