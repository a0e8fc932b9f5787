"""Tiles and waves on ten SMs, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import gemm, layer, t
from tests.perf.round_device import round_device
from tests.rules.cases import GEMM_HALF, analyzed, findings, on_round_device, unchecked, work
from tests.rules.planting import Ground, Parts, Plant, Planter
from trex.core.layer import Layer
from trex.core.tensor import Tensor

RULE = "tile-and-wave-quantization"


def product(m: int, n: int, k: int = 4096, tactic: str = GEMM_HALF) -> Layer:
    from dataclasses import replace

    return replace(gemm("fc", t("x", [m, k]), t("w", [k, n]), t("y", [m, n])), tactic=tactic)


def test_a_last_wave_of_one_tile():
    # Tiles of 128×128: 11 · 1 = 11 on 10 SMs: two waves, 11 of 20 are useful: 55 %, so 45 % of 0.5 ms.
    # 2·1408·128·4096 / 10¹⁴ = 0.0148 ms on the tensor cores; 13 MB of memory traffic are 0.026 ms, less than that of
    # the L2's hits … the bound decides: with a memory of 50 TB/s it is the arithmetic.
    from tests.perf.round_device import round_device

    fast = round_device(bandwidth_gb_per_s=50_000.0, l2_gb_per_s=50_000.0)
    (found,) = findings(RULE, on_round_device(product(11 * 128, 128), ms=[0.5], device=fast))
    assert found.savings == {0: pytest.approx(0.5 * 0.45)}
    assert "11 tiles fill 55 % of 2 waves" in found.message
    assert not findings(RULE, on_round_device(product(10 * 128, 128), ms=[0.5], device=fast))
    # 136 columns in two tiles of 128, five rows of tiles: 136 / 256 useful.
    (found,) = findings(RULE, on_round_device(product(5 * 128, 136), ms=[0.5], device=fast))
    assert found.savings == {0: pytest.approx(0.5 * (1 - 136 / 256))}
    assert "1.88 times" in found.message


def test_gemms_that_memory_bounds_are_left_alone():
    # 128 × 128 · 4096: 2.1 MB for 0.13 GFLOP; memory is the bound on the round device.
    assert not findings(RULE, on_round_device(product(128, 128), ms=[0.5]))


def test_short_gemms_are_left_alone():
    assert not findings(RULE, on_round_device(product(11 * 128, 128), layer("rest"), ms=[0.001, 0.5]))


def test_without_times_or_tiles_is_unchecked():
    assert "times" in unchecked(RULE, on_round_device(product(11 * 128, 128)))[0].reason
    assert "tiles" in unchecked(RULE, on_round_device(product(11 * 128, 128, tactic=""), ms=[0.5]))[0].reason
    assert not unchecked(RULE, on_round_device(layer("a")))


def test_without_a_device_only_tiles_are_judged():
    (found,) = findings(RULE, analyzed(product(5 * 128, 130), ms=[0.5]))
    assert found.savings == {0: pytest.approx(0.5 * (1 - 130 / 256))}


# ---- The defect that tests plant into engines, and its sound twin


PAIR_KERNEL = "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_stage4_warpsize2x2x1_tensor16x8x16"


def waves(bad: bool) -> Plant:
    """11 tiles of 128×128 on 10 SMs fill two waves to 55 %; 10 fill one. A fast memory leaves arithmetic the bound."""
    rows = (11 if bad else 10) * 128

    def make(x: Tensor) -> Parts:
        product = gemm("fc901", t("a901", [rows, 4096]), t("w901", [4096, 128]), t("m901", [rows, 128]))
        return [
            (work("Flatten_900", "Shuffle", [x], t("a901", [rows, 4096])), 0.01),
            (replace(product, tactic=PAIR_KERNEL), 0.2),
        ]

    def plant(ground: Ground) -> None:
        ground.device = round_device(compute_capability=(8, 0), bandwidth_gb_per_s=50_000.0, l2_gb_per_s=50_000.0)
        ground.insert(make, bad)

    return plant


PLANTER = Planter(waves(True), waves(False))
