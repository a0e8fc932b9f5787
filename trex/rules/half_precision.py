"""Half precision: for which precisions an engine was built, and what its FP32 layers could save in FP16."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trex.rules.flow import PRODUCTS

if TYPE_CHECKING:
    from trex.rules.inspected import Inspected

_ORDER = ("FP32", "TF32", "FP16", "BF16", "INT8", "FP8", "INT4", "FP4")
_WORD = re.compile("|".join(_ORDER))
_MOST_TIMES_FASTER = 16
"""FP16 on tensor cores over FP32 on CUDA cores: 312 to 19.5 TFLOP/s on A100, less elsewhere (NVIDIA A100 datasheet)."""

HALF_FORMULA = (
    "layer time − half the time in which the memory moves its bytes, where a device is known; else half of the layer's "
    "time, of products on CUDA cores 15/16 of it (FP16 tensor cores are at most 16 times as fast)"
)


def precisions_of(seen: Inspected) -> frozenset[str]:
    """Precisions the build allowed (``FP16``); none where that is not told or the network is strongly typed."""
    told = seen.plan.builder_cfg.get("Precision")
    return frozenset(_WORD.findall(told.upper())) if isinstance(told, str) else frozenset()


def spelled(precisions: frozenset[str]) -> str:
    """``FP32+FP16+INT8``, the widest first."""
    return "+".join(sorted(precisions, key=_ORDER.index))


def is_strongly_typed(seen: Inspected) -> bool:
    told = seen.plan.builder_cfg.get("Precision")
    return isinstance(told, str) and "strongly typed" in told.lower()


def half_stake(seen: Inspected, places: Sequence[int]) -> dict[int, float]:
    """What these FP32 layers could save in FP16, {layer.index: milliseconds}, by ``HALF_FORMULA``."""
    if not seen.is_timed:
        return {}
    least_ms = seen.performance.roofline.memory_ms
    stake: dict[int, float] = {}
    for place in places:
        time, least = float(seen.times_ms[place]), float(least_ms[place]) / 2
        if math.isfinite(time) and math.isfinite(least):
            part = max(0.0, 1 - least / time) if time > 0 else 0.0
        else:
            is_slow = seen.layers[place].type in PRODUCTS and not seen.kernels[place].tf32
            part = 1 - 1 / _MOST_TIMES_FASTER if is_slow else 0.5
        stake |= seen.stake([place], part)
    return stake
