"""What a conversion between two choices would take."""

from __future__ import annotations

import pytest

from tests.factories import t
from trex.compare.conversion_cost import conversion_cost
from trex.perf.recognize import find_device
from trex.perf.roofline import LAUNCH_MS


def test_from_those_that_were_measured():
    measured = [(1e3, 0.002), (1e6, 0.01), (2e6, 0.02), (4e6, 0.04)]
    found = conversion_cost(measured, None)
    assert (found.floor_ms, found.bytes_per_ms) == (0.002, pytest.approx(1e8))
    assert found.ms(3e6) == pytest.approx(0.03)
    assert found.ms(10.0) == found.ms(None) == 0.002
    assert "4 conversions" in found.source


def test_from_the_bandwidth_where_too_few_were_measured():
    device = find_device("A100-SXM4-40GB")
    found = conversion_cost([], device)
    assert found.floor_ms == LAUNCH_MS
    assert found.ms(1555e6) == pytest.approx(1.0, rel=0.01)  # 1 555 GB/s


def test_where_nothing_tells_it_is_told_at_the_floor():
    found = conversion_cost([(0.0, 0.5), (5.0, 0.0)], None)
    assert (found.floor_ms, found.bytes_per_ms) == (LAUNCH_MS, None)
    assert found.ms(1e12) == LAUNCH_MS
    assert conversion_cost([(5.0, 0.5)] * 2, None).floor_ms == LAUNCH_MS
    assert conversion_cost([(5.0, 0.5)] * 3, None).floor_ms == 0.5


def test_between_tensors():
    cost = conversion_cost([], find_device("A100-SXM4-40GB"))
    half, byte = t("a", (64, 64, 64, 64), "FP16"), t("a", (64, 64, 64, 64), "INT8")
    assert cost.between(half, half) == 0.0
    assert cost.between(half, byte) == cost.between(byte, half) == cost.ms(3.0 * 64**4)
    assert cost.between(half, t("a", (64, 64, 64, 64), "FP16", "NHWC")) > 0.0
    assert cost.between(half, t("a", None, "INT8")) == LAUNCH_MS
