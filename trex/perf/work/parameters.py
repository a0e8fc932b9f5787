"""Parameters of a layer's record, read defensively: extents, windows and the positions that a window touches."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import gcd, prod
from operator import itemgetter
from typing import Any

from trex.core.shape import Shape

_MOST = 1 << 40
_MOST_COUNTED = 1 << 16

ACTIVATION_OPERATIONS: dict[str, int] = {
    "NONE": 0,
    "IDENTITY": 0,
    "RELU": 1,
    "CLIP": 2,
    "CLIPPED_RELU": 2,
    "LEAKY_RELU": 2,
    "THRESHOLDED_RELU": 1,
    "TANH": 1,
    "SCALED_TANH": 3,
    "SOFTSIGN": 3,
    "SOFTPLUS": 5,
    "SIGMOID": 4,
    "HARD_SIGMOID": 4,
    "ELU": 4,
    "SELU": 5,
    "GELU": 5,
    "GELU_ERF": 5,
    "GELU_TANH": 8,
    "SILU": 5,
    "SWISH": 5,
    "HARD_SWISH": 5,
    "MISH": 6,
}
"""Operations per value of TensorRT's ActivationType and similar, from their definitions: an exponential, a hyperbolic
tangent, an error function or a comparison counts as one. SIGMOID is 1 / (1 + exp(−x)): negation, exponential, addition,
division, as in TensorRT's own pointwise expressions."""


def whole_numbers(value: Any, rank: int, default: int) -> tuple[int, ...] | None:
    """A list of ``rank`` integers; all ``default`` if the key is absent, None if it is unusable."""
    if value is None:
        return (default,) * rank
    if not isinstance(value, list) or len(value) != rank:
        return None
    if not all(type(item) is int and -_MOST <= item <= _MOST for item in value):
        return None
    return tuple(value)


def activation_operations(record: Mapping[str, Any], prefix: str = "") -> int | None:
    """Operations per value of a record's ``Activation``; 0 without one, None for an unknown one."""
    word = record.get(prefix + "Activation")
    if word is None:
        return 1 if record.get(prefix + "HasReLU") in (1, True) else 0
    return ACTIVATION_OPERATIONS.get(word.upper().removeprefix("K")) if isinstance(word, str) else None


def part_read(
    shape: Shape | None, output: Shape | None, record: Mapping[str, Any], keys: tuple[str, str]
) -> Shape | None:
    """The part of a window operation's input that its windows touch, None if it is all of it or unknown.

    A 1×1 convolution with stride 2 reads every second value of every second row: a quarter. keys: the record's key of
    the window and the prefix of its keys (``Kernel``, "").
    """
    window, prefix = record.get(keys[0]), keys[1]
    stride = record.get(prefix + "Stride")
    if not isinstance(window, list) or not isinstance(stride, list) or shape is None or output is None:
        return None
    rank = len(window)
    if not rank or _touches_all(window, stride, record.get(prefix + "Dilation")):
        return None
    sizes, steps = whole_numbers(window, rank, 1), whole_numbers(stride, rank, 1)
    spread = whole_numbers(record.get(prefix + "Dilation"), rank, 1)
    before = whole_numbers(record.get(prefix + "PrePadding"), rank, 0)
    if sizes is None or steps is None or spread is None or before is None or not len(shape) == len(output) == rank + 2:
        return None
    if min(sizes) < 1 or min(steps) < 1 or min(spread) < 1 or None in shape or None in output:
        return None
    axes = zip(shape[2:], output[2:], sizes, steps, spread, before)
    return (*shape[:2], *(touched(*axis) for axis in axes))


def _touches_all(window: Any, stride: Any, dilation: Any) -> bool:
    """True if the steps are no longer than the window, without gaps: a fast check that covers most windows."""
    try:
        return bool(max(stride) <= min(window) and (not dilation or max(stride) == 1 or max(dilation) == 1))
    except (TypeError, ValueError):
        return False


@lru_cache(maxsize=4096)
def touched(extent: int, outputs: int, window: int, stride: int, dilation: int = 1, before: int = 0) -> int:
    """How many of ``extent`` positions along one axis any window touches, without those in the padding."""
    if stride <= window and dilation == 1:
        first, last = max(0, -before), min(extent - 1, (outputs - 1) * stride + window - 1 - before)
        return max(0, last - first + 1)
    if outputs * window > _MOST_COUNTED:
        return min(extent, outputs * window)
    # Two progressions are added: ``count`` steps of ``step``; ``period`` steps of the other are a multiple of it.
    common = gcd(stride, dilation)
    outer, inner = sorted([(dilation // common, stride, outputs), (stride // common, dilation, window)])
    if outer[2] <= outer[0] or inner[2] <= inner[0]:  # no position is touched twice
        (_, step, count), (_, inner_step, inner_count) = sorted([outer, inner], key=itemgetter(2))
        return sum(_inside(index * step - before, inner_step, inner_count, extent) for index in range(count))
    period, step, count = outer
    return sum(
        _inside(rest * step - before, inner[1], (count - 1 - rest) // period * inner[0] + inner[2], extent)
        for rest in range(period)
    )


def _inside(first: int, step: int, count: int, extent: int) -> int:
    """How many of ``count`` positions from ``first`` on, each ``step`` after the one before, are in 0 … extent − 1."""
    return max(0, min(count, -((first - extent) // step)) - max(0, -(first // step)))


def pooling_operations(record: Mapping[str, Any], prefix: str = "") -> tuple[int | None, bool]:
    """(operations per output value of a pooling, whether its type is known): n − 1 comparisons for the maximum of n
    values, n − 1 additions and a division for their average, both and three more for a blend; None without a window.
    """
    window = record.get(prefix + "WindowSize")
    sizes = whole_numbers(window, len(window), 1) if isinstance(window, list) else None
    if not sizes or min(sizes) < 1:
        return None, False
    count = prod(sizes)
    word = str(record.get(prefix + "PoolingType", "")).upper()
    if "BLEND" in word:
        return 2 * count - 1 + 3, True
    if "AVERAGE" in word or "AVG" in word:
        return count, True
    return count - 1, "MAX" in word
