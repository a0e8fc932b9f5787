"""PlanDiff or EngineSeries → ComparisonReading: the sections that have something to tell of two or more engines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from trex.compare.engine_facts import unique_names
from trex.compare.gate import GateResult
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries, SeriesKind
from trex.core.provenance import Provenance
from trex.plan.engine_plan import EnginePlan
from trex.views.comparison.scaling_plot import scaling_plot
from trex.views.comparison.section import sections_of
from trex.views.comparison.series_section import series_sections_of
from trex.views.performance.reading import Reading, section_dict
from trex.views.performance.section import Content, Detail
from trex.views.plot import Empty, Plot
from trex.views.table import Table, TableColumn

SCHEMA = "trex.compare/1"


@dataclass(frozen=True, slots=True)
class ComparisonReading(Reading):
    """A Reading of two or more engines, which every writer of readings can write. left: the base's name. right: that of
    the other, of several all. judged: what was asked to fail on. comparisons: each new engine against the base, of
    which pictures are made. plots: (section, plot) of what is shown of all together. news: names of the others, where
    there are several; labels: shorter, where these stand below one another or little room is. detail: how much is told.
    """

    left: str = ""
    right: str = ""
    judged: tuple[GateResult, ...] = ()
    comparisons: tuple[PlanDiff, ...] = ()
    plots: tuple[tuple[str, Plot], ...] = ()
    news: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    detail: Detail = field(default_factory=Detail)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready data with a versioned schema; units stand in the keys, what is unknown is null."""
        told: dict[str, Any] = {
            "schema": SCHEMA,
            "base": self.left,
            "new": list(self.news) or self.right,
            "statement": self.statement,
            "headlines": [{"section": title, "statement": statement} for title, statement in self.headlines],
            "gate": [
                {
                    "engine": each.engine or self.right,
                    "condition": each.condition.text,
                    "judgment": each.status.value,
                    "subject": each.subject,
                    "words": each.words,
                }
                for each in self.judged
            ],
            "sections": {name: section_dict(title, content) for name, title, content in self.sections},
        }
        if self.news:
            pairs = zip(self.news, self.comparisons, strict=True)
            told["comparisons"] = [self._pair(name, comparison) for name, comparison in pairs]
        return told

    def _pair(self, name: str, comparison: PlanDiff) -> dict[str, Any]:
        sections = sections_of(comparison, self.detail)
        data = {key: section_dict(title, content) for key, title, content in sections}
        return {"base": self.left, "new": name, "sections": data}


def read_comparison(comparison: PlanDiff, detail: Detail, judged: Sequence[GateResult] = ()) -> ComparisonReading:
    """Every section that has something to tell; what was asked to fail on, first."""
    left, right = unique_names((comparison.left, comparison.right))
    return ComparisonReading(
        title=f"{left} → {right}",
        statement=_made_up([("base", comparison.left), ("new", comparison.right)]),
        device="",
        sections=(*_gate(judged), *sections_of(comparison, detail)),
        left=left,
        right=right,
        judged=tuple(judged),
        comparisons=(comparison,),
    )


def read_series(series: EngineSeries, detail: Detail, judged: Sequence[GateResult] = ()) -> ComparisonReading:
    """The same of any number of engines: of two with what only a series tells behind it, of more what tells them side
    by side; as data each pair with the base, too.
    """
    told = series_sections_of(series, detail)
    plot = scaling_plot(series) if series.kind is SeriesKind.BATCH else Empty("no series of batch sizes")
    plots = () if isinstance(plot, Empty) else (("scaling", plot),)
    if len(series.comparisons) == 1:
        pair = read_comparison(series.comparisons[0], detail, judged)
        return replace(pair, sections=(*pair.sections, *told), plots=plots)
    base, *others = series.names
    return ComparisonReading(
        title=f"{base} → {', '.join(others)}",
        statement=_made_up(list(zip(series.names, series.plans, strict=True))),
        device="",
        sections=(*_gate(judged), *told),
        left=base,
        right=", ".join(others),
        judged=tuple(judged),
        comparisons=series.comparisons,
        plots=plots,
        news=tuple(others),
        labels=series.labels[1:],
        detail=detail,
    )


def _made_up(engines: Sequence[tuple[str, EnginePlan]]) -> str:
    """What must be said first of engines that were not measured, and which these are unless all."""
    told = []
    for provenance in Provenance:
        found = [name for name, plan in engines if plan.provenance is provenance]
        if found and provenance.statement:
            of = "" if len(found) == len(engines) else f" ({', '.join(found)})"
            told.append(f"{provenance.statement}{of}")
    return "; ".join(told)


def _gate(judged: Sequence[GateResult]) -> tuple[tuple[str, str, Content], ...]:
    if not judged:
        return ()
    failed = sum(each.status.value == "failed" for each in judged)
    unknown = sum(each.status.value == "inconclusive" for each in judged)
    words = f"{failed} failed, {unknown} inconclusive" if failed or unknown else "All conditions passed"
    rows = tuple((each.condition.text, each.status.value, each.words) for each in judged)
    columns = (TableColumn("condition"), TableColumn("result"), TableColumn("why"))
    return (("gate", "Gate", Content(statements=(f"{words}.",), tables=(Table("Conditions", columns, rows),))),)
