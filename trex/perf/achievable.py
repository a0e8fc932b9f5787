"""Achievable: which share of its roofline a good kernel reaches, and what time would be saved there.

A roofline is what the units could do if nothing else held them; no kernel reaches it. Headroom is therefore counted
against a stated share of it, by what bounds the layer:

headroom_ms = max(0, time − max(attainable / achievable share, 2 µs of a launch))

so that it is never negative and the headroom of all layers is never more than their time. The ranking by headroom says
where to look first; it does not say that a faster kernel exists. The shares are our choice where no source is named;
they are not promises of a library. Where several reasons hold a layer back at once (a product too small to fill the
device, a memory-bound kernel of a few microseconds), it reaches less than these shares, and the tile and wave figures
tell why.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from trex.perf.cache import Column


class Bound(Enum):
    """What keeps a layer from being faster than its roofline."""

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
    """share: of the roofline, 0 to 1. source: why, in words."""

    share: float
    source: str


_BY_BOUND = {
    Bound.TENSOR_CORES: Achievable(
        0.8,
        "our choice: large products level off below the peak (NVIDIA, Matrix Multiplication Background User's Guide), "
        "and clocks fall below boost under such load",
    ),
    Bound.CUDA_CORES: Achievable(
        0.7, "our choice: address arithmetic and loads are issued by the same schedulers as the multiply-adds"
    ),
    Bound.MEMORY: Achievable(
        0.85, "our choice: what large copies reach of the published bandwidth; trex devices measure tells your device's"
    ),
    Bound.L2: Achievable(
        0.6, "our choice: the L2's rate is an upper bound, and kernels that live in it are too short to hide latency"
    ),
    Bound.LAUNCH: Achievable(
        0.5, "our choice: a kernel takes 2 to 5 µs with its launch, so that 4 µs are taken as reached"
    ),
    Bound.UNKNOWN: Achievable(float("nan"), "what bounds the layer is not known"),
}
# Kinds of work that reach another share under the same bound.
_BY_KIND = {
    (Bound.TENSOR_CORES, "attention"): Achievable(
        0.6, "Dao, FlashAttention-2 (2023): 50 to 73 % of the peak of an A100; softmax runs between the products"
    ),
    (Bound.MEMORY, "gather"): Achievable(0.5, "our choice: rows that are scattered fill sectors of 32 bytes in part"),
    (Bound.MEMORY, "scatter"): Achievable(0.5, "our choice: rows that are scattered fill sectors of 32 bytes in part"),
    (Bound.MEMORY, "reformat"): Achievable(0.7, "our choice: one of reading and writing is not in order"),
}


def achievable(bound: Bound, kind: str = "") -> Achievable:
    """The share of the roofline that a good kernel of this kind of work reaches, and why it is taken."""
    return _BY_KIND.get((bound, kind)) or _BY_BOUND[bound]


def kinds_apart(bound: Bound) -> tuple[str, ...]:
    """Kinds of work that reach another share than all others under this bound."""
    return tuple(kind for each, kind in _BY_KIND if each is bound)


def headroom_ms(time_ms: Column, attainable_ms: Column, share: Column, floor_ms: float) -> Column:
    """Milliseconds that would be saved at the achievable shares; NaN where time or roofline is unknown."""
    reached = np.maximum(attainable_ms / share, floor_ms)
    return np.maximum(time_ms - reached, 0.0)
