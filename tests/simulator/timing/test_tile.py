"""Tiles of GEMMs of unknown kernels."""

from __future__ import annotations

import pytest

from trex.simulator.timing.tile import EXPOSED, TILES, gemm_seconds

PER_SM, BYTES = 1e12, 1e11


def seconds(m: int, n: int, k: int, batch: int = 1, sms: int = 100, item: float = 2.0) -> float:
    return gemm_seconds(m, n, k, batch, item, PER_SM, BYTES, sms)[0]


def test_one_tile_on_one_sm_by_hand():
    """32 × 32 sums over 32 values of FP16: one step; the smallest tile fits exactly."""
    taken, steps = gemm_seconds(32, 32, 32, 1, 2.0, PER_SM, BYTES, 1)
    assert steps == 1
    assert taken == pytest.approx(32 * 32 * 32 / PER_SM + EXPOSED * 64 * 32 * 2 / BYTES)


def test_a_product_is_never_faster_than_the_units():
    for m, n, k in ((1, 1, 1), (49, 512, 4608), (1568, 2048, 512), (100352, 64, 576), (7, 1000, 2048)):
        assert seconds(m, n, k) >= m * n * k / PER_SM / 100


def test_one_row_more_than_a_wave_costs_a_second_one():
    """Ten SMs and rows for exactly ten of the largest tiles: a row more, and one SM has two."""
    full, more = seconds(2560, 128, 4096, sms=10), seconds(2561, 128, 4096, sms=10)
    assert more > 1.02 * full


def test_padding_is_computed_like_the_rest():
    assert seconds(33, 32, 320, sms=1) == seconds(64, 32, 320, sms=1)
    assert seconds(320, 320, 33) == seconds(320, 320, 64)


def test_a_long_sum_of_few_tiles_is_split():
    whole, steps = gemm_seconds(32, 32, 8192, 1, 2.0, PER_SM, BYTES, 100)
    _, unsplit = gemm_seconds(32, 32, 8192, 1, 2.0, PER_SM, BYTES, 1)
    assert steps < unsplit == 8192 * 2 // 64
    assert whole < gemm_seconds(32, 32, 8192, 1, 2.0, PER_SM, BYTES, 1)[0]


def test_more_work_never_takes_less_time_and_more_sms_never_more():
    for m in (31, 64, 100, 1000, 5000):
        assert seconds(2 * m, 128, 512) >= seconds(m, 128, 512)
        assert seconds(m, 128, 1024) >= seconds(m, 128, 512)
        assert seconds(m, 128, 512, batch=3) >= seconds(m, 128, 512)
        assert seconds(m, 128, 512, sms=50) >= seconds(m, 128, 512, sms=100)


def test_narrow_products_reach_less_of_the_peak_than_square_ones():
    """Fewer columns: the operands' way to the SM is shared by fewer products."""
    narrow, square = seconds(1 << 16, 64, 1024), seconds(1 << 13, 512, 1024)
    assert narrow > 1.02 * square


def test_tiles_are_no_larger_than_registers_allow():
    assert (32, 32) in TILES and (256, 128) in TILES
    assert (256, 256) not in TILES
