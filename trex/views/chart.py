"""Chart: one view of an engine as a plot; the registry of them, and what they are made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from trex.core.provenance import COLUMN, Provenance
from trex.core.registry import Registry
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.plan_lint import ConfigurationSource, PlanLint
from trex.views.plot import Empty, Plot

if TYPE_CHECKING:
    import pandas as pd

GROUPS = ("performance", "convolutions", "memory", "reformats", "products", "efficiency", "roofline", "time", "tactics")
"""Groups of charts in the order of the report."""


class Subject:
    """What charts are made from: a plan with its readings, or nothing but a table of layers that a user has filtered.

    frame: one row per layer with the columns of ``plan.df``. plan, performance, lint: None for a bare table.
    configuration: the user's settings for lint, see ``PlanLint``.
    """

    def __init__(
        self, frame: pd.DataFrame, performance: Performance | None = None, configuration: ConfigurationSource = None
    ) -> None:
        self.frame = frame
        self.performance = performance
        self.lint = (
            None if performance is None else PlanLint(performance.plan, None, configuration, performance=performance)
        )
        self._made: dict[str, Any] = {}

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """What ``make`` gives, made once for all charts that ask by this name."""
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    @classmethod
    def of_plan(
        cls, plan: EnginePlan, device: Device | None = None, configuration: ConfigurationSource = None
    ) -> Subject:
        return cls(plan.df, Performance(plan, device), configuration)

    @property
    def plan(self) -> EnginePlan | None:
        return self.performance.plan if self.performance else None

    @cached_property
    def convolutions(self) -> pd.DataFrame:
        """Rows of convolutions with their ``attr.*`` columns; the frame itself where it is a table of them."""
        from trex.plan.attributes import frame_by_type, with_costs

        if self.plan is not None:
            return self.plan.get_layers_by_type("Convolution")
        if any(str(name).startswith("attr.") for name in self.frame.columns):
            return self.frame if "attr.macs" in self.frame.columns else with_costs(self.frame)
        return frame_by_type(self.frame, "Convolution")


def marked(plot: Plot | Empty, subject: Subject) -> Plot | Empty:
    """The plot, whose title says so where its times were predicted: a chart stands for itself wherever it is shown."""
    told = subject.frame.attrs.get(COLUMN) if subject.plan is None else subject.plan.provenance.label
    is_simulated = told == Provenance.SIMULATED.label
    return (
        replace(plot, title=Provenance.SIMULATED.titled(plot.title))
        if is_simulated and isinstance(plot, Plot)
        else plot
    )


@dataclass(frozen=True, slots=True)
class Chart:
    """title: as TREx users know it, where they do. group: one of GROUPS. order: place in the group, 10 apart.

    make: the plot, or Empty with the reason. It may not fail for any engine: what is missing makes it Empty.
    is_classic: one of the views of the classic report card.
    """

    title: str
    group: str
    order: int
    make: Callable[[Subject], Plot | Empty]
    is_classic: bool = False


CHARTS = Registry("trex.views.charts", "CHART")
