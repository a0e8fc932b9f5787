"""Tiling: how a product is cut into tiles, and how well the tiles fill the device.

A convolution or a matrix product is computed as M × N sums over K (of a convolution: M = batch · output positions, N =
output channels, K = input channels / groups · window; the implicit GEMM view), ``batch`` of them where it is batched or
grouped. Each thread block computes one tile of m × n sums in steps of k.

tile efficiency = M · N · K / (⌈M/m⌉·m · ⌈N/n⌉·n · ⌈K/k⌉·k), the useful part of the padded products (k where it is told)
tiles = ⌈M/m⌉ · ⌈N/n⌉ · batch
waves = ⌈tiles / (SMs · blocks per SM)⌉
wave efficiency = tiles / (waves · SMs · blocks per SM)

Tile quantization wastes work where M or N is no multiple of the tile; wave quantization leaves SMs idle in the last
wave. How many blocks an SM holds at a time depends on registers and shared memory, which no file tells: one is taken.
With several, waves are fewer, and the efficiency is another. A kernel that splits K has several times as many blocks,
how many no name tells: then tiles and waves are unknown. Unknown as well for what is no single product, without a tile
in the kernel's name, and waves without the number of SMs.

The name's first extent is taken as that of M and its second as that of N. A library that computes the transposed
product, as cuBLAS does for row-major matrices, has them the other way round; the name does not tell.

Source: NVIDIA, Matrix Multiplication Background User's Guide, "Tile Quantization" and "Wave Quantization"; for
convolutions NVIDIA, Convolutional Layers User's Guide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.core.tactic import WINOGRAD
from trex.plan.kernels import kernel_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trex.core.layer import Layer
    from trex.perf.work.work import Work

BLOCKS_PER_SM = 1


@dataclass(frozen=True, slots=True)
class Tiling:
    """How one product is cut. m, n, k, batch: of the product. tile: (m, n, k) of one block, k None when not told.

    tile_efficiency: 0 to 1. tiles: thread blocks, waves: rounds of them over the SMs, wave_efficiency: 0 to 1; each
    None when unknown. splits_k: several blocks share each sum, how many is not told.
    """

    m: int
    n: int
    k: int
    batch: int
    tile: tuple[int, int, int | None]
    tile_efficiency: float
    tiles: int | None = None
    waves: int | None = None
    wave_efficiency: float | None = None
    splits_k: bool = False


def tilings_of(layers: Sequence[Layer], works: Sequence[Work], sm_count: int | None) -> tuple[Tiling | None, ...]:
    """One per layer; None where it is no single product or its tile is not told."""
    return tuple(tiling_of(layer, work, sm_count) for layer, work in zip(layers, works))


def tiling_of(layer: Layer, work: Work, sm_count: int | None) -> Tiling | None:
    """How the layer's product is cut into tiles and waves."""
    m, n, k = work.m, work.n, work.k
    if not m or not n or not k or not work.batch:
        return None
    tactic = kernel_of(layer)
    if tactic.tile is None or tactic.algorithm == WINOGRAD:  # Winograd's tiles are of another product
        return None
    rows, columns, depth = tactic.tile
    if rows < 1 or columns < 1 or depth == 0:
        return None
    down, across = -(-m // rows), -(-n // columns)
    useful, padded = m * n, down * rows * across * columns
    if depth:
        useful, padded = useful * k, padded * -(-k // depth) * depth
    tiles = None if tactic.split_k else down * across * work.batch
    waves = efficiency = None
    if tiles is not None and sm_count:
        at_once = sm_count * BLOCKS_PER_SM
        waves = -(-tiles // at_once)
        efficiency = tiles / (waves * at_once)
    return Tiling(m, n, k, work.batch, tactic.tile, useful / padded, tiles, waves, efficiency, splits_k=tactic.split_k)
