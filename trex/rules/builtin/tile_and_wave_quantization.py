"""Products whose tiles fill the GPU badly.

What it finds: convolutions and matrix products, bound by arithmetic, whose kernel's tiles cover much more than the
product (tile quantization) or whose last wave of tiles leaves most SMs idle (wave quantization).
Why it matters: a kernel takes as long as full tiles and full waves do. 109 tiles on 108 SMs take two waves, the second
for one tile: half of the GPU's time is lost.
What to try: a batch or a number of channels that fills the last wave and tile (the evidence tells the extents); a
higher ``--builderOptimizationLevel`` and ``--maxTactics``, so that smaller tiles and kernels that split K are tried;
products of like shape as one (Q, K and V of attention; branches of equal convolutions).
Does not apply: to kernels that the memory or the launch bounds; where the kernel's name does not write its tile; to
Winograd. How many tiles one SM holds at a time is not told: one is taken, so that waves are fewer where it is more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from trex.perf.achievable import BOUNDS, Bound
from trex.perf.roofline import LAUNCH_MS
from trex.perf.tiling import Tiling
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule
from trex.rules.type_flow import PRODUCTS
from trex.rules.wording import main_operation, ms, priced

_FORMULA = (
    "min(time · (1 − tile efficiency · wave efficiency), time − max(bytes / bandwidth of the memory, of the L2, "
    "2 µs of a launch))"
)
_DOCUMENTATION = (
    "NVIDIA Deep Learning Performance: Matrix Multiplication Background User's Guide, Tile Quantization",
    "NVIDIA Deep Learning Performance: Matrix Multiplication Background User's Guide, Wave Quantization",
)
_BY_ARITHMETIC = (Bound.TENSOR_CORES, Bound.CUDA_CORES, Bound.UNKNOWN)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterable[Finding | CannotTell]:
    products = seen.of_type(*PRODUCTS)
    if not products:
        return
    if not seen.is_timed:
        yield CannotTell("without layer times nobody knows which products' tiles matter", "profile the engine")
        return
    tilings, bound = seen.performance.tilings, seen.performance.roofline.bound
    least = seen.total_ms * limits["share"] / 100
    untold: list[int] = []
    for place in products:
        time_ms, tiling = seen.times_ms[place], tilings[place]
        if not time_ms >= least:
            continue
        if tiling is None:
            untold.append(place)
            continue
        efficiency = tiling.tile_efficiency * (1.0 if tiling.wave_efficiency is None else tiling.wave_efficiency)
        if 100 * efficiency < limits["efficiency"] and BOUNDS[bound[place]] in _BY_ARITHMETIC:
            found = _finding(seen, place, tiling, efficiency)
            if found is not None:
                yield found
    if untold and len(untold) == sum(1 for place in products if seen.times_ms[place] >= least):
        yield CannotTell(
            f"the names of the kernels do not write the tiles of {len(untold):,} products",
            layers=tuple(seen.layers[place].index for place in untold),
        )


def _finding(seen: Inspected, place: int, tiling: Tiling, efficiency: float) -> Finding | None:
    layer, roofline, time_ms = seen.layers[place], seen.performance.roofline, float(seen.times_ms[place])
    floor = np.nanmax([LAUNCH_MS, roofline.memory_ms[place], roofline.l2_ms[place]])
    gain = min(time_ms * (1 - efficiency), time_ms - float(floor))
    if gain <= 0:
        return None
    rows, columns, _ = tiling.tile
    words = []
    if tiling.tile_efficiency < 1:
        words.append(f"tiles of {rows}×{columns} cover {1 / tiling.tile_efficiency:.2f} times the product")
    if tiling.wave_efficiency is not None and tiling.waves is not None and tiling.tiles is not None:
        words.append(f"{tiling.tiles:,} tiles fill {100 * tiling.wave_efficiency:.0f} % of {_waves(tiling.waves)}")
    advice = ["trtexec --builderOptimizationLevel=5 (more tactics: other tiles, split K), without an old timing cache"]
    if tiling.waves == 1:
        advice.insert(0, "a larger batch: one wave is not full, so that more work costs hardly more time")
    elif tiling.wave_efficiency is not None:
        advice.insert(0, "a batch that leaves no small last wave: try the next lower and higher ones")
    if tiling.tile_efficiency < 1:
        advice.append(
            f"extents that are multiples of the tile: M = {tiling.m:,} of {rows}, N = {tiling.n:,} of {columns}"
        )
    return Finding(
        f"{main_operation(layer)}: {' and '.join(words)}; up to {ms(gain)} of its {priced(time_ms, seen.total_ms)}",
        (layer.index,),
        {layer.index: gain},
        _FORMULA,
        (
            Evidence("M", tiling.m),
            Evidence("N", tiling.n),
            Evidence("K", tiling.k),
            Evidence("products", tiling.batch),
            Evidence("tile efficiency", 100 * tiling.tile_efficiency, "%"),
            Evidence("tiles", tiling.tiles),
            Evidence("waves", tiling.waves),
            Evidence("wave efficiency", None if tiling.wave_efficiency is None else 100 * tiling.wave_efficiency, "%"),
        ),
        tuple(advice),
        _DOCUMENTATION,
        "the layer's time over a sweep of batches: it rises in steps of one wave",
        0.5 if tiling.wave_efficiency is not None else 0.4,
    )


def _waves(number: int) -> str:
    return "one wave" if number == 1 else f"{number:,} waves"


RULE = Rule(
    "GEMM001",
    "tiles that fill the GPU badly",
    Severity.NOTE,
    check,
    {
        "efficiency": Limit(60.0, "%", "useful part of tiles and waves below which a product is told"),
        "share": Limit(1.0, "%", "least share of the engine's time that a product must take"),
    },
)
