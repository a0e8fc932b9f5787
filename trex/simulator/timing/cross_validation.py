"""Cross-validation: real engines predicted by constants fitted without them, and the error bars that follow.

Each engine is scored by three fits: without the engine, without any engine of its GPU, and without any engine of its
compute capability. The remaining engines determine the distance of the prediction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from statistics import median
from typing import Any

import numpy as np

from trex.perf.samples.series import spearman
from trex.simulator.timing.constants import Constants
from trex.simulator.timing.fit import MeasuredEngine, Observation, ObservedSum, fit, observations
from trex.simulator.timing.intervals import (
    COMPUTE,
    DISTANCES,
    UNKNOWN_WORK,
    distance_between,
    interval_of_groups,
)
from trex.simulator.timing.prediction import (
    PROFILER_SHARE,
    compute_ms,
    predict,
    profiler_ms,
    profiler_share_name,
    without_profiler,
)

LEFT_OUT = ("engine", "GPU", "architecture")
_LOW, _HIGH = 10, 90


@dataclass(frozen=True)
class HoldOutScore:
    """An engine against its prediction. left_out: one of ``LEFT_OUT``. distance: of its device from those of the fit.

    spearman: rank correlation of the layers' times, None for fewer than two. total_ratio: predicted over measured sum.
    compute_ratio: predicted over measured GPU compute time, None if that is unknown or there are layers of unknown
    work, which are excluded. unknown_ratios: measured over predicted time of the excluded layers. family: of the
    network. device: its name.
    """

    engine: str
    left_out: str
    distance: str
    spearman: float | None
    total_ratio: float
    compute_ratio: float | None
    unknown_ratios: tuple[float, ...]
    family: str = ""
    device: str = ""


@dataclass(frozen=True)
class JudgedSum:
    """A measured inference against its prediction: what an interval of sums is made from. ratio: predicted over
    measured. family: of the network, device: its name; both together are its group.
    """

    engine: str
    family: str
    device: str
    distance: str
    ratio: float


def cross_validate(measured: Sequence[MeasuredEngine], sums: Sequence[ObservedSum] = ()) -> tuple[HoldOutScore, ...]:
    """Every engine, by three fits each, in the order of ``LEFT_OUT``; without sums of its network's family."""
    rows = {engine.engine: observations(engine) for engine in measured}
    fits: dict[tuple[object, ...], Constants] = {}
    scores = []
    for left_out in LEFT_OUT:
        for engine in measured:
            kept = training_set(engine, measured, left_out)
            kept_sums = _sums_without(engine, sums, left_out)
            key = (*(other.engine for other in kept), *(one.group for one in kept_sums))
            if key not in fits:
                fits[key] = _fitted(kept, rows, kept_sums)
            scores.append(_score(engine, kept, fits[key], left_out))
    return tuple(scores)


def fit_all(measured: Sequence[MeasuredEngine], sums: Sequence[ObservedSum] = ()) -> Constants:
    """Constants from all these engines and sums, with the profiler's share of the launch."""
    return _fitted(measured, {engine.engine: observations(engine) for engine in measured}, sums)


def training_set(scored: MeasuredEngine, measured: Sequence[MeasuredEngine], left_out: str) -> list[MeasuredEngine]:
    """The engines that remain without the scored engine, its GPU or its architecture."""
    if left_out == "engine":
        return [engine for engine in measured if engine is not scored]
    if left_out == "GPU":
        return [engine for engine in measured if engine.device.name != scored.device.name]
    if left_out != "architecture":
        raise ValueError(f"{left_out!r} is none of {', '.join(LEFT_OUT)}")
    return [engine for engine in measured if engine.device.compute_capability != scored.device.compute_capability]


def _sums_without(scored: MeasuredEngine, sums: Sequence[ObservedSum], left_out: str) -> list[ObservedSum]:
    """Sums of other families, GPUs and architectures than those that are left out."""
    kept = [one for one in sums if one.group[0] != scored.family]
    if left_out == "GPU":
        return [one for one in kept if one.group[1] != scored.device.name]
    if left_out == "architecture":
        return [one for one in kept if one.capability != scored.device.compute_capability]
    return kept


def profiler_shares(measured: Sequence[MeasuredEngine], constants: Constants) -> dict[str, float]:
    """The share of the launch that the profiler adds to every kernel: the median over the engines with GPU compute
    times, of all engines and of each compute capability; empty without such engines.
    """
    by_capability: dict[tuple[int, int], list[float]] = {}
    for engine in measured:
        capability = engine.device.compute_capability or (0, 0)
        kernels = [ms for ms in engine.times_ms if ms]
        if engine.compute_ms is not None and kernels:
            launch = constants.launch_ms(capability)
            by_capability.setdefault(capability, []).append(_profiler_share(kernels, launch, engine.compute_ms))
    shares = {profiler_share_name(capability): median(values) for capability, values in sorted(by_capability.items())}
    every = [share for values in by_capability.values() for share in values]
    return {PROFILER_SHARE: median(every), **shares} if every else {}


