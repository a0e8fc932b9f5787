"""The time of a reformat between two engines."""

from __future__ import annotations

import pytest

from tests.factories import t
from trex.compare.estimated_reformats import reformat_cost
from trex.perf.recognize import find_device
from trex.perf.roofline import LAUNCH_MS


def test_from_measured_reformats():
    measured = [(1e3, 0.002), (1e6, 0.01), (2e6, 0.02), (4e6, 0.04)]
    found = reformat_cost(measured, None)
    assert (found.floor_ms, found.bytes_per_ms) == (0.002, pytest.approx(1e8))
    assert found.ms(3e6) == pytest.approx(0.03)
    assert found.ms(10.0) == found.ms(None) == 0.002
    assert "4 reformats" in found.source


def test_from_the_bandwidth_with_too_few_reformats():
    device = find_device("A100-SXM4-40GB")
    found = reformat_cost([], device)
    assert found.floor_ms == LAUNCH_MS
    assert found.ms(1555e6) == pytest.approx(1.0, rel=0.01)  # 1 555 GB/s


def test_without_a_rate_it_costs_the_floor():
    found = reformat_cost([(0.0, 0.5), (5.0, 0.0)], None)
    assert (found.floor_ms, found.bytes_per_ms) == (LAUNCH_MS, None)
    assert found.ms(1e12) == LAUNCH_MS
    assert reformat_cost([(5.0, 0.5)] * 2, None).floor_ms == LAUNCH_MS
    assert reformat_cost([(5.0, 0.5)] * 3, None).floor_ms == 0.5


def test_between_tensors():
    cost = reformat_cost([], find_device("A100-SXM4-40GB"))
    half, byte = t("a", (64, 64, 64, 64), "FP16"), t("a", (64, 64, 64, 64), "INT8")
    assert cost.between(half, half) == 0.0
    assert cost.between(half, byte) == cost.between(byte, half) == cost.ms(3.0 * 64**4)
    assert cost.between(half, t("a", (64, 64, 64, 64), "FP16", "NHWC")) > 0.0
    assert cost.between(half, t("a", None, "INT8")) == LAUNCH_MS
