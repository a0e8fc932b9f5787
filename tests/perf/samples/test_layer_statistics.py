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
    found: Any = layer_statistics([time(1.0, 2.0, 6.0), None, LayerTime("b", 0, 1.0, 1.0, 1.0, None)])
    assert found.count.tolist() == [3, 0, 0] and found.layers_with_samples == 1
    assert (found.mean_ms[0], found.median_ms[0], found.mad_ms[0]) == (3.0, 2.0, 1.0)
    assert found.deviation_ms[0] == pytest.approx(math.sqrt(7.0))
    assert found.variation_pct[0] == pytest.approx(100 * math.sqrt(7.0) / 3.0)
    assert (found.minimum_ms[0], found.maximum_ms[0]) == (1.0, 6.0)
    assert np.isnan(found.mean_ms[1:]).all() and np.isnan(found.effective[0])


def test_each_as_if_it_were_alone():
    generator = np.random.default_rng(0)
    rows = [generator.lognormal(size=size).cumsum() + 1 for size in (50, 50, 77, 12, 50)]
    found: Any = layer_statistics([time(*row) for row in rows])
    for place, row in enumerate(rows):
        alone: Any = autocorrelation_of(row, float(np.median(row)))
        assert found.effective[place] == pytest.approx(alone.effective_for_mean)
        assert found.deviation_ms[place] == pytest.approx(row.std(ddof=1))
        assert found.error_ms[place] == pytest.approx(row.std(ddof=1) / math.sqrt(alone.effective_for_mean))
        assert found.median_ms[place] == np.median(row)


def test_bad_samples():
    found: Any = layer_statistics(
        [time(1.0, math.nan, 3.0), time(-1.0, 2.0, 4.0), time(math.nan), time(*[2.0] * 20), time(0.0, 0.0)]
    )
    assert found.count.tolist() == [2, 2, 0, 20, 2]
    assert found.mean_ms[:2].tolist() == [2.0, 3.0] and np.isnan(found.mean_ms[2])
    assert np.isnan(found.detectable_pct[3]) and found.variation_pct[3] == 0.0
    assert np.isnan(found.variation_pct[4])
    assert layer_statistics([]) is None and layer_statistics([None]) is None