def _profiler_share(kernels: Sequence[float], launch: float, compute: float) -> float:
    """The share for which the kernels without the profiler's part add up to the GPU compute time; between 0 and 1."""
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        if without_profiler(kernels, middle * launch) > compute:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def document_of(
    measured: Sequence[MeasuredEngine], published: Iterable[JudgedSum] = (), sums: Sequence[ObservedSum] = ()
) -> dict[str, Any]:
    """What a document of constants says of the engines behind it: their devices, the kinds of work that they judge, and
    the intervals that follow. published: further inferences, without times of their layers. sums: behind the constants.
    """
    devices = [
        {
            "device": engine.device.name,
            "compute_capability": ".".join(map(str, engine.device.compute_capability or (0, 0))),
        }
        for engine in measured
    ]
    intervals = intervals_of(cross_validate(measured, sums), published)
    return {"engines": devices, "judged": judged_work(measured), "intervals": intervals}


def judged_work(measured: Sequence[MeasuredEngine]) -> dict[str, dict[str, int]]:
    """{kind of work: number of its measured layers, and of the engines with such layers}."""
    rows = [row for engine in measured for row in observations(engine) if row.demand.is_known]
    works = sorted({row.demand.work for row in rows})
    return {
        work: {
            "layers": sum(row.demand.work == work for row in rows),
            "engines": len({row.engine for row in rows if row.demand.work == work}),
        }
        for work in works
    }


def intervals_of(scores: Iterable[HoldOutScore], published: Iterable[JudgedSum] = ()) -> dict[str, Any]:
    """The intervals that ``intervals`` reads, by distance: of GPU compute ``interval_of_groups`` over the engines and
    the published inferences, of layers of unknown work the 10th and 90th percentile of measured over predicted time. An
    interval is at least as wide as at a smaller distance.
    """
    extra = list(published)
    by_distance: dict[str, list[HoldOutScore]] = {distance: [] for distance in DISTANCES}
    for score in scores:
        group = by_distance[score.distance]
        if all(other.engine != score.engine for other in group):
            group.append(score)
    compute: dict[str, Any] = {}
    unknown: dict[str, Any] = {}
    low, high = 1.0, 1.0
    unknown_low = unknown_high = 1.0
    for distance, group in by_distance.items():
        sums = [
            JudgedSum(score.engine, score.family, score.device, distance, score.compute_ratio)
            for score in group
            if score.compute_ratio is not None
        ]
        sums += [judged for judged in extra if judged.distance == distance]
        if sums:
            groups: dict[tuple[str, str], list[float]] = {}
            for judged in sums:
                groups.setdefault((judged.family or judged.engine, judged.device), []).append(-log(judged.ratio))
            widest = interval_of_groups(groups)
            low, high = min(low, widest[0]), max(high, widest[1])
            entry = {"low": round(low, 3), "high": round(high, 3), "groups": len(groups), "engines": len(sums)}
            compute[distance] = entry
        ratios = [ratio for score in group for ratio in score.unknown_ratios]
        if ratios:
            lowest, highest = np.percentile(ratios, (_LOW, _HIGH)).tolist()
            unknown_low, unknown_high = min(unknown_low, lowest), max(unknown_high, highest)
            unknown_entry = {"low": round(unknown_low, 3), "high": round(unknown_high, 3), "layers": len(ratios)}
            unknown[distance] = unknown_entry
    return {UNKNOWN_WORK: unknown, COMPUTE: compute}


def _fitted(
    kept: Sequence[MeasuredEngine], rows: Mapping[str, tuple[Observation, ...]], sums: Sequence[ObservedSum]
) -> Constants:
    """Sums are fitted second: they are without the profiler, whose part the engines show."""
    observed = [row for engine in kept for row in rows[engine.engine]]
    constants = fit(observed)
    shares = profiler_shares(kept, constants)
    if sums:
        constants = Constants({**constants.values, **shares})
        capabilities = {one.capability for one in sums}
        constants = fit(observed, sums, {capability: profiler_ms(constants, capability) for capability in capabilities})
        shares = profiler_shares(kept, constants)
    return Constants({**constants.values, **shares})


def _score(scored: MeasuredEngine, kept: Sequence[MeasuredEngine], constants: Constants, left_out: str) -> HoldOutScore:
    prediction = predict(scored.layers, scored.device, scored.works, constants)
    pairs = [
        (layer, ms) for layer, ms in zip(prediction.layers, scored.times_ms) if ms and layer.is_kernel and layer.ms > 0
    ]
    known = [(layer.ms, ms) for layer, ms in pairs if layer.demand.is_known]
    unknown_ratios = tuple(ms / layer.ms for layer, ms in pairs if not layer.demand.is_known)
    predicted, measured = [row[0] for row in known], [row[1] for row in known]
    whole = scored.compute_ms if not unknown_ratios else None
    devices = [(engine.device.name, engine.device.compute_capability or (0, 0)) for engine in kept]
    return HoldOutScore(
        scored.engine,
        left_out,
        distance_between(scored.device, devices),
        spearman(predicted, measured),
        sum(predicted) / sum(measured),
        None if whole is None else compute_ms(prediction) / whole,
        unknown_ratios,
        scored.family,
        scored.device.name,
    )
