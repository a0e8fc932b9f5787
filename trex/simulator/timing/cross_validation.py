"""Judge: real engines predicted with constants that have not seen them, and what that says of how sure predictions are.

Leave-one-out: an engine is judged by a fit without it, by one without any engine of its GPU, and by one without any of
its compute capability. What was left tells at which distance it was judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from trex.simulator.timing.constants import Constants
from trex.simulator.timing.fit import MeasuredEngine, Observation, fit, observations
from trex.simulator.timing.inference import PROFILER_SHARE, compute_ms, profiler_share_name, without_profiler
from trex.simulator.timing.intervals import (
    ALL,
    COMPUTE,
    DISTANCES,
    FEWEST,
    TOTAL,
    UNTOLD,
    distance_between,
)
from trex.simulator.timing.prediction import predict

LEAVE = ("engine", "GPU", "architecture")
PERCENTILES = (5, 25, 50, 75, 95)
LEAST_MARGIN = 1.1
"""The sums of a handful of engines do not prove more than that: intervals of totals are no narrower than ± a tenth."""
_LOW, _HIGH = 10, 90


@dataclass(frozen=True)
class HoldOutScore:
    """An engine against its prediction. left_out: one of ``LEAVE``. distance: of its device from those left in the fit.

    spearman: rank correlation of the layers' times, NaN for fewer than two. total_ratio: predicted over measured sum.
    percentiles: (5, 25, 50, 75, 95) of the layers' predicted over measured times. layers: how many were compared;
    untold_share: of the measured time, what is in layers whose work is not told, which are left out of all these.
    compute_ratio: predicted over measured GPU compute time, None where that is not told or much is left out. ratios:
    (kind, measured over predicted time) of every compared layer; untold: of those left out.
    """

    engine: str
    device: str
    left_out: str
    distance: str
    spearman: float
    total_ratio: float
    percentiles: tuple[float, ...]
    layers: int
    untold_share: float
    compute_ratio: float | None
    ratios: tuple[tuple[str, float], ...] = ()
    untold: tuple[float, ...] = ()


def score_engine(engine: str, measured: Sequence[MeasuredEngine], leave: str = "engine") -> HoldOutScore:
    """One engine, by a fit without what ``leave`` names. Raises KeyError for an engine that is not among them."""
    judged = {each.engine: each for each in measured}[engine]
    seen = {each.engine: observations(each) for each in measured}
    return _score(judged, _training_set(judged, measured, leave), seen, leave)


def cross_validate(measured: Sequence[MeasuredEngine]) -> tuple[HoldOutScore, ...]:
    """Every engine, by three fits each, in the order of ``LEAVE``."""
    seen = {each.engine: observations(each) for each in measured}
    fits: dict[tuple[str, ...], Constants] = {}
    return tuple(
        _score(each, _training_set(each, measured, leave), seen, leave, fits) for leave in LEAVE for each in measured
    )


def fit_all(measured: Sequence[MeasuredEngine]) -> Constants:
    """Constants from all these engines, with the share of the launch that the profiler adds."""
    return _fit_constants(measured, {each.engine: observations(each) for each in measured})


def constants_without(engine: str, measured: Sequence[MeasuredEngine]) -> Constants:
    """Constants from all these engines but one, for whatever is to be judged by that one."""
    return fit_all([each for each in measured if each.engine != engine])


def profiler_shares(measured: Sequence[MeasuredEngine], constants: Constants) -> dict[str, float]:
    """The share of the launch by which the profiler lengthens every kernel: the median over the engines that tell GPU
    compute times, of all and of each compute capability; nothing where none does.
    """
    found: dict[tuple[int, int], list[float]] = {}
    for each in measured:
        capability = each.device.compute_capability or (0, 0)
        kernels = [ms for ms in each.times_ms if ms]
        if each.compute_ms is not None and kernels:
            launch = constants.launch_ms(capability)
            found.setdefault(capability, []).append(_profiler_share(kernels, launch, each.compute_ms))
    shares = {profiler_share_name(capability): median(each) for capability, each in sorted(found.items())}
    every = [share for each in found.values() for share in each]
    return {PROFILER_SHARE: median(every), **shares} if every else {}


def _profiler_share(kernels: Sequence[float], launch: float, compute: float) -> float:
    """The share at which the kernels without the profiler's part sum up to the GPU compute time; between 0 and 1."""
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        if without_profiler(kernels, middle * launch) > compute:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """Rank correlation, equal values sharing the mean of their ranks; NaN where one of them does not vary."""
    a, b = _ranks(first), _ranks(second)
    if len(a) < 2:
        return float("nan")
    mean = (len(a) - 1) / 2
    across = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    along = sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)
    return float(across / along**0.5) if along > 0 else float("nan")


