"""EnginePlan → Report: the report card."""

from __future__ import annotations

from trex.perf.device import Device
from trex.plan.engine_plan import EnginePlan
from trex.rules.plan_lint import ConfigurationSource
from trex.views.chart import Subject
from trex.views.report.report import PARTS, Part, Report
from trex.views.summary import summarize


def report_card(
    plan: EnginePlan, device: Device | None = None, top: int = 10, configuration: ConfigurationSource = None
) -> Report:
    """Everything there is to tell of a plan. device: the GPU, None for the one that the engine's files name.

    top: how many of the slowest layers the summary lists. configuration: settings for lint, none is searched for.
    Charts are made when a reader asks for them.
    """
    return report_of(Subject.of_plan(plan, device, configuration), plan, top)


def report_of(subject: Subject, plan: EnginePlan, top: int = 10) -> Report:
    """The report of a subject that exists already."""
    makers = sorted(PARTS.values(), key=lambda plug: plug.value.order)
    parts: list[Part | None] = [plug.value.make(subject) for plug in makers]
    return Report(plan.name, summarize(plan, top), tuple(part for part in parts if part is not None), subject)
