"""SampleStatistics → how each of its figures comes about, with the numbers of this run."""

from __future__ import annotations

import math
from collections.abc import Iterator

from trex.perf.samples.detectable import ALPHA, POWER
from trex.perf.samples.spread import METHOD
from trex.perf.samples.statistics import SampleStatistics

Derivation = tuple[str, str]


def derivations(column: SampleStatistics) -> tuple[Derivation, ...]:
    """(figure, derivation) of what is known of one column."""
    return tuple(_derivations(column))


def _derivations(column: SampleStatistics) -> Iterator[Derivation]:
    yield "percentiles", f"{METHOD}. The 99th of {column.count:,} samples is number {math.ceil(0.99 * column.count):,}."
    spread = column.spread
    yield (
        "variation",
        f"standard deviation with n − 1 over mean: {spread.deviation_ms:.4g} / {spread.mean_ms:.4g} ms; without "
        f"outliers 1.4826 · median absolute deviation over median: 1.4826 · {spread.mad_ms:.4g} / "
        f"{spread.median_ms:.4g} ms",
    )
    beginning = column.warm_up
    if beginning.samples is not None:
        yield "beginning", f"MSER-5 on medians of five (White 1997): {beginning.samples:,} samples unlike the rest"
    trend = column.trend
    if trend.p is not None:
        yield (
            "drift",
            f"Theil–Sen slope and Mann–Kendall test of the medians of {trend.blocks} blocks of {trend.block_length} "
            f"samples: p = {trend.p:.2g}; reported when p < 0.01 and the change is 0.5 % or more",
        )
    else:
        yield "drift", f"unknown: {trend.reason}"
    if column.levels.levels:
        yield (
            "levels",
            f"PELT (Killick and others 2012) on medians of {column.levels.block_length} samples, penalty of the "
            f"modified Bayesian information criterion: {len(column.levels.levels)}",
        )
    if column.modes.modes:
        yield (
            "modes",
            f"valleys of the histogram that hold at most half of the lower peak, five standard deviations deep, with "
            f"5 % of the samples on either side: {len(column.modes.modes)}",
        )
    yield from _certainty(column)


def _certainty(column: SampleStatistics) -> Iterator[Derivation]:
    correlation, shown = column.autocorrelation, column.detectable
    if correlation.median_time is None:
        yield "independent samples", f"unknown: {correlation.reason}"
    else:
        yield (
            "independent samples",
            f"samples over integrated autocorrelation time, 1 + 2 Σ ρ(k) by Geyer's initial positive sequence, of the "
            f"signs of the distances from the median: {column.count:,} / {correlation.median_time:.3g}",
        )
    if shown.median_error_ms is None:
        yield "difference shown", f"unknown: {shown.reason}"
    else:
        yield (
            "difference shown",
            f"(z(1 − {ALPHA}/2) + z({POWER})) · √2 · standard error of the median over the median = 2.80 · 1.414 · "
            f"{shown.median_error_ms * 1000:.3g} µs / {column.median_ms:.4g} ms; the error is half the 95 % interval "
            "between order statistics over 1.96, at least a step of the timer over √12",
        )
