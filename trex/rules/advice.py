"""Advice: one review of a plan, on its device and under the user's settings, for everything that shows it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from trex.core.configuration import LintConfiguration
from trex.plan.engine_plan import EnginePlan

if TYPE_CHECKING:
    from trex.graph.plan_graph import PlanGraph
    from trex.perf.device import Device
    from trex.perf.performance import Performance
    from trex.rules.review import Review

Settings: TypeAlias = "LintConfiguration | Callable[[], LintConfiguration] | None"
"""The user's settings, or a function that finds them when they are needed; None for none."""


class Advice:
    """What the advisor says of a plan: nothing is looked at before it is asked for, and everything once.

    performance: of the plan where one exists already, with its device; else the plan's on ``device``. The TrexError of
    settings that cannot be read is raised where they are first asked for. baseline: another engine of the same model,
    to compare with.
    """

    def __init__(
        self,
        plan: EnginePlan,
        device: Device | None = None,
        configuration: Settings = None,
        performance: Performance | None = None,
        baseline: EnginePlan | None = None,
    ) -> None:
        self.plan = plan
        self.baseline = baseline
        self.device = device
        self._configuration = configuration
        if performance is not None:
            self.__dict__["performance"] = performance

    @cached_property
    def performance(self) -> Performance:
        from trex.perf.performance import Performance

        return Performance(self.plan, self.device)

    @cached_property
    def configuration(self) -> LintConfiguration:
        found = self._configuration
        return LintConfiguration() if found is None else found() if callable(found) else found

    @cached_property
    def review(self) -> Review:
        """By every rule that the configuration leaves, as ``trex lint`` tells it."""
        from trex.rules.review import Choice, configured, review  # here, because it brings numpy

        return review(self.performance, configured(self.configuration, Choice(), self.performance), self.baseline)


def advice_of(graph: PlanGraph) -> Advice | None:
    """The advice that came with a graph, else that of its plan by itself; None for a graph of no engine."""
    if isinstance(graph.lint, Advice):
        return graph.lint
    return Advice(graph.plan) if isinstance(graph.plan, EnginePlan) else None
