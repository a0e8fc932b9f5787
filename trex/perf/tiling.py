"""Tiling: the tiles of a GEMM, and how well they fill the device.

A convolution or a GEMM is computed as M × N sums over K (of a convolution: M = batch · output positions, N = output
channels, K = input channels · window; the implicit GEMM view), ``batch`` times if it is batched.
Each thread block computes one tile of m × n sums in steps of k.

tile efficiency = M · N · K / (⌈M/m⌉·m · ⌈N/n⌉·n · ⌈K/k⌉·k), the useful part of the padded GEMM (k if known)
tiles = ⌈M/m⌉ · ⌈N/n⌉ · batch
waves = ⌈tiles / (SMs · blocks per SM)⌉
wave efficiency = tiles / (waves · SMs · blocks per SM)

Tile quantization wastes work if M or N is no multiple of the tile; wave quantization leaves SMs idle in the last wave.
The number of blocks per SM depends on registers and shared memory, which are in no file: one is assumed. With several,
there are fewer waves of another efficiency. A kernel that splits K has several times as many blocks; the number is in
no name: then tiles and waves are unknown. A grouped convolution is one GEMM of N / groups columns per group, and some
kernels pack several groups into a tile, which no name shows: all of it is unknown. It is also unknown for a layer
without exactly one GEMM or without a tile in the kernel's name, and waves without the number of SMs.

The name's first extent is taken as that of M and its second as that of N. A library that computes the transposed GEMM,
as cuBLAS does for row-major matrices, has them swapped; the name does not show it.

Source: NVIDIA, Matrix Multiplication Background User's Guide, "Tile Quantization" and "Wave Quantization"; for
convolutions NVIDIA, Convolutional Layers User's Guide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.core.tactic import WINOGRAD
from trex.plan.gemm import groups_of
from trex.plan.kernels import kernel_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trex.core.layer import Layer
    from trex.perf.work.work import Work
    from trex.plan.gemm import Gemm

BLOCKS_PER_SM = 1


@dataclass(frozen=True, slots=True)
class Tiling:
    """The tiles of one GEMM. tile: (m, n, k) of one block, k None if unknown.

    tile_efficiency: 0 to 1. tiles: thread blocks, waves: rounds of them over the SMs, wave_efficiency: 0 to 1; each
    None if unknown. splits_k: several blocks share each sum, an unknown number.
    """

    gemm: Gemm
    tile: tuple[int, int, int | None]
    tile_efficiency: float
    tiles: int | None = None
    waves: int | None = None
    wave_efficiency: float | None = None
    splits_k: bool = False


def tilings_of(layers: Sequence[Layer], works: Sequence[Work], sm_count: int | None) -> tuple[Tiling | None, ...]:
    """One per layer; None without exactly one GEMM or without a known tile."""
    return tuple(tiling_of(layer, work, sm_count) for layer, work in zip(layers, works))


def tiling_of(layer: Layer, work: Work, sm_count: int | None) -> Tiling | None:
    """The tiles and waves of the layer's GEMM."""
    gemm = work.gemm
    if gemm is None or not gemm.macs or (groups_of(layer) or 1) > 1:
        return None
    tactic = kernel_of(layer)
    if tactic.tile is None or tactic.algorithm == WINOGRAD:  # Winograd's tiles are of another product
        return None
    rows, columns, depth = tactic.tile
    if rows < 1 or columns < 1 or depth == 0:
        return None
    down, across = -(-gemm.m // rows), -(-gemm.n // columns)
    useful, padded = gemm.m * gemm.n, down * rows * across * columns
    if depth:
        useful, padded = useful * gemm.k, padded * -(-gemm.k // depth) * depth
    tiles = None if tactic.split_k else down * across * gemm.batch
    waves = efficiency = None
    if tiles is not None and sm_count:
        at_once = sm_count * BLOCKS_PER_SM
        waves = -(-tiles // at_once)
        efficiency = tiles / (waves * at_once)
    return Tiling(gemm, tactic.tile, useful / padded, tiles, waves, efficiency, splits_k=tactic.split_k)
