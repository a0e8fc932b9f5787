"""Command → the document it makes about an engine; tests of every document go over all of them."""

from __future__ import annotations

from collections.abc import Callable

from trex.compare.condition import read_condition
from trex.compare.gate import judge
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries
from trex.core.configuration import LintSettings, Suppression
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.lint import lint
from trex.rules.qdq_report import qdq_report
from trex.views.compare.document import comparison_document, series_document
from trex.views.document import Detail, Document
from trex.views.layers import layers_document
from trex.views.lint import lint_document
from trex.views.perf.document import performance_document
from trex.views.qdq import qdq_document
from trex.views.report.document import report_document
from trex.views.summary import summary_document

GATE = ("latency>+3%", "layer:*>+10%")


def _comparison(plan: EnginePlan, other: EnginePlan) -> Document:
    comparison = PlanDiff(plan, other)
    judged = judge(comparison, [read_condition(text) for text in GATE])
    return comparison_document(comparison, Detail(explain=True), judged)


def _lint(plan: EnginePlan, other: EnginePlan) -> Document:
    settings = LintSettings(suppressions=(Suppression("REF*", "known"),))
    return lint_document(
        lint(Performance(plan), settings, baseline=Performance(other)), explain=True, shows_suppressed=True
    )


def _qdq(plan: EnginePlan, other: EnginePlan) -> Document:
    engine = AnalyzedEngine(Performance(plan))
    return qdq_document(engine, qdq_report(engine))


MAKERS: dict[str, Callable[[EnginePlan, EnginePlan], Document]] = {
    "summary": lambda plan, other: summary_document(plan),
    "perf": lambda plan, other: performance_document(Performance(plan), Detail(explain=True)),
    "layers": lambda plan, other: layers_document(plan.df, plan),
    "report": lambda plan, other: report_document(plan),
    "lint": _lint,
    "qdq": _qdq,
    "compare": _comparison,
    "compare series": lambda plan, other: series_document(EngineSeries(plan, [other, plan]), Detail(explain=True)),
}
"""Name → document about a plan and, where it compares, another one. A new command adds a line."""
