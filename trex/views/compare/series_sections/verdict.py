"""Engines: which series it is, every engine's latency and throughput, and its speed-up against the base."""

from __future__ import annotations

from typing import Any

from trex.compare.prediction import REMARK
from trex.compare.series import EngineSeries, SeriesKind
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
            fact.image_ms,
            fact.images_per_s if fact.batch else fact.throughput,
        )
        for label, fact in zip(series.labels, facts, strict=True)
    )
    verdicts = [
        f"{name}: {comparison.verdict}" for name, comparison in zip(series.labels[1:], series.comparisons, strict=True)
    ]
    return section(
        statements=(f"{series.sentence}{_fastest(series)}", *verdicts, *_remarks(series)),
        tables=(
            Table("Engines", _ENGINES, engines),
            Table("Against the base", _SPEEDUPS, tuple(_speedup(series, index) for index in range(len(verdicts)))),
        ),
        notes=series.notes,
        data={"kind": series.kind.value, "varying": [item.value for item in series.varying]},
    )


def _fastest(series: EngineSeries) -> str:
    """Which is the fastest, per item where batches differ; nothing where none is shown to be faster than the base."""
    results = [(*series.per_item(index), index) for index in range(len(series.comparisons))]
    if series.kind is not SeriesKind.BATCH:
        results = [
            (comparison.main.speedup, comparison.main.outcome, index)
            for index, comparison in enumerate(series.comparisons)
        ]
    faster = [(speedup, index) for speedup, outcome, index in results if speedup and outcome.is_faster]
    if not faster:
        return " None is significantly faster than the base."
    speedup, index = max(faster)
    what = "Most items per second" if series.kind is SeriesKind.BATCH else "Fastest"
    text = "" if series.comparisons[index].prediction is None else ", predicted"
    return f" {what}{text}: {series.labels[index + 1]}, {speedup:.2f}× the base{_between(series, index)}."


def _remarks(series: EngineSeries) -> list[str]:
    return [REMARK] if any(comparison.prediction is not None for comparison in series.comparisons) else []


def _between(series: EngineSeries, index: int) -> str:
    """Behind a predicted speed-up, per item of a series of batches: what its error bars hold."""
    comparison = series.comparisons[index]
    if series.kind is SeriesKind.BATCH and comparison.per_item is not None:
        return _in_brackets(comparison.per_item.error_bars)
    return _in_brackets(comparison.main.error_bars)


def _in_brackets(words: str) -> str:
    return f" ({words})" if words else ""


def _speedup(series: EngineSeries, index: int) -> tuple[Any, ...]:
    result = series.comparisons[index].main
    per_item, outcome = series.per_item(index)
    is_other = series.facts[0].batch != series.facts[index + 1].batch and per_item is not None
    return (
        series.labels[index + 1],
        result.label,
        result.speedup,
        *bars_of(result),
        result.shown_margin_pct,
        result.outcome.value,
        per_item if is_other else None,
        outcome.value if is_other else None,
    )


SECTION = SectionPlug("Engines", 10, make)
