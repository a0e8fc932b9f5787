"""Times of layers with samples → LayerStatistics: one number per layer and statistic, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from trex.core.timings import LayerTime
from trex.perf.samples.autocorrelation import FEWEST, correlations_of, integrated_times
from trex.perf.samples.detectable import ALPHA, POWER
from trex.perf.samples.series import Floats, Integers, usable

_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class LayerStatistics:
    """Arrays over ``plan.layers``, in milliseconds if named ``_ms``; NaN for a layer without samples.

    count: usable samples. effective: number of effective samples for the mean.
    detectable_pct: the smallest detectable difference of means, as in ``Detectable``; NaN below ten samples.
    """

    count: Integers
    mean_ms: Floats
    median_ms: Floats
    deviation_ms: Floats
    mad_ms: Floats
    minimum_ms: Floats
    maximum_ms: Floats
    effective: Floats
    detectable_pct: Floats

    @property
    def variation_pct(self) -> Floats:
        """Coefficient of variation, 100 · deviation / mean."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.mean_ms > 0.0, 100.0 * self.deviation_ms / self.mean_ms, np.nan)

    @property
    def layers_with_samples(self) -> int:
        return int((self.count > 0).sum())


def layer_statistics(times: Sequence[LayerTime | None]) -> LayerStatistics | None:
    """Statistics of every layer at once; None if no layer has per-iteration samples.

    Layers with equally many samples are computed together as one matrix, so the time is proportional to the samples.
    """
    groups: dict[int, list[tuple[int, Floats]]] = {}
    for index, time in enumerate(times):
        values = usable(() if time is None else time.samples_ms, zero_is_a_time=True).values
        if len(values):
            groups.setdefault(len(values), []).append((index, values))
    if not groups:
        return None
    columns = np.full((8, len(times)), np.nan)
    count = np.zeros(len(times), dtype=np.int64)
    for length, rows in groups.items():
        at_once = max(1, _AT_ONCE // length)
        for start in range(0, len(rows), at_once):
            some = rows[start : start + at_once]
            indexes = [index for index, _ in some]
            columns[:, indexes] = _of_matrix(np.stack([values for _, values in some]))
            count[indexes] = length
    return LayerStatistics(count, *columns)


def _of_matrix(matrix: Floats) -> Floats:
    """mean, median, deviation, mad, minimum, maximum, effective, detectable: one row each."""
    length = matrix.shape[1]
    mean, median = matrix.mean(axis=1), np.median(matrix, axis=1)
    mad = np.median(np.abs(matrix - median[:, None]), axis=1)
    unknown = np.full(len(matrix), np.nan)
    deviation = matrix.std(axis=1, ddof=1) if length > 1 else unknown
    effective = length / integrated_times(correlations_of(matrix)) if length >= FEWEST else unknown
    normal = NormalDist()
    factor = (normal.inv_cdf(1.0 - ALPHA / 2.0) + normal.inv_cdf(POWER)) * 2.0**0.5
    error = deviation / np.sqrt(effective)
    with np.errstate(divide="ignore", invalid="ignore"):
        detectable = np.where(mean > 0.0, 100.0 * factor * error / mean, np.nan)
    return np.stack((mean, median, deviation, mad, matrix.min(axis=1), matrix.max(axis=1), effective, detectable))
