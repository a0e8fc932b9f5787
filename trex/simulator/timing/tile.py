"""Tile: how a product is cut where no kernel's name tells it, and what it then takes at the published rates.

A product of M × N sums over K is cut into tiles of m × n, one thread block each; an SM computes its tiles one after the
other, so the product takes as many rounds as the busiest SM has tiles (wave quantization), and padded rows and columns
are computed like others (tile quantization). One tile takes

    m · n · K / (multiply-adds per second of one SM)  +  EXPOSED · (m + n) · K · bytes / (bytes per second into one SM)

the second term being the operands' way from the L2 to the SM (64 bytes per clock), as far as it does not hide behind
the products; it is why products of few columns are slow on parts with fast matrix units. No tile is done before its
K / k steps have each waited for their operands. Of all tiles from 32 × 32 to 256 × 128 the fastest is taken,
as TensorRT times its kernels and takes the fastest; sums over long K of products with too few tiles for the SMs may be
split among up to MOST_SPLITS blocks.

Source: NVIDIA, Matrix Multiplication Background User's Guide (tile and wave quantization). ``perf.tiling`` tells the
same of kernels whose tile is known.
"""

from __future__ import annotations

from functools import lru_cache

TILES = tuple((m, n) for m in (32, 64, 128, 256) for n in (32, 64, 128, 256) if m * n <= 256 * 128)
EXPOSED = 0.5
"""Share of the operands' way that does not hide behind the products. Our choice: real engines tell 0.25 and 1 hardly
apart, as the compute share makes up for it."""
STEP_BYTES = 64
"""Of K that a block loads at once: 32 values of FP16, 64 of INT8, as most kernels' names tell."""
MOST_SPLITS = 8
SHORTEST_SPLIT_STEPS = 16
"""A sum is not split into parts of fewer steps: their sums would cost more than they save."""


@lru_cache(maxsize=65536)
def product_seconds(
    m: int, n: int, k: int, batch: int, item_bytes: float, per_sm: float, bytes_per_sm: float, sm_count: int
) -> tuple[float, int]:  # fmt: skip
    """(seconds at the published rates, steps over K that a block makes one after the other).

    per_sm: multiply-adds per second, bytes_per_sm: from the L2 per second, both of one SM.
    """
    steps = -(-k * item_bytes // STEP_BYTES)
    depth = steps * STEP_BYTES / item_bytes
    a_byte = EXPOSED * item_bytes / bytes_per_sm
    best, best_steps = float("inf"), int(steps)
    splits = [1]
    while splits[-1] < MOST_SPLITS and steps / (2 * splits[-1]) >= SHORTEST_SPLIT_STEPS:
        splits.append(2 * splits[-1])
    for rows, columns in TILES:
        if (rows > 32 and rows >= 2 * m) or (columns > 32 and columns >= 2 * n):
            continue
        tiles = -(-m // rows) * -(-n // columns) * batch
        each = depth * (rows * columns / per_sm + a_byte * (rows + columns))
        for parts in splits:
            if parts > 1 and tiles * parts > sm_count:
                break
            rounds = -(-tiles * parts // sm_count)
            taken = rounds * each / parts
            if parts > 1:
                taken += 2 * 4 * rows * columns / bytes_per_sm * parts
            if taken < best:
                best, best_steps = taken, int(-(-steps // parts))
    return best, best_steps
