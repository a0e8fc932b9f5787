"""Half precision: for which precisions an engine was built, and what its FP32 layers could save in FP16."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from trex.core.data_type import DataType
from trex.core.release import release_from_text
from trex.perf.arithmetic import Arithmetic
from trex.perf.cache import Column, column, memory_bytes
from trex.perf.mac_rates import DeviceRates
from trex.perf.roofline import LAUNCH_MS
from trex.plan.listed_operands import product_type
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.data_movement import GENERATED, input_chain, only_moves
from trex.rules.operators import GEMMS, WHOLE_NORMALIZATIONS
from trex.rules.type_flow import HALVES, QUANTIZED

_ORDER = ("FP32", "TF32", "FP16", "BF16", "INT8", "FP8", "INT4", "FP4")
_WORD = re.compile("|".join(_ORDER))
_OVER_CUDA_CORES = 16
"""FP16 on tensor cores over FP32 on CUDA cores: 312 to 19.5 TFLOP/s on A100, less elsewhere (NVIDIA A100 datasheet)."""
_OVER_TF32 = 4
"""FP16 summed in FP16 over TF32: 142 to 35.6 TFLOP/s on RTX 3090 (GA102 whitepaper), 2 times elsewhere."""
_MEMORY_BOUND = 10
"""Operations per byte below which FP32 on CUDA cores waits for memory on any GPU: 10 on A100 (19.5 TFLOP/s, 1.9 TB/s),
more elsewhere. Such a GEMM saves half, like other layers.
"""
_NOISE = 0.02
"""Timings of tactics repeat within 2 %, as in BUILD001."""
_FIRST_WITH_FAST_HALF = (5, 3)
_FIRST_ALWAYS_TYPED = 11

HALF_FORMULA = (
    "layer time · (1 − best time in FP16 / best in FP32) where the builder timed both; else layer time − max(2 · MACs "
    "/ highest rate in FP16, half of the bytes that no cache holds / memory bandwidth, half of the bytes / L2 "
    "bandwidth, 2 µs of a launch) if the device is known; else half of the layer's time, 3/4 for GEMMs in TF32 and "
    "15/16 for GEMMs on CUDA cores (FP16 is at most 4 and 16 times as fast) with 10 operations per byte or more"
)


def precisions_of(engine: AnalyzedEngine) -> frozenset[str]:
    """Precisions that the build allowed (``FP16``); empty if unknown or if the network is strongly typed."""
    option = engine.plan.builder_cfg.get("Precision")
    return frozenset(_WORD.findall(option.upper())) if isinstance(option, str) else frozenset()


def precisions_text(precisions: frozenset[str]) -> str:
    """``FP32+FP16+INT8``, the widest first."""
    return "+".join(sorted(precisions, key=_ORDER.index))


def is_strongly_typed(engine: AnalyzedEngine) -> bool:
    """By the build's options; all networks of TensorRT 11 and of TensorRT for RTX are."""
    option = engine.plan.builder_cfg.get("Precision")
    release = release_from_text(engine.plan.tensorrt_version)
    return (
        engine.is_for_rtx
        or (release is not None and release.major >= _FIRST_ALWAYS_TYPED)
        or (isinstance(option, str) and "strongly typed" in option.lower())
    )


def has_slow_half(engine: AnalyzedEngine) -> bool:
    """Whether the device is known to multiply no faster in FP16 than in FP32, as compute capability 6.1 does.

    Source: CUDA C++ Programming Guide, throughput of native arithmetic instructions: none before 5.3, 1/64 at 6.1.
    """
    device = engine.performance.device
    if device is None:
        return False
    if device.compute_capability is not None and device.compute_capability < _FIRST_WITH_FAST_HALF:
        return True
    rates = DeviceRates(device)
    half = rates.fastest(_HALF)[1]
    return half <= rates.of(_SINGLE)  # False if either is unknown


def single_layers(engine: AnalyzedEngine) -> list[int]:
    """Positions of the layers that read FP32 and are no copies, without those that do for a reason: they have the
    time of a DLA part, read the sums of quantized products, quantize an input of the engine, are a part of a
    normalization that the model has as one operator, or the builder timed them in both precisions and was no faster in
    FP16 or BF16.
    """
    flow, words = engine.flow, engine.operations.words
    prepared = {position for start in range(len(flow.reads)) for position in input_chain(engine, start)}
    return [
        position
        for position, reads in enumerate(flow.reads)
        if reads is DataType.FP32
        and not flow.is_copy(position)
        and position not in engine.dla_waits
        and not (engine.layers[position].type in GENERATED and only_moves(engine, position))
        and position not in prepared
        and not (flow.writes[position] in QUANTIZED and flow.reads_binding(position))
        and not any(map(flow.writes_sums, engine.before(position)))
        and words[position].isdisjoint(WHOLE_NORMALIZATIONS)
        and timed_share(engine, position) != 0.0
    ]


