"""PlanLint: the lint result of one plan, made when it is first asked for, under the user's configuration."""

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
    from trex.rules.lint_result import LintResult

ConfigurationSource: TypeAlias = "LintConfiguration | Callable[[], LintConfiguration] | None"
"""The user's configuration, or a function that finds it when it is needed; None for none."""


class PlanLint:
    """Performance, configuration and lint result of a plan, each made once, when it is first asked for.

    performance: of the plan if one exists already, with its device; else the plan's on ``device``. baseline: another
    engine of the same model, for colors by change. The TrexError of a configuration that cannot be read is raised where
    the configuration is first asked for.
    """

    def __init__(
        self,
        plan: EnginePlan,
        device: Device | None = None,
        configuration: ConfigurationSource = None,
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
        source = self._configuration
        return LintConfiguration() if source is None else source() if callable(source) else source

    @cached_property
    def result(self) -> LintResult:
        """The same as ``trex lint`` shows."""
        from trex.rules.lint import lint  # here, because it imports numpy

        return lint(self.performance, configuration=self.configuration)


def lint_of(graph: PlanGraph) -> PlanLint | None:
    """The lint that came with a graph, else that of its plan alone; None for a graph of no engine."""
    if isinstance(graph.lint, PlanLint):
        return graph.lint
    return PlanLint(graph.plan) if isinstance(graph.plan, EnginePlan) else None
