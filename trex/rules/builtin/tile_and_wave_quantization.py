"""GEMMs whose tiles fill the GPU badly.

What it finds: convolutions and matrix products, bound by arithmetic, whose kernel's tiles cover much more than the
result (tile quantization) or whose last wave of tiles leaves most SMs idle (wave quantization).
Why it matters: a kernel takes as long as full tiles and full waves do. 109 tiles on 108 SMs take two waves, the second
for one tile: half of the GPU's time is lost.
What to try: a batch or a number of channels that fills the last wave and tile (the evidence contains the extents); a
higher ``--builderOptimizationLevel`` and ``--maxTactics``, so that the builder tries smaller tiles and split K; GEMMs
of similar shape as one (Q, K and V of attention; branches of equal convolutions).
Does not apply: kernels that memory or launches bound; kernels whose name does not contain the tile; Winograd. How many
tiles one SM holds at a time is unknown and taken as one; with more, there are fewer waves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from trex.perf.achievable import BOUNDS, Bound
from trex.perf.roofline import LAUNCH_MS
from trex.perf.tiling import Tiling
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import GEMMS
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import PROFILE_HINT, cost, main_operation, ms

_FORMULA = (
    "min(time · (1 − tile efficiency · wave efficiency), time − max(bytes / memory bandwidth, bytes / L2 bandwidth, 2 "
    "µs of a launch))"
)
_GUIDE = "NVIDIA Deep Learning Performance: Matrix Multiplication Background User's Guide"
_BY_ARITHMETIC = (Bound.TENSOR_CORES, Bound.CUDA_CORES, Bound.UNKNOWN)


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    gemms = engine.of_type(*GEMMS)
    if not gemms:
        return
    if not engine.is_timed:
        yield Unchecked("there are no layer times", PROFILE_HINT)
        return
    tilings, bound = engine.performance.tilings, engine.performance.roofline.bound
    least_ms = engine.total_ms * limits["share"] / 100
    long = [position for position in gemms if engine.times[position] >= least_ms]
    unknown: list[int] = []
    for position in long:
        tiling = tilings[position]
        if tiling is None:
            unknown.append(position)
            continue
        efficiency = tiling.tile_efficiency * (1.0 if tiling.wave_efficiency is None else tiling.wave_efficiency)
        if 100 * efficiency < limits["efficiency"] and BOUNDS[bound[position]] in _BY_ARITHMETIC:
            finding = _finding(engine, position, tiling, efficiency)
            if finding is not None:
                yield finding
    if unknown and len(unknown) == len(long):
        reason = f"the kernel names of {len(unknown):,} GEMMs do not contain the tiles"
        yield Unchecked(reason, layers=engine.indexes(unknown))


def _finding(engine: AnalyzedEngine, position: int, tiling: Tiling, efficiency: float) -> Finding | None:
    layer, roofline, time_ms = engine.layers[position], engine.performance.roofline, engine.times[position]
    floor_ms = np.nanmax([LAUNCH_MS, roofline.memory_ms[position], roofline.l2_ms[position]])
    gain_ms = min(time_ms * (1 - efficiency), time_ms - float(floor_ms))
    if gain_ms <= 0:
        return None
    rows, columns, _ = tiling.tile
    words = []
    gemm = tiling.gemm
    if tiling.tile_efficiency < 1:
        words.append(f"tiles of {rows}×{columns} cover {1 / tiling.tile_efficiency:.2f} times the result")
    if tiling.wave_efficiency is not None and tiling.waves is not None and tiling.tiles is not None:
        waves = "one wave" if tiling.waves == 1 else f"{tiling.waves:,} waves"
        words.append(f"{tiling.tiles:,} tiles fill {100 * tiling.wave_efficiency:.0f} % of {waves}")
    fixes = ["trtexec --builderOptimizationLevel=5 (more tactics: other tiles, split K), without an old timing cache"]
    if tiling.waves == 1:
        fixes.insert(0, "a larger batch: one wave is not full, so more work takes hardly more time")
    elif tiling.wave_efficiency is not None:
        fixes.insert(0, "a batch without a small last wave: try the next lower and higher ones")
    if tiling.tile_efficiency < 1:
        fixes.append(f"extents that are multiples of the tile: M = {gemm.m:,} of {rows}, N = {gemm.n:,} of {columns}")
    wave_pct = None if tiling.wave_efficiency is None else 100 * tiling.wave_efficiency
    return Finding(
        f"{main_operation(layer)}: {' and '.join(words)}; up to {ms(gain_ms)} of {cost(time_ms, engine)}",
        layers=(layer.index,),
        savings={layer.index: gain_ms},
        formula=_FORMULA,
        evidence=(
            Evidence("M", gemm.m),
            Evidence("N", gemm.n),
            Evidence("K", gemm.k),
            Evidence("GEMMs", gemm.batch),
            Evidence("tile efficiency", 100 * tiling.tile_efficiency, "%"),
            Evidence("tiles", tiling.tiles),
            Evidence("waves", tiling.waves),
            Evidence("wave efficiency", wave_pct, "%"),
        ),
        fix=tuple(fixes),
        documentation=(f"{_GUIDE}, Tile Quantization", f"{_GUIDE}, Wave Quantization"),
        how_to_check="over a sweep of batches, the layer's time rises in steps of one wave",
        confidence=0.5 if tiling.wave_efficiency is not None else 0.4,
    )


RULE = Rule(
    "GEMM001",
    "tiles that fill the GPU badly",
    Severity.NOTE,
    check,
    {
        "efficiency": RuleLimit(60.0, "%", "useful share of tiles and waves below which a GEMM is reported"),
        "share": RuleLimit(1.0, "%", "least share of a GEMM in the engine's time"),
    },
)