def timed_share(engine: AnalyzedEngine, position: int) -> float | None:
    """Share of an FP32 layer's time that FP16 or BF16 saves by the builder's own timings; None without both.

    0 where it is no faster, or by less than timings repeat.
    """
    name = engine.layers[position].name
    single, half = engine.timings.of(name, (DataType.FP32,)), engine.timings.of(name, HALVES)
    if single is None or half is None:
        return None
    return 1.0 - half / single if half < (1.0 - _NOISE) * single else 0.0


def half_savings(engine: AnalyzedEngine, positions: Sequence[int]) -> dict[int, float]:
    """What these FP32 layers could save in FP16 at most, {layer.index: milliseconds}, by ``HALF_FORMULA``."""
    if not engine.is_timed:
        return {}
    least_ms, intensity = _half_ms(engine, at_least=True), engine.performance.roofline.intensity
    savings: dict[int, float] = {}
    for position in positions:
        time, least = engine.times[position], float(least_ms[position])
        timed = timed_share(engine, position)
        if position in engine.streamed:
            share = 0.5  # half as many bytes of weights come from the host
        elif timed is not None:
            share = timed
        elif math.isfinite(time) and math.isfinite(least):
            share = max(0.0, 1 - least / time) if time > 0 else 0.0
        elif product_type(engine.layers[position]) in GEMMS and not intensity[position] < _MEMORY_BOUND:
            share = 1 - 1 / (_OVER_TF32 if engine.kernels[position].tf32 else _OVER_CUDA_CORES)
        else:
            share = 0.5
        savings |= engine.savings([position], share)
    return savings


def half_expected_ms(engine: AnalyzedEngine, positions: Sequence[int]) -> float:
    """What these layers save if in FP16 each stays as many times above what is attainable as it is now; NaN if unknown.

    Formula: Σ price · (1 − attainable in FP16 / attainable now), by the builder's timings where it has both. A
    forecast, not a bound: conversions at the engine's bindings are extra, and other kernels reach other shares. Layers
    without a forecast count as unchanged.
    """
    saved = _forecast_ms(engine, positions)
    known = saved[np.isfinite(saved)]
    return float(known.sum()) if len(known) else float("nan")


def half_confidence(engine: AnalyzedEngine, positions: Sequence[int], most: Mapping[int, float], limit: float) -> float:
    """``limit``, but no more than the forecast's share of the bound ``most`` (``half_savings``), where both are known.

    At batch 1 most layers wait for their launch or for memory, not for MACs. A layer without a forecast, such as a
    region, shows nothing of that: it counts in neither.
    """
    saved, priced = _forecast_ms(engine, positions), engine.priced(most)
    indexes = [engine.layers[position].index for position in positions]
    bounds = np.array([priced.get(index, 0.0) for index in indexes])
    known = np.isfinite(saved)
    most_ms = float(bounds[known].sum())
    return min(limit, float(saved[known].sum()) / most_ms) if most_ms > 0 else limit


def _forecast_ms(engine: AnalyzedEngine, positions: Sequence[int]) -> Column:
    """Milliseconds that each of these layers saves by the formula of ``half_expected_ms``, NaN if unknown."""
    now_ms, half_ms = engine.performance.roofline.attainable_ms, _half_ms(engine, at_least=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        saved = (engine.performance.prices.ms * np.maximum(0.0, 1.0 - half_ms / now_ms))[list(positions)]
    for at, position in enumerate(positions if engine.timings else ()):
        share = timed_share(engine, position)
        if share is not None:
            saved[at] = engine.prices[position] * share
    return np.asarray(saved, dtype=np.float64)


_HALF = (
    Arithmetic(DataType.FP16, DataType.FP16),
    Arithmetic(DataType.FP16, DataType.FP32),
    Arithmetic(DataType.FP16, tensor_core=False),
)
_SINGLE = Arithmetic(DataType.FP32, tensor_core=False)


def _half_ms(engine: AnalyzedEngine, at_least: bool) -> Column:
    """What is attainable for each layer if all its tensors are FP16, or the least; NaN if unknown.

    Half of the bytes fit a cache as all of them fit one of twice its size.
    """
    performance, roofline = engine.performance, engine.performance.roofline
    device, rates = performance.device, DeviceRates(performance.device)
    capacity = None if device is None or device.l2_mib is None else device.l2_mib * 2**20
    far, least_far = memory_bytes(engine.layers, performance.works, None if capacity is None else 2 * capacity)
    fastest = rates.fastest((*_HALF, _SINGLE))[1]
    share = column([item.least_share for item in roofline.kernel_arithmetics]) if at_least else 1.0
    memory_ms = (least_far if at_least else far) / 2 / rates.memory * 1e3
    parts = (
        2e3 * np.nan_to_num(roofline.macs) * share / fastest,
        np.nan_to_num(roofline.other_ops) * 1e3 / rates.cuda(DataType.FP16),
        memory_ms,
        roofline.l2_ms / 2,
    )
    longest = np.maximum(np.nan_to_num(np.stack(parts)).max(axis=0), LAUNCH_MS)
    return np.where(np.isnan(memory_ms), np.nan, longest)
