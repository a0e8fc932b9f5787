"""Times of kernels, and of steps listed as one layer."""

from __future__ import annotations

import pytest

from tests.simulator.models import small_cnn, target
from tests.simulator.passes.test_myelin_kernels import block
from trex.core.data_type import DataType
from trex.core.release import Release
from trex.plan.gemm import Gemm
from trex.simulator.builder import build
from trex.simulator.kernel_times import joined_gemm, kernel_times


def test_one_time_for_each_step() -> None:
    draft = build(small_cnn(), target("A100", DataType.FP16))
    times = kernel_times(draft)
    assert len(times.layer_ms) == len(draft.steps)
    assert sum(times.layer_ms) == pytest.approx(times.kernels.total_ms)


def test_a_region_takes_as_long_as_its_kernels() -> None:
    whole, apart = (
        build(block(), target("A100", DataType.FP16, release=release)) for release in (Release(8, 6), Release(10, 4))
    )
    assert len(whole.steps) < len(apart.steps)
    expected = kernel_times(whole)
    assert len(expected.layer_ms) == len(whole.steps)
    assert sum(expected.layer_ms) == pytest.approx(sum(kernel_times(apart).layer_ms), rel=0.02)


def test_gemms_of_one_left_operand_are_one_gemm() -> None:
    query = Gemm(128, 768, 768)
    assert joined_gemm([query] * 3) == Gemm(128, 2304, 768)
    assert joined_gemm([query]) == query
    assert joined_gemm([query, Gemm(128, 256, 768)]) == Gemm(128, 1024, 768)
    assert joined_gemm([query, Gemm(128, 768, 3072)]) is None
    assert joined_gemm([query, None]) is joined_gemm([]) is None
