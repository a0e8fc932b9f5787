"""Chart: one view of an engine, or of two, as a plot; the registry of charts, and what they are made from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from trex.core.provenance import COLUMN, DOUBT, Provenance
from trex.core.registry import Plug, PlugItems, Registry
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.plan_lint import ConfigurationSource, PlanLint
from trex.views.diagram.doubts import doubt_words, doubtful
from trex.views.document import PlotBlock
from trex.views.plot import Empty, Plot

if TYPE_CHECKING:
    import pandas as pd

    from trex.builder.engine_build import EngineBuild

GROUPS = ("performance", "convolutions", "memory", "reformats", "gemms", "efficiency", "roofline", "time", "build")
"""Groups of charts in the order of the report."""


class Subject:
    """What charts are made from: a plan with its performance, or only a table of layers that a user has filtered.

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
        """See ``charting.convolution_rows``."""
        from trex.views.charting import convolution_rows

        return convolution_rows(self.frame, self.plan)

    @cached_property
    def gemms(self) -> pd.DataFrame:
        """See ``charting.gemm_rows``."""
        from trex.views.charting import gemm_rows

        return gemm_rows(self.frame, self.plan, self.convolutions)

    @cached_property
    def build(self) -> EngineBuild | None:
        """What the builder did, from the verbose log among the engine's files; None without one.

        Reads the whole log, when it is first asked for.
        """
        from trex.builder.engine_build import engine_build

        return None if self.plan is None else engine_build(self.plan)

    def titled(self, title: str) -> str:
        """The title, which says so if times are predicted or in doubt: a chart may be shown without its page."""
        label = self.frame.attrs.get(COLUMN) if self.plan is None else self.plan.provenance.label
        title = next(
            (kind.titled(title) for kind in Provenance if kind.has_predicted_times and kind.label == label), title
        )
        if self.performance is None:
            return doubtful(title, self.frame.attrs.get(DOUBT, ""))
        return doubtful(title, doubt_words(self.performance))


@dataclass(frozen=True, slots=True)
class Chart:
    """The specification of one chart.

    name: unique, for addresses in pages. title: of the chart and its plot. explanation: what it shows and how to read
    it. draw: subject → the plot without its title, or Empty with the reason; it must work for every subject.
    group: one of GROUPS, or the section of a comparison. is_classic: a view of the classic report card.
    """

    name: str
    title: str
    explanation: str
    draw: Callable[[Any], Plot | Empty]
    group: str
    is_classic: bool = False

    def plot(self, subject: Any) -> Plot | Empty:
        """The plot under the chart's title."""
        plot = self.draw(subject)
        if isinstance(plot, Empty):
            return plot
        return replace(plot, title=subject.titled(self.title) if isinstance(subject, Subject) else self.title)

    def block(self, subject: Any) -> PlotBlock:
        """The chart as a block of a document. A renderer asks for its plot once, and nothing keeps it after that."""
        return PlotBlock(self.name, self.title, partial(self.plot, subject), self.explanation)


def chart_registry(package: str, groups: Sequence[str], plural: str = "") -> PlugItems[Chart]:
    """The charts of a package by name: files offer them as a tuple ``CHARTS``.

    Charts are sorted by group; within a group come those of the file that has its name, then those of other files.
    """

    def order(plug: Plug, chart: Chart) -> tuple[int, bool, str]:
        position = groups.index(chart.group) if chart.group in groups else len(groups)
        return position, plug.name != chart.group, plug.name

    return PlugItems(Registry(package, "CHARTS", plural, kind=Chart, is_tuple=True), order)


CHARTS = chart_registry("trex.views.charts", GROUPS)


def charts_of(group: str) -> list[Chart]:
    """The charts of a group in their order."""
    return [chart for chart in CHARTS.values() if chart.group == group]
