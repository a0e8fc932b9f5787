"""Samples of layers: as many at once as there are, each as if it were alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from trex.core.timings import LayerTime
from trex.perf.samples.autocorrelation import autocorrelation_of
from trex.perf.samples.layer_statistics import layer_statistics


def time(*samples: float) -> LayerTime:
    return LayerTime("a", 0, None, None, None, None, tuple(samples))


def test_by_hand():
    result: Any = layer_statistics([time(1.0, 2.0, 6.0), None, LayerTime("b", 0, 1.0, 1.0, 1.0, None)])
    assert result.count.tolist() == [3, 0, 0] and result.layers_with_samples == 1
    assert (result.mean_ms[0], result.median_ms[0], result.mad_ms[0]) == (3.0, 2.0, 1.0)
    assert result.deviation_ms[0] == pytest.approx(math.sqrt(7.0))
    assert result.variation_pct[0] == pytest.approx(100 * math.sqrt(7.0) / 3.0)
    assert (result.minimum_ms[0], result.maximum_ms[0]) == (1.0, 6.0)
    assert np.isnan(result.mean_ms[1:]).all() and np.isnan(result.effective[0])


def test_each_as_if_it_were_alone():
    generator = np.random.default_rng(0)
    rows = [generator.lognormal(size=size).cumsum() + 1 for size in (50, 50, 77, 12, 50)]
    result: Any = layer_statistics([time(*row) for row in rows])
    for index, row in enumerate(rows):
        alone: Any = autocorrelation_of(row, float(np.median(row)))
        assert result.effective[index] == pytest.approx(alone.effective_for_mean)
        assert result.deviation_ms[index] == pytest.approx(row.std(ddof=1))
        assert result.median_ms[index] == np.median(row)


def test_bad_samples():
    result: Any = layer_statistics(
        [time(1.0, math.nan, 3.0), time(-1.0, 2.0, 4.0), time(math.nan), time(*[2.0] * 20), time(0.0, 0.0)]
    )
    assert result.count.tolist() == [2, 2, 0, 20, 2]
    assert result.mean_ms[:2].tolist() == [2.0, 3.0] and np.isnan(result.mean_ms[2])
    assert np.isnan(result.detectable_pct[3]) and result.variation_pct[3] == 0.0
    assert np.isnan(result.variation_pct[4])
    assert layer_statistics([]) is None and layer_statistics([None]) is None
