"""Tile: the tiles of a GEMM without a kernel name, and the time at the published rates.

A GEMM of M × N sums over K is cut into tiles of m × n, one thread block each; an SM computes its tiles one after the
other, so the GEMM takes as many rounds as the busiest SM has tiles (wave quantization), and padded rows and columns are
computed, too (tile quantization). One tile takes

    m · n · K / (MACs per second of one SM)  +  EXPOSED · (m + n) · K · bytes / (bytes per second into one SM)

The second term is the transfer of the operands from the L2 to the SM (64 bytes per clock), as far as the MACs do not
hide it; it makes GEMMs of few columns slow on parts with fast matrix units. A tile takes at least the time that its K /
k steps wait for their operands. The fastest of all tiles from 32 × 32 to 256 × 128 is used, since TensorRT times its
kernels and uses the fastest; sums over a long K with too few tiles for the SMs may be split among up to MOST_SPLITS
blocks.

Source: NVIDIA, Matrix Multiplication Background User's Guide (tile and wave quantization). ``perf.tiling`` computes the
same for kernels of known tiles.
"""

from __future__ import annotations

from functools import lru_cache

TILES = tuple((m, n) for m in (32, 64, 128, 256) for n in (32, 64, 128, 256) if m * n <= 256 * 128)
EXPOSED = 0.5
"""Share of the operands' transfer that the MACs do not hide. Our choice: real engines hardly distinguish 0.25 and 1,
since the compute share compensates for it."""
STEP_BYTES = 64
"""Bytes of K that a block loads at once: 32 values of FP16, 64 of INT8, as in most kernels' names."""
MOST_SPLITS = 8
SHORTEST_SPLIT_STEPS = 16
"""Minimum steps of a part of a split sum: adding shorter parts would cost more than it saves."""


@lru_cache(maxsize=65536)
def gemm_seconds(
    m: int, n: int, k: int, batch: int, item_bytes: float, per_sm: float, bytes_per_sm: float, sm_count: int
) -> tuple[float, int]:  # fmt: skip
    """(seconds at the published rates, sequential steps over K of a block).

    per_sm: MACs per second, bytes_per_sm: from the L2 per second, both of one SM.
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
        tile_seconds = depth * (rows * columns / per_sm + a_byte * (rows + columns))
        for parts in splits:
            if parts > 1 and tiles * parts > sm_count:
                break
            rounds = -(-tiles * parts // sm_count)
            taken = rounds * tile_seconds / parts
            if parts > 1:
                taken += 2 * 4 * rows * columns / bytes_per_sm * parts
            if taken < best:
                best, best_steps = taken, int(-(-steps // parts))
    return best, best_steps
