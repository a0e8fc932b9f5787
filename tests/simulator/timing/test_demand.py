"""What layers ask of a device, by hand."""

from __future__ import annotations

import pytest

from tests.factories import chain, layer, noop, t
from tests.simulator.timing.round_device import a_device, convolution, copy
from trex.core.layer import Layer
from trex.perf.device import Device
from trex.perf.work.plan_works import work_of
from trex.simulator.timing import time_kinds as kinds
from trex.simulator.timing.demand import Demand, demands_of


def demand(of: Layer, device: Device | None = None) -> Demand:
    (result,) = demands_of([of], [work_of(of)], device or a_device())
    return result


def test_a_copy_moves_its_bytes_from_memory():
    result = demand(copy(shape=(64, 64, 128, 128)))
    assert result.kind == kinds.REFORMAT and result.is_known
    assert result.compute_ms == 0 and result.steps == 0
    assert result.far_ms == pytest.approx(2 * 2 * 64 * 64 * 128 * 128 / 2000e9 * 1e3)


def test_what_the_layer_before_has_left_in_the_l2_comes_from_there():
    one = layer("a", "Reformat", [t("x", [1, 64, 56, 56])], [t("y", [1, 64, 56, 56])])
    two = layer("b", "Reformat", [t("y", [1, 64, 56, 56])], [t("z", [1, 64, 56, 56])])
    layers = chain(one, two)
    first, second = demands_of(layers, [work_of(item) for item in layers], a_device())
    assert first.far_ms > 0 and second.far_ms == 0
    assert second.near_ms == pytest.approx(2 * 2 * 64 * 56 * 56 / (5120 * 1.41e9) * 1e3)


def test_a_convolution_takes_at_least_its_products_at_the_peak():
    result = demand(convolution())
    macs = 32 * 56 * 56 * 64 * 576
    assert result.compute_ms >= 2 * macs / 312e12 * 1e3
    assert result.steps == 576 * 2 // 64


def test_first_convolutions_of_fp32_and_int8_run_on_cuda_cores():
    for data_type, tera in (("FP32", 19.5), ("INT8", 78.0)):
        result = demand(convolution(channels=3, type=data_type, format="NCHW"))
        assert result.kind == kinds.FIRST_ON_CUDA_CORES
        assert result.compute_ms == pytest.approx(2 * 32 * 56 * 56 * 64 * 27 / tera * 1e-9, rel=0.01)
    assert demand(convolution(channels=3)).kind == kinds.FIRST_ON_TENSOR_CORES


def test_a_view_asks_for_nothing():
    assert demand(noop("n", "x", "y")) == Demand(kinds.NOTHING, 0.0, 0.0, 0.0, 0, True)


def test_unknown_work_is_said_to_be_unknown():
    region = layer("{ForeignNode[a...b]}", "Myelin", [t("x", [1, 64, 56, 56])], [t("y", [1, 64, 56, 56])])
    assert not demand(region).is_known and demand(region).far_ms > 0
    dynamic = layer("p", "PointWise", [t("x", [None, 64])], [t("y", [None, 64])])
    assert not demand(dynamic).is_known
    assert demand(layer("p", "PluginV2", [t("x", [1, 64])], [t("y", [1, 64])])).is_known


def test_the_name_of_the_kernel_changes_nothing():
    from dataclasses import replace

    named = replace(convolution(), tactic="sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_tilesize256x128x32")
    assert demand(named) == demand(convolution())
