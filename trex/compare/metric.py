"""Metric: one quantity that the gate checks; the registry of metrics, one file each in ``trex/compare/metrics``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.core.registry import Registry
from trex.plan.query_contradictions import summarized_queries

if TYPE_CHECKING:
    from trex.compare.plan_diff import PlanDiff
    from trex.perf.performance import Performance


@dataclass(frozen=True, slots=True)
class Metric:
    """Its name is that of its file, its meaning the file's docstring. ``--fail-on``, ``trex.toml``, help, baselines and
    the documentation follow from it.

    unit: of values and thresholds, next to percent. column: the per-query times that show whether a change is
    significant (``latencyMs``); baselines keep them. read: the value of one engine, None if unknown; without it, the
    median of the column. Baselines keep the value.
    is_exact: equal for every run (bytes, counts), so that every change is significant. scatter: of other values the
    relative standard deviation between the two runs, None if unknown: a change above the threshold is then inconclusive
    unless each side has several runs. by_machine: whether another machine or clock changes the value.
    doubts: codes of the problems that leave this value unknown, next to those that leave no time to be believed.
    of_layers: unknown where layers or their times are lost. settings: names of run settings that change the quantity
    itself: where they differ, its values are not of the same thing.
    fewest: queries below which per-query times or a summary of them do not have this value.
    higher_is_better: the threshold is a decrease: ``NAME<-3%``.
    per_layer: checked for every matched layer that fits a glob: ``NAME:GLOB``.
    """

    unit: str
    column: str = ""
    read: Callable[[Performance], float | None] | None = None
    is_exact: bool = False
    scatter: Callable[[PlanDiff], float | None] | None = None
    by_machine: bool = True
    higher_is_better: bool = False
    per_layer: bool = False
    doubts: tuple[str, ...] = ()
    of_layers: bool = False
    fewest: int = 0
    settings: tuple[str, ...] = ()


METRICS = Registry("trex.compare.metrics", "METRIC", kind=Metric)
KEPT = "baseline_metrics"
"""Section of an engine's metadata: the values that a baseline keeps."""


def metric_labels() -> tuple[str, ...]:
    """The metrics as conditions name them: ``latency``, ``layer:GLOB``."""
    return tuple(f"{name}:GLOB" if plug.value.per_layer else name for name, plug in METRICS.items())


def kept_columns() -> tuple[str, ...]:
    """Columns of per-query times that baselines keep."""
    return tuple(dict.fromkeys(plug.value.column for plug in METRICS.values() if plug.value.column))


def metric_value(name: str, performance: Performance) -> float | None:
    """The metric's value of one engine, or the one that its baseline kept; None if unknown."""
    from trex.compare.prediction import median_of

    metric: Metric = METRICS[name].value
    kept = performance.plan.metadata.extra.get(KEPT)
    if isinstance(kept, Mapping) and name in kept:
        value = kept[name]  # also an unknown one: the run's own files may say why
    else:
        value = metric.read(performance) if metric.read else median_of(performance, metric.column)
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def queries_of(performance: Performance) -> int | None:
    """Measured queries of the run, without the warm-up; of trtexec's summary alone the total over the mean; 0 if the
    file of times has none. None if unknown.
    """
    if performance.plan.query_times is not None and not len(performance.plan.query_times):
        return 0
    columns = performance.samples.columns
    counts = [column.count for key in ("latencyMs", "computeMs") if (column := columns.get(key)) is not None]
    return max(counts) if counts else summarized_queries(performance.plan.metadata)


def scatter_of_errors(error: Callable[[Performance], float | None]) -> Callable[[PlanDiff], float | None]:
    """``Metric.scatter`` of a value whose relative standard errors in each run are e: √(e₁² + e₂²), None if unknown."""

    def scatter(diff: PlanDiff) -> float | None:
        left, right = error(diff.left_performance), error(diff.right_performance)
        return None if left is None or right is None else math.hypot(left, right)

    return scatter


def metric_values(performance: Performance) -> dict[str, float | None]:
    """{name: value} of one engine, for its baseline."""
    return {name: metric_value(name, performance) for name, plug in METRICS.items() if not plug.value.per_layer}
