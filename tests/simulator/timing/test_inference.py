"""Whole queries: on the GPU, on the host, on the bus."""

from __future__ import annotations

import pytest

from tests.factories import chain
from tests.simulator.timing.round_device import a_device, convolution, copy
from trex.perf.known_devices import find_device
from trex.simulator.timing.constants import fitted
from trex.simulator.timing.inference import (
    GRAPH_BASE_MS,
    GRAPH_EACH_MS,
    LAUNCH_ON_HOST_MS,
    LEAST_MS,
    TRANSFER_MS,
    bus_gb_per_s,
    compute_ms,
    inference_of,
    transfer_ms,
    without_profiler,
)
from trex.simulator.timing.prediction import predict

LAYERS = chain(*(convolution(f"c{number}", batch=32) for number in range(10)))
SMALL = chain(*(copy(f"c{number}", (1, 8, 4, 4)) for number in range(10)))


def test_a_run_without_the_profiler_is_shorter():
    prediction = predict(LAYERS, a_device())
    result = inference_of(prediction)
    share, launch = fitted().values["profiler share of 8.0"], fitted().launch_ms((8, 0))
    assert result.compute_ms == pytest.approx(prediction.total_ms - 10 * share * launch)
    assert result.low_ms < result.compute_ms < result.high_ms
    assert result.h2d_ms == result.d2h_ms == 0


def test_no_kernel_is_shorter_than_the_shortest():
    assert without_profiler([0.004, 0.1], 0.003) == pytest.approx(LEAST_MS + 0.097)
    assert without_profiler([0.001], 0.003) == pytest.approx(0.001)
    assert compute_ms(predict(SMALL, a_device())) == pytest.approx(10 * LEAST_MS)


def test_without_a_graph_small_kernels_wait_for_the_host():
    prediction = predict(SMALL, a_device())
    with_graph, without = inference_of(prediction), inference_of(prediction, cuda_graph=False)
    assert with_graph.enqueue_ms == pytest.approx(GRAPH_BASE_MS + 10 * GRAPH_EACH_MS)
    assert without.enqueue_ms == pytest.approx(11 * LAUNCH_ON_HOST_MS)
    assert without.compute_ms >= without.enqueue_ms > with_graph.compute_ms
    assert without.low_ms >= without.enqueue_ms
    large = predict(LAYERS, a_device())
    longer = inference_of(large, cuda_graph=False).compute_ms / inference_of(large).compute_ms
    assert 1 < longer < 1.05


def test_transfers_go_over_the_bus():
    result = inference_of(predict(LAYERS, a_device()), 25_200_000, 4_000)
    assert result.h2d_ms == pytest.approx(TRANSFER_MS + 1.0)
    assert TRANSFER_MS < result.d2h_ms < 1.1 * TRANSFER_MS
    assert transfer_ms(a_device(), 0) == 0


def test_buses():
    assert bus_gb_per_s(find_device("T4")) == 15.75
    assert bus_gb_per_s(find_device("A100-SXM4-80GB")) == 31.5
    assert bus_gb_per_s(find_device("H100 80GB HBM3")) == 63.0
    assert bus_gb_per_s(find_device("NVIDIA GH200 480GB")) == 450.0
    orin = find_device("Jetson AGX Orin 64GB")
    assert orin.bandwidth_gb_per_s is not None
    assert bus_gb_per_s(orin) == orin.bandwidth_gb_per_s / 2


def test_nothing_to_run():
    result = inference_of(predict([], a_device()))
    assert result.compute_ms == result.low_ms == result.high_ms == 0
