"""Tiles and waves worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.factories import layer
from trex.perf.tiling import Tiling, tiling_of
from trex.perf.work.work import Work
from trex.plan.gemm import Gemm

KERNEL = "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize{}_stage4_warpsize2x2x1_tensor16x8x16"

NO_GEMM = Work("matrix product", None, None, None, None, None, 1.0)


def of(m, n, k, batch=1, tile="128x128x32", sms=108, tactic=None) -> Any:
    work = replace(NO_GEMM, gemm=Gemm(m, n, k, batch))
    return tiling_of(layer("a", "gemm", tactic=KERNEL.format(tile) if tactic is None else tactic), work, sms)


def test_a_product_that_fits():
    # 1024/128 · 1152/128 = 8 · 9 = 72 tiles on 108 SMs: one wave, two thirds full.
    assert of(1024, 1152, 512) == Tiling(Gemm(1024, 1152, 512), (128, 128, 32), 1.0, 72, 1, 72 / 108)


def test_tile_quantization():
    # N = 136 with tiles of 128 takes as long as 256: 136/256 = 53 % are useful.
    assert of(256, 136, 512).tile_efficiency == pytest.approx(136 / 256)
    # 129 × 127 × 33 in 256 × 128 × 64.
    assert of(129, 127, 33).tile_efficiency == pytest.approx(129 * 127 * 33 / (256 * 128 * 64))


def test_wave_quantization():
    # 108 tiles fill a wave; the 109th takes a second one: 109 / 216.
    assert of(108 * 128, 128, 64).wave_efficiency == 1
    result = of(109 * 128, 128, 64)
    assert (result.tiles, result.waves) == (109, 2) and result.wave_efficiency == pytest.approx(109 / 216)


def test_batches_are_tiles_of_their_own():
    assert of(128, 128, 64, batch=12).tiles == 12


def test_what_is_unknown_stays_unknown():
    assert of(0, 128, 64) is None
    assert tiling_of(layer("a", "gemm", tactic=KERNEL.format("128x128x32")), NO_GEMM, 108) is None
    assert of(128, 128, 64, tactic="") is None
    assert of(128, 128, 64, tactic="ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1") is None
    result = of(128, 128, 64, sms=None)
    assert result.tiles == 1 and result.waves is None and result.wave_efficiency is None
    flat = of(128, 130, 33, tactic="ampere_scudnn_128x64_relu_xregs_large_nn_v1")
    assert flat.tile == (128, 64, None) and flat.tile_efficiency == pytest.approx(130 / 192)


def test_tiles_of_a_grouped_convolution_are_unknown():
    kernel = (
        "sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize128x64x32_stage4_g1_tensor16x8x16_t1r3s3"
    )
    work = replace(NO_GEMM, gemm=Gemm(25088, 128, 36))
    record = layer("a", "Convolution", tactic=kernel)
    assert tiling_of(record, work, 108) is not None
    assert tiling_of(replace(record, raw={**record.raw, "Groups": 32}), work, 108) is None
    assert tiling_of(replace(record, raw={**record.raw, "Groups": 1}), work, 108) is not None


def test_split_sums_have_an_unknown_number_of_blocks():
    result = of(
        128, 128, 4096, tactic="sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_stage4_splitK_tensor16x8x16"
    )
    assert result.splits_k and result.tiles is None and result.waves is None and result.tile_efficiency == 1
