"""PlanDiff or EngineSeries → DataFrames: one row per group of matched layers, operation, module or engine."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries
from trex.core.provenance import STATEMENT

_NUMBERS = ("left_ms", "right_ms", "difference_ms", "speedup", "confidence")


def comparison_frame(comparison: PlanDiff) -> pd.DataFrame:
    """Rows in the order of the matches; times that are not known are NaN, a side without layers has 0 ms."""
    names = "left_layers right_layers left_ms right_ms difference_ms speedup cause words matched_by confidence"
    rows = []
    for change in comparison.changes:
        left, right = comparison.layers_of(change)
        nan = float("nan")
        rows.append(
            (
                [layer.name for layer in left],
                [layer.name for layer in right],
                change.left_ms if change.is_known else nan,
                change.right_ms if change.is_known else nan,
                change.difference_ms if change.is_known else nan,
                nan if change.speedup is None else change.speedup,
                change.cause.value,
                change.words,
                change.match.why,
                change.match.confidence,
            )
        )
    frame = pd.DataFrame(rows, columns=names.split())
    return _stated(frame.astype(dict.fromkeys(_NUMBERS, "float64")), _doubts(comparison))


def operations_frame(comparison: PlanDiff) -> pd.DataFrame:
    """One row per ONNX operation, in the left's order: operation, new_operation, kind, module, left_ms, right_ms,
    difference_ms, speedup, left_rule, right_rule. Times that are not known are NaN; so are those of a side that names
    no such operation.
    """
    rows = [
        (
            operation.name,
            None if operation.right is None else operation.right.name,
            operation.kind,
            operation.module,
            operation.left_ms,
            operation.right_ms,
            operation.difference_ms,
            operation.speedup,
            None if operation.left is None else operation.left.rule,
            None if operation.right is None else operation.right.rule,
        )
        for operation in comparison.operations
    ]
    names = "operation new_operation kind module left_ms right_ms difference_ms speedup left_rule right_rule"
    frame = pd.DataFrame(rows, columns=names.split())
    return _stated(frame.astype(dict.fromkeys(_NUMBERS[:4], "float64")), _doubts(comparison))


def modules_frame(comparison: PlanDiff) -> pd.DataFrame:
    """One row per module: module, left_ms, right_ms, difference_ms, speedup, left_conversions_ms, right_conversions_ms,
    operations. The times sum to the layers' of both sides; NaN where a layer was not timed.
    """
    rows = [
        (
            module.name,
            module.left_ms if module.is_known else None,
            module.right_ms if module.is_known else None,
            module.difference_ms if module.is_known else None,
            module.speedup,
            module.left_conversions_ms,
            module.right_conversions_ms,
            module.operations,
        )
        for module in comparison.modules
    ]
    names = "module left_ms right_ms difference_ms speedup left_conversions_ms right_conversions_ms operations"
    frame = pd.DataFrame(rows, columns=names.split())
    return _stated(frame.astype(dict.fromkeys(_NUMBERS[:4], "float64")), _doubts(comparison))


def engines_frame(series: EngineSeries) -> pd.DataFrame:
    """One row per engine, the base first: engine, batch, precision, tensorrt, gpu, layers, layers_ms, compute_ms,
    latency_ms, item_ms, queries_per_s, items_per_s, speedup, speedup_low, speedup_high (95 %, of simulated engines by
    their error bars), outcome.
    """
    rows = []
    for index, facts in enumerate(series.facts):
        significance = series.comparisons[index - 1].main if index else None
        rows.append(
            (
                facts.name,
                facts.batch,
                facts.precision,
                facts.version,
                facts.gpu,
                facts.layers,
                facts.layers_ms,
                facts.compute_ms,
                facts.latency_ms,
                series.item_ms[index],
                facts.throughput,
                facts.images_per_s,
                1.0 if significance is None else significance.speedup,
                None if significance is None else significance.low,
                None if significance is None else significance.high,
                "base" if significance is None else significance.outcome.value,
            )
        )
    names = (
        "engine batch precision tensorrt gpu layers layers_ms compute_ms latency_ms item_ms queries_per_s items_per_s "
        "speedup speedup_low speedup_high outcome"
    )
    numbers = [name for name in names.split() if name.endswith(("_ms", "_per_s", "_low", "_high")) or name == "speedup"]
    frame = pd.DataFrame(rows, columns=names.split())
    return _stated(frame.astype(dict.fromkeys(numbers, "float64")), _series_doubts(series))


def series_operations_frame(series: EngineSeries) -> pd.DataFrame:
    """One row per ONNX operation: operation, kind, module, then its time in ms in each engine, by the engine's name."""
    frame = pd.DataFrame(
        [(operation.name, operation.kind, operation.module, *operation.ms) for operation in series.operations],
        columns=["operation", "kind", "module", *series.names],
    )
    return _stated(frame.astype(dict.fromkeys(series.names, "float64")), _series_doubts(series))


def scaling_frame(series: EngineSeries) -> pd.DataFrame:
    """One row per module and batch: module, batch, ms, item_ms, exponent (of all batches), efficiency, linear_from;
    empty where the engines are no series of batch sizes.
    """
    rows = [
        (curve.name, batch, ms, item, curve.exponent, efficiency, curve.saturates_at)
        for curve in series.scaling
        for batch, ms, item, efficiency in zip(curve.batches, curve.ms, curve.item_ms, curve.efficiency, strict=True)
    ]
    names = ["module", "batch", "ms", "item_ms", "exponent", "efficiency", "linear_from"]
    return _stated(pd.DataFrame(rows, columns=names), _series_doubts(series))


def _doubts(comparison: PlanDiff) -> list[str]:
    return [f"{note.message} ({note.code})" for note in comparison.layer_doubts]


def _series_doubts(series: EngineSeries) -> list[str]:
    named = zip(series.names[1:], series.comparisons, strict=True)
    return [f"{name}: {doubt}" for name, comparison in named for doubt in _doubts(comparison)]


def _stated(frame: pd.DataFrame, doubts: Iterable[str]) -> pd.DataFrame:
    if words := "; ".join(doubts):
        frame.attrs[STATEMENT] = f"times can't be trusted: {words}"
    return frame
