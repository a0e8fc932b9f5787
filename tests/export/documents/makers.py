"""Command → the document it makes about an engine; tests of every document go over all of them."""

from __future__ import annotations

from collections.abc import Callable

from trex.compare.gate import judge, read_condition
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.views.comparison.document import comparison_document, series_document
from trex.views.document import Detail, Document
from trex.views.layers import layers_document
from trex.views.performance.document import performance_document
from trex.views.report.document import report_document
from trex.views.summary import summary_document

GATE = ("latency>+3%", "layer:*>+10%")


def _comparison(plan: EnginePlan, other: EnginePlan) -> Document:
    comparison = PlanDiff(plan, other)
    judged = judge(comparison, [read_condition(text) for text in GATE])
    return comparison_document(comparison, Detail(explain=True), judged)


MAKERS: dict[str, Callable[[EnginePlan, EnginePlan], Document]] = {
    "summary": lambda plan, other: summary_document(plan),
    "perf": lambda plan, other: performance_document(Performance(plan), Detail(explain=True)),
    "layers": lambda plan, other: layers_document(plan.df, plan),
    "report": lambda plan, other: report_document(plan),
    "compare": _comparison,
    "compare series": lambda plan, other: series_document(EngineSeries(plan, [other, plan]), Detail(explain=True)),
}
"""Name → document about a plan and, where it compares, another one. A new command adds a line."""
