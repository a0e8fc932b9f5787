"""Tabulated quantiles."""

from __future__ import annotations

import pytest

from trex.perf.samples.student import t_quantile


@pytest.mark.parametrize(
    "freedom, quantile",
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (6, 2.4469), (10, 2.2281), (30, 2.0423), (1e9, 1.9600)],
)
def test_tabulated_quantiles(freedom, quantile):
    assert t_quantile(0.975, freedom) == pytest.approx(quantile, rel=0.006)
