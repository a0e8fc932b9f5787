"""Achievable: the share of its roofline that a good kernel reaches, and the time that reaching it would save.

A roofline is the limit of the hardware units alone; no kernel reaches it. Headroom is therefore measured against a
stated share of the roofline, by what bounds the layer:

headroom_ms = max(0, time − max(attainable / achievable share, 2 µs of a launch))

so it is never negative, and the headroom of all layers never exceeds their time. The ranking by headroom says where to
look first; it does not prove that a faster kernel exists. The shares are our choice unless a source is named; they are
not promises of a library. A layer that several limits affect at once (a GEMM too small to fill the device, a
memory-bound kernel of a few microseconds) reaches less than these shares; the tile and wave figures show why.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache

import numpy as np

from trex.perf.cache import Column


class Bound(Enum):
    """What limits a layer's speed."""

    TENSOR_CORES = "tensor cores"
    CUDA_CORES = "CUDA cores"
    MEMORY = "memory"
    L2 = "L2"
    LAUNCH = "launch"
    UNKNOWN = "unknown"

    __hash__ = object.__hash__


BOUNDS = tuple(Bound)
"""In the order of their codes in ``Roofline.bound``."""


@dataclass(frozen=True, slots=True)
class Achievable:
    """share: of the roofline, 0 to 1. source: its justification."""

    share: float
    source: str


_BY_BOUND = {
    Bound.TENSOR_CORES: Achievable(
        0.8,
        "our choice: large GEMMs level off below the peak (NVIDIA, Matrix Multiplication Background User's Guide), "
        "and clocks fall below boost under such load",
    ),
    Bound.CUDA_CORES: Achievable(0.7, "our choice: address arithmetic and loads share the schedulers with the MACs"),
    Bound.MEMORY: Achievable(
        0.85, "our choice: what large copies reach of the published bandwidth (your device: trex devices measure)"
    ),
    Bound.L2: Achievable(
        0.6, "our choice: the L2's rate is an upper bound, and kernels that use it are too short to hide latency"
    ),
    Bound.LAUNCH: Achievable(
        0.5, "our choice: a kernel takes 2 to 5 µs with its launch, so 4 µs are taken as achievable"
    ),
    Bound.UNKNOWN: Achievable(float("nan"), "unknown bound"),
}
# Kinds of work with another share under the same bound.
_BY_KIND = {
    (Bound.TENSOR_CORES, "attention"): Achievable(
        0.6, "Dao, FlashAttention-2 (2023): 50 to 73 % of the peak of an A100; softmax runs between the GEMMs"
    ),
    (Bound.MEMORY, "gather"): Achievable(0.5, "our choice: scattered rows use sectors of 32 bytes in part"),
    (Bound.MEMORY, "scatter"): Achievable(0.5, "our choice: scattered rows use sectors of 32 bytes in part"),
    (Bound.MEMORY, "reformat"): Achievable(0.7, "our choice: either reads or writes are not contiguous"),
}


@cache
def achievable(bound: Bound, kind: str = "") -> Achievable:
    """The share of the roofline that a good kernel of this kind of work reaches, with its source."""
    return _BY_KIND.get((bound, kind)) or _BY_BOUND[bound]


def headroom_ms(time_ms: Column, attainable_ms: Column, share: Column, floor_ms: float) -> Column:
    """Milliseconds that the achievable shares would save; NaN if time or roofline is unknown."""
    reached = np.maximum(attainable_ms / share, floor_ms)
    return np.maximum(time_ms - reached, 0.0)
