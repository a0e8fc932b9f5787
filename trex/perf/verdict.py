"""Measures and Samples → Verdict: which conclusions these numbers support."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from trex.core.counted import counted
from trex.core.significant import significant
from trex.perf.measures import PROFILE, Measures
from trex.perf.samples.plan_samples import Samples
from trex.perf.samples.series import EVENT_STEP_MS
from trex.plan.engine_plan import EnginePlan
from trex.plan.time_units import USUAL_OVERHEAD_MS

LEVELS = ("nothing", "layers only", "summary only", "rough", "fair", "fine")
"""From worst to best: no times; layer times only; medians without samples, of unknown uncertainty; comparisons above
5 %; above 2 %; above 1 or 2 %."""
STEPS_PCT = (1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 50.0)
BETWEEN_RUNS_PCT = 1.0
"""The smallest difference that counts as significant: no single run shows how much two runs of one engine differ."""
_STEPS_OF_TIMER = 10
_FEW = 10


@dataclass(frozen=True, slots=True)
class Verdict:
    """level: one of LEVELS. sentence: the verdict in words. smallest_pct: the smallest difference of medians between
    two runs like this one that is significant, rounded up to one of STEPS_PCT; None if unknown or above the last.

    smallest_layer_ms: shares of shorter layers are mostly measurement overhead; None without layer times. reasons:
    for the level, the most important first.
    """

    level: str
    sentence: str
    smallest_pct: float | None = None
    smallest_layer_ms: float | None = None
    reasons: tuple[str, ...] = ()


def verdict_of(plan: EnginePlan, measures: Measures, samples: Samples, overhead_ms: float | None) -> Verdict:
    """The smallest significant difference is the largest of: the detectable difference of medians (``Detectable``), the
    changes within the run (``Steadiness``), a step of the timer, the change of the clock if the GPU was slowed, and 1 %
    for what no single run shows. A layer's share is meaningful if the layer takes twice the overhead of timing a layer
    in this run (8 µs at most: more has other causes), and ten steps of the event timer.
    """
    limit, small, share = _layers(plan, overhead_ms)
    layer_words = tuple(_layer_words(measures, limit, small, share))
    has_layers = measures.layers.ms is not None
    main = samples.main
    if main is None or main.detectable.median_pct is None:
        if main is None and measures.compute.ms is None and measures.latency.ms is None:
            if has_layers:
                sentence = "These times rank the layers; the time of an inference was not measured."
                return Verdict("layers only", sentence, None, limit, layer_words)
            return Verdict("nothing", "No times in these files.", reasons=(samples.reason,))
        why = samples.reason if main is None else main.detectable.reason
        sentence = "The uncertainty of the inference time is unknown: no comparison is supported."
        return Verdict("summary only", sentence, None, limit, (why, *layer_words))
    limits = sorted(_limits(samples), key=lambda limit_words: -limit_words[0])
    largest = limits[0][0]
    smallest = next((step for step in STEPS_PCT if largest <= step * (1.0 + 1e-9)), None)
    level = "rough" if smallest is None or smallest > 5.0 else "fair" if smallest > 2.0 else "fine"
    sentence = (
        f"Comparisons of medians above {smallest:g} % are supported by these samples"
        if smallest is not None
        else "No comparison is supported by these samples"
    )
    if limit is not None:
        sentence += f"; shares of layers below {significant(limit * 1000, 2)} µs are not meaningful"
    reasons = [words for value, words in limits if value >= 0.5 * largest]
    return Verdict(level, f"{sentence}.", smallest, limit, (*reasons, *layer_words))


def _limits(samples: Samples) -> Iterator[tuple[float, str]]:
    main = samples.main
    if main is None or main.detectable.median_pct is None:
        return
    yield BETWEEN_RUNS_PCT, "two runs of one engine are assumed to differ by at least 1 %, which no single run shows"
    effective = main.autocorrelation.effective_for_median
    worth = (
        f", as correlated as {effective:,.0f} independent ones," if effective and effective < 0.5 * main.count else ""
    )
    shown = main.detectable.median_pct
    yield (
        shown,
        f"{counted(main.count, 'sample')}{worth} detect a difference of {significant(shown, 2)} % with a power of 80 %",
    )
    if main.step_ms:
        step = 100.0 * main.step_ms / main.median_ms
        yield (
            step,
            f"the timer's step of {significant(main.step_ms * 1000, 2)} µs is {significant(step, 2)} % of the median",
        )
    steady = samples.steadiness
    if steady.uncertainty_pct:
        yield steady.uncertainty_pct, f"the run was not steady: {'; '.join(steady.findings)}"
    throttling = samples.throttling
    if throttling is not None and throttling.was_slowed:
        change = throttling.clock_range_pct
        words = "" if change is None else f", its clock varied by {change:.0f} %"
        yield (change if change is not None else 5.0), f"the GPU was slowed ({', '.join(throttling.reasons)}){words}"


def _layers(plan: EnginePlan, overhead_ms: float | None) -> tuple[float | None, int, float | None]:
    """(shortest time with a meaningful share, timed layers below it, their share of the sum in percent)."""
    known = [ms for ms in plan.layer_ms if ms is not None]
    if not known:
        return None, 0, None
    limit = max(2.0 * min(overhead_ms or 0.0, USUAL_OVERHEAD_MS), _STEPS_OF_TIMER * EVENT_STEP_MS)
    below = [ms for ms in known if ms < limit]
    total = math.fsum(known)
    return limit, len(below), 100.0 * math.fsum(below) / total if total > 0.0 else None


def _layer_words(measures: Measures, limit: float | None, small: int, share: float | None) -> Iterator[str]:
    if measures.iterations is not None and measures.iterations < _FEW and measures.layers.source == PROFILE:
        times = counted(measures.iterations, "iteration")
        yield f"layers were timed in {times}: their times support a ranking, no comparison"
    if small and limit is not None:
        part = "" if share is None else f", {significant(share, 2)} % of the layers' sum"
        yield f"{counted(small, 'layer is', 'layers are')} shorter than {significant(limit * 1000, 2)} µs{part}"
