"""Which kernels a plan runs, counted and timed by hand."""

from __future__ import annotations

import pytest

from tests.factories import engine, layer, time
from trex.core.timings import LayerTimes
from trex.perf.kernel_use import UseSummary, kernel_use_of
from trex.plan.engine_plan import EnginePlan

XMMA = "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64_stage4_warpsize2x2x1_tensor16x8x16"
OTHER = "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma"
SGEMM = "volta_sgemm_128x64_nn"
LAYERS = (
    layer("a", tactic=XMMA),
    layer("b", tactic=XMMA),
    layer("c", tactic=OTHER),
    layer("d", tactic=SGEMM),
    layer("e"),
)


def plan(*ms: float | None) -> EnginePlan:
    records = tuple(time(item.name, entry) for item, entry in zip(LAYERS, ms, strict=False))
    return EnginePlan(engine(*LAYERS), LayerTimes(records) if ms else None)


def test_by_family_name_and_question() -> None:
    use = kernel_use_of(plan(1.0, 2.0, 4.0, None, 3.0))
    assert use.total_ms == pytest.approx(10.0)
    assert use.by(lambda kernel: kernel.family) == {
        "xmma": UseSummary(3, 2, 7.0),
        "cuDNN and cuBLAS": UseSummary(1, 1, None),
    }
    assert use.by_name() == {OTHER: UseSummary(1, 1, 4.0), XMMA: UseSummary(2, 1, 3.0), SGEMM: UseSummary(1, 1, None)}
    assert use.of(lambda kernel: kernel.tensor_core is True) == UseSummary(2, 1, 3.0)
    assert use.unnamed == UseSummary(1, 0, 3.0)


def test_shares_are_of_all_layers_or_of_those_that_are_meant() -> None:
    use = kernel_use_of(plan(1.0, 2.0, 4.0, None, 3.0))
    matrix = use.of(lambda kernel: kernel.tensor_core is True)
    assert use.share(matrix) == pytest.approx(0.3)
    assert use.share(matrix, use.of(lambda kernel: kernel.family == "xmma")) == pytest.approx(3 / 7)
    assert use.share(use.by_name()[SGEMM]) is None


def test_without_times_nothing_is_zero() -> None:
    use = kernel_use_of(plan())
    assert use.total_ms is None
    assert use.by(lambda kernel: kernel.family)["xmma"] == UseSummary(3, 2, None)
    assert use.share(use.unnamed) is None


def test_layers_that_took_no_time_have_no_share() -> None:
    use = kernel_use_of(plan(0.0, 0.0, 0.0, 0.0, 0.0))
    assert use.total_ms == 0.0
    assert use.share(use.unnamed) is None
