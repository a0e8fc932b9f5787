"""Engines: which series it is, every engine's latency and throughput, and its speed-up against the base."""

from __future__ import annotations

from typing import Any

from trex.compare.prediction import REMARK
from trex.compare.series import COMPUTE, EngineSeries, SeriesKind
from trex.compare.significance import SpeedOutcome
from trex.core.counted import counted
from trex.views.compare.sections.verdict import BARS, bars_of
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.table import Table, TableColumn

_ENGINES = (
    TableColumn("engine", "name"),
    TableColumn("batch", "count", if_known=True),
    TableColumn("precision", if_known=True),
    TableColumn("TensorRT", if_known=True),
    TableColumn("GPU", if_known=True),
    TableColumn("layers", "count"),
    TableColumn("sum of layer times", "ms", "ms", if_known=True),
    TableColumn("GPU compute", "ms", "ms", if_known=True),
    TableColumn("latency", "ms", "ms", if_known=True),
    TableColumn("per item of the batch", "ms", "ms", if_known=True),
    TableColumn("throughput", "rate", "items/s", if_known=True),
    TableColumn("queries", "rate", "1/s", if_known=True, identifier="queries_per_s"),
)
_SPEEDUPS = (
    TableColumn("engine", "name"),
    TableColumn("quantity"),
    TableColumn("speed-up", "rate"),
    *BARS,
    TableColumn("±", "pct", "%", if_known=True),
    TableColumn("verdict"),
    TableColumn("speed-up per item", "rate", if_known=True),
    TableColumn("verdict per item", if_known=True),
)


def make(series: EngineSeries, detail: Detail) -> Section | None:
    if len(series.comparisons) < 2:
        return None  # two engines have their own sections
    facts = series.facts
    has_unknown = any(fact.batch is None for fact in facts)
    engines = tuple(
        (
            label,
            fact.batch,
            fact.precision,
            fact.version,
            fact.gpu,
            fact.layers,
            fact.layers_ms,
            fact.compute_ms,
            fact.latency_ms,
            item_ms,
            fact.images_per_s,
            fact.throughput if has_unknown else None,
        )
        for label, fact, item_ms in zip(series.labels, facts, series.item_ms, strict=True)
    )
    verdicts = [
        f"{name}: {comparison.verdict}" for name, comparison in zip(series.labels[1:], series.comparisons, strict=True)
    ]
    return section(
        statements=(f"{series.sentence}{_fastest(series)}", *verdicts, *_remarks(series), *_basis(series)),
        tables=(
            Table("Engines", _ENGINES, engines),
            Table("Against the base", _SPEEDUPS, tuple(_speedup(series, index) for index in range(len(verdicts)))),
        ),
        notes=series.notes,
        data={"kind": series.kind.value, "varying": [item.value for item in series.varying]},
    )


def _fastest(series: EngineSeries) -> str:
    """Which is the fastest, per item where batches differ; nothing of inputs of different shapes, and where no engine's
    outcome is known. Engines of other models and contradicted times are not ranked.
    """
    per_item = _is_per_item(series)
    results = [
        (*(series.per_item(index) if per_item else (comparison.main.speedup, comparison.main.outcome)), index)
        for index, comparison in enumerate(series.comparisons)
        if not comparison.contradicted and not comparison.withheld
    ]
    known = [(speedup, outcome, index) for speedup, outcome, index in results if outcome is not SpeedOutcome.UNKNOWN]
    if SeriesKind.SHAPES in series.varying or not known:
        return ""
    count = len(series.comparisons) - len(known)
    unjudged = f"; {counted(count, 'engine')} can't be judged" if count else ""
    faster = [(speedup, index) for speedup, outcome, index in known if speedup and outcome.is_faster]
    if not faster:
        those = " that can be judged" if unjudged else ""
        return f" None{those} is significantly faster than the base{unjudged}."
    speedup, index = max(faster)
    what = "Most items per second" if per_item else "Fastest"
    text = "" if series.comparisons[index].prediction is None else ", predicted"
    return f" {what}{text}: {series.labels[index + 1]}, {speedup:.2f}× the base{_between(series, index)}{unjudged}."


def _is_per_item(series: EngineSeries) -> bool:
    """Less work in less time is not a faster engine."""
    return len({fact.batch for fact in series.facts} - {None}) > 1


def _remarks(series: EngineSeries) -> list[str]:
    return [REMARK] if any(comparison.prediction is not None for comparison in series.comparisons) else []


def _basis(series: EngineSeries) -> list[str]:
    """What times per item are of, where it isn't GPU compute."""
    quantity, _ = series.main_times
    is_shown = quantity != COMPUTE and any(series.item_ms)
    return [f"Times per item are of the {quantity}: too few engines have GPU compute."] if is_shown else []


def _between(series: EngineSeries, index: int) -> str:
    """Behind a predicted speed-up, per item where batches differ: what its error bars hold."""
    comparison = series.comparisons[index]
    result = comparison.per_item if _is_per_item(series) else comparison.main
    return "" if result is None else _in_brackets(result.error_bars)


def _in_brackets(words: str) -> str:
    return f" ({words})" if words else ""


def _speedup(series: EngineSeries, index: int) -> tuple[Any, ...]:
    result = series.comparisons[index].main
    verdict = SpeedOutcome.UNKNOWN if index in series.withheld else result.outcome
    per_item, outcome = series.per_item(index)
    is_other = series.facts[0].batch != series.facts[index + 1].batch and per_item is not None
    return (
        series.labels[index + 1],
        result.label,
        result.speedup,
        *bars_of(result),
        result.shown_margin_pct,
        verdict.value,
        per_item if is_other else None,
        (verdict if index in series.withheld else outcome).value if is_other else None,
    )


SECTION = SectionPlug("Engines", 10, make)