def intervals_of(judgments: Iterable[HoldOutScore]) -> dict[str, Any]:
    """What ``distance`` reads: of layers the 10th and 90th percentile of measured over predicted time by distance and
    kind, of sums the extremes over the engines. A farther distance is never told to be surer than a nearer one.
    """
    by_distance: dict[str, list[HoldOutScore]] = {distance: [] for distance in DISTANCES}
    for each in judgments:
        held = by_distance[each.distance]
        if all(other.engine != each.engine for other in held):
            held.append(each)
    layer: dict[str, dict[str, Any]] = {}
    total: dict[str, Any] = {}
    compute: dict[str, Any] = {}
    for place, distance in enumerate(DISTANCES):
        held = by_distance[distance]
        if not held:
            continue
        groups: dict[str, list[float]] = {ALL: [], UNTOLD: []}
        for each in held:
            for kind, ratio in each.ratios:
                groups[ALL].append(ratio)
                groups.setdefault(kind, []).append(ratio)
            groups[UNTOLD].extend(each.untold)
        nearer = layer.get(DISTANCES[place - 1], {}) if place else {}
        layer[distance] = {
            kind: _interval(ratios, nearer.get(kind))
            for kind, ratios in sorted(groups.items())
            if len(ratios) >= (1 if kind == UNTOLD else FEWEST)
        }
        for whole, sums in (
            (total, [1 / each.total_ratio for each in held]),
            (compute, [1 / each.compute_ratio for each in held if each.compute_ratio is not None]),
        ):
            before = whole.get(DISTANCES[place - 1], {"low": 1.0, "high": 1.0}) if place else {"low": 1.0, "high": 1.0}
            whole[distance] = {
                "low": round(min(*sums, 1 / LEAST_MARGIN, before["low"]), 3),
                "high": round(max(*sums, LEAST_MARGIN, before["high"]), 3),
                "engines": len(sums),
            }
    return {"layer": layer, TOTAL: total, COMPUTE: compute}


def _interval(ratios: Sequence[float], nearer: Mapping[str, Any] | None) -> dict[str, Any]:
    low, high = percentile(ratios, _LOW), percentile(ratios, _HIGH)
    if nearer is not None:
        low, high = min(low, nearer["low"]), max(high, nearer["high"])
    return {"low": round(min(low, 1.0), 3), "high": round(max(high, 1.0), 3), "layers": len(ratios)}


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` per cent lie, between neighbors in proportion; NaN without any."""
    ordered = sorted(values)
    if not ordered:
        return float("nan")
    place = (len(ordered) - 1) * share / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _training_set(judged: MeasuredEngine, measured: Sequence[MeasuredEngine], leave: str) -> list[MeasuredEngine]:
    if leave == "engine":
        return [each for each in measured if each is not judged]
    if leave == "GPU":
        return [each for each in measured if each.device.name != judged.device.name]
    if leave != "architecture":
        raise ValueError(f"{leave!r} is none of {', '.join(LEAVE)}")
    return [each for each in measured if each.device.compute_capability != judged.device.compute_capability]


def _fit_constants(kept: Sequence[MeasuredEngine], seen: Mapping[str, tuple[Observation, ...]]) -> Constants:
    constants = fit([row for each in kept for row in seen[each.engine]])
    return Constants({**constants.values, **profiler_shares(kept, constants)})


def _score(
    judged: MeasuredEngine,
    kept: Sequence[MeasuredEngine],
    seen: Mapping[str, tuple[Observation, ...]],
    leave: str,
    fits: dict[tuple[str, ...], Constants] | None = None,
) -> HoldOutScore:
    fits = {} if fits is None else fits
    key = tuple(each.engine for each in kept)
    if key not in fits:
        fits[key] = _fit_constants(kept, seen)
    prediction = predict(judged.layers, judged.device, judged.works, fits[key])
    pairs = [
        (each, ms) for each, ms in zip(prediction.layers, judged.times_ms) if ms and each.is_kernel and each.ms > 0
    ]
    known = [(each.demand.kind, each.ms, ms) for each, ms in pairs if each.demand.is_known]
    untold = [(each.ms, ms) for each, ms in pairs if not each.demand.is_known]
    predicted, told = [each[1] for each in known], [each[2] for each in known]
    left_ms = sum(ms for _, ms in untold)
    whole = judged.compute_ms if not untold else None
    ratios = sorted(one / other for one, other in zip(predicted, told))
    return HoldOutScore(
        judged.engine,
        judged.device.name,
        leave,
        distance_between(
            judged.device, [(each.device.name, each.device.compute_capability or (0, 0)) for each in kept]
        ),
        spearman(predicted, told),
        sum(predicted) / sum(told),
        tuple(percentile(ratios, share) for share in PERCENTILES),
        len(known),
        left_ms / (left_ms + sum(told)),
        None if whole is None else compute_ms(prediction) / whole,
        tuple((kind, ms / guess) for kind, guess, ms in known),
        tuple(ms / guess for guess, ms in untold),
    )


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for place in range(first, last + 1):
            ranks[order[place]] = (first + last) / 2
        first = last + 1
    return ranks
