"""Condition and Comparison → Judged: whether a change is too large to ship, which size alone does not decide.

Of two predictions it does: they are the same on every run and nothing can tell whether their difference is real, so a
condition fails when the predicted time grew by more than the limit, and the words say that it is a prediction and what
its error bars hold. With one side measured and the other predicted, a condition is judged only where the error bars lie
on one side of the limit; else nobody can tell. Of layers there are no bars.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fnmatch import fnmatchcase

import numpy as np

from trex.compare.causes import Cause, Change
from trex.compare.comparison import Comparison
from trex.compare.prediction import Prediction
from trex.compare.significance import Outcome
from trex.core.configuration import Limit
from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.timings import LayerTime
from trex.perf.samples.sample_comparison import compare_samples

COLUMN_OF = {"latency": "latencyMs", "compute": "computeMs", "enqueue": "enqueueMs"}
FEWEST_UNCHANGED = 10
SURE = 3.0
"""Robust standard deviations of layers whose kernels did not change, beyond which a change is no scatter."""
ASSUMED_SCATTER = 0.05
"""Of layers where too few kernels are the same to see it: more than those of the published profiles of one device
scatter (MobileNetV2 4.4 %, ResNet18 1 % and less), so that what is told as real is that.
"""
STEP_MS = 0.0011
"""TensorRT's profiler counts in steps of 1.024 µs: a smaller difference of one layer is none."""
_CONDITION = re.compile(r"\s*(latency|compute|enqueue|layer\s*:\s*(?P<glob>.+?))\s*>\s*\+?\s*([0-9.]+)\s*(%|ms)\s*")


class Judgment(Enum):
    """PASSED: not larger than allowed, or not real. FAILED: both, or larger by a prediction. CANNOT_TELL: the files do
    not allow a judgment, which is no pass.
    """

    PASSED = "passed"
    FAILED = "failed"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True)
class Condition:
    """text: as written. metric: ``latency``, ``compute``, ``enqueue`` or ``layer``. glob: of layers' names or types.
    limit: how much more time is allowed, in percent of the base or in ms. where: the file and line that ask it of all
    engines, which need not have such layers; "" for what was asked of these.
    """

    text: str
    metric: str
    glob: str
    limit: float
    is_percent: bool
    where: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """subject: the metric or the layer. words: the figures and why, in one sentence. engine: whose, where several are
    judged against one base; subject and words then begin with it.
    """

    condition: Condition
    judgment: Judgment
    subject: str
    words: str
    engine: str = ""


def read_condition(text: str) -> Condition:
    """``latency>+3%``, ``compute>+0.2ms``, ``layer:gemm*>+10%``. Raises TrexError for anything else."""
    found = _CONDITION.fullmatch(text)
    try:
        limit = float(found[3]) if found else math.nan
    except ValueError:
        limit = math.nan
    if found is None or math.isnan(limit):
        hint = 'METRIC>+N% or METRIC>+Nms: "latency>+3%", "compute>+0.1ms", "enqueue>+5%", "layer:gemm*>+10%"'
        raise TrexError(f"{text!r} is no condition to fail on", hint)
    glob = found["glob"] or ""
    return Condition(text, "layer" if glob else found[1], glob, limit, found[4] == "%")


def conditions_of(texts: Sequence[str], limits: Sequence[Limit] = ()) -> list[Condition]:
    """The conditions as asked, and the configured limits of what they do not speak of. Raises TrexError as above."""
    asked = [read_condition(text) for text in texts]
    spoken_of = {(each.metric, each.glob) for each in asked}
    for limit in limits:
        condition = replace(read_condition(f"{limit.metric}>{limit.allowed}"), where=limit.where)
        if (condition.metric, condition.glob) not in spoken_of:
            asked.append(condition)
    return asked


def judge(comparison: Comparison, conditions: Sequence[Condition]) -> tuple[Judged, ...]:
    """Every condition, ``layer:`` once for each match whose layer fits: those that fail or cannot be told, or one that
    says that all passed. A condition fails when time grew by more than the limit and the growth is real, or predicted.
    """
    found: list[Judged] = []
    for condition in conditions:
        found.extend(_layers(comparison, condition) if condition.glob else [_metric(comparison, condition)])
    return tuple(found)


def _metric(comparison: Comparison, condition: Condition) -> Judged:
    found = comparison.significances.get(COLUMN_OF[condition.metric])
    if found is None or found.left_ms is None or found.right_ms is None or not found.left_ms > 0.0:
        reason = "neither side has such times" if found is None else found.reason
        return Judged(condition, Judgment.CANNOT_TELL, condition.metric, f"{condition.metric} is unknown: {reason}")
    grown = _grown(condition, found.left_ms, found.right_ms)
    told = f"{condition.metric} {_words(found.left_ms, found.right_ms)}"
    if found.prediction is not None:
        judgment, words = _predicted(condition, found.prediction, grown)
        return Judged(condition, judgment, condition.metric, f"{told}, {words}")
    if grown <= condition.limit:
        return Judged(condition, Judgment.PASSED, condition.metric, f"{told}: within the limit")
    if found.outcome is Outcome.UNKNOWN:
        return Judged(
            condition,
            Judgment.CANNOT_TELL,
            condition.metric,
            f"{told}, but nobody knows if it is real: {found.reason}",
        )
    if found.outcome is Outcome.SLOWER:
        margin = "" if found.shown_margin_pct is None else f" ± {found.shown_margin_pct:.1f}"
        return Judged(condition, Judgment.FAILED, condition.metric, f"{told}{margin}: more than allowed, and real")
    return Judged(
        condition, Judgment.PASSED, condition.metric, f"{told}: larger than allowed, but these runs do not support it"
    )


def _predicted(condition: Condition, prediction: Prediction, grown: float) -> tuple[Judgment, str]:
    """(by the size, or by the bars where the two times did not come about alike; what that is of)."""
    base, new = prediction.base_ms, prediction.new_ms
    if base is None or new is None:
        origin, least, most = f"{prediction.origin} ({prediction.reason})", -math.inf, math.inf
    else:
        least, most = _grown(condition, base[1], new[0]), _grown(condition, base[0], new[1])
        change = f"{100.0 * (new[0] / base[1] - 1.0):+.0f} to {100.0 * (new[1] / base[0] - 1.0):+.0f} %"
        origin = f"{prediction.origin} ({change} by {prediction.bars})"
    if not prediction.is_mixed:
        least = most = grown
    if most <= condition.limit:
        return Judgment.PASSED, f"{origin}: within the limit"
    if least > condition.limit:
        return Judgment.FAILED, f"{origin}: more than allowed"
    return Judgment.CANNOT_TELL, f"{origin}: nobody knows if it is more than allowed"


def _layers(comparison: Comparison, condition: Condition) -> Iterator[Judged]:
    fitting = [change for change in comparison.changes if _fits(comparison, change, condition.glob)]
    if not fitting and condition.where:
        words = f"no layer of these engines is called {condition.glob!r}"
        yield Judged(condition, Judgment.PASSED, condition.glob, words)
        return
    if not fitting:
        yield Judged(condition, Judgment.CANNOT_TELL, condition.glob, f"no layer is called {condition.glob!r}")
        return
    prediction = comparison.prediction
    if prediction is not None and prediction.is_mixed:
        words = (
            f"{counted(len(fitting), 'layer group')} called {condition.glob!r} cannot be judged: {prediction.unlike}"
        )
        yield Judged(condition, Judgment.CANNOT_TELL, condition.glob, words)
        return
    origin = "" if prediction is None else f", {prediction.origin}"
    scatter, whole = scatter_of(comparison.changes), _as_a_whole(shift_of(comparison.changes))
    passed = unreal = 0
    for change in fitting:
        name = _name(comparison, change)
        if not change.is_known:
            yield Judged(condition, Judgment.CANNOT_TELL, name, f"{name}: its time is not known")
            continue
        if not change.match.is_matched:
            passed += 1  # what is only on one side has no counterpart to be slower than
            continue
        grown = _grown(condition, change.left_ms, change.right_ms)
        told = f"{name} {_words(change.left_ms, change.right_ms)}{origin}"
        if grown <= condition.limit:
            passed += 1
            continue
        if prediction is not None:
            yield Judged(condition, Judgment.FAILED, name, f"{told}: more than allowed")
            continue
        is_real, why = _is_real(comparison, change, scatter)
        if is_real is None:
            yield Judged(condition, Judgment.CANNOT_TELL, name, f"{told}, but nobody knows if it is real: {why}")
        elif is_real:
            yield Judged(condition, Judgment.FAILED, name, f"{told}: more than allowed, and real{why}{whole}")
        else:
            passed += 1
            unreal += 1
    if passed:
        which = "all" if passed == len(fitting) else f"{passed} of"
        behind = "" if prediction is None else f" ({prediction.origin})"
        yield Judged(
            condition,
            Judgment.PASSED,
            condition.glob,
            f"{which} {len(fitting)} layer groups called {condition.glob!r} passed{behind}{_unreal(unreal, scatter)}",
        )


def _unreal(count: int, scatter: float | None) -> str:
    """What passed although it grew by more than is allowed, and why, in words."""
    if not count:
        return ""
    about = "" if scatter is None else f" (layers of the same kernels scatter by {100.0 * scatter:.0f} %)"
    return f"; {count} of them grew by more, which is not shown to be real{about}"


def scatter_of(changes: Sequence[Change]) -> float | None:
    """How much layers whose kernels are the same scatter between both profiles: 1.4826 · median |x − median x|, x: the
    logarithm of each ratio, as a share of their time, at least a hundredth. None with fewer than ten of them.

    What all of them share is no scatter: on a GPU that is slower as a whole, layers are slower, see ``shift_of``.
    """
    logs = _of_same_kernels(changes)
    if len(logs) < FEWEST_UNCHANGED:
        return None
    return max(1.4826 * float(np.median(np.abs(logs - np.median(logs)))), 0.01)


def shift_of(changes: Sequence[Change]) -> float | None:
    """By which part the layers whose kernels are the same take longer as a whole, 0.1 for 10 %: the median. None with
    fewer than ten of them.
    """
    logs = _of_same_kernels(changes)
    return None if len(logs) < FEWEST_UNCHANGED else math.expm1(float(np.median(logs)))


def _of_same_kernels(changes: Sequence[Change]) -> np.ndarray:
    return np.array(
        [
            -math.log(each.speedup)
            for each in changes
            if each.cause is Cause.SAME_KERNEL and each.speedup is not None and each.left_ms > STEP_MS
        ]
    )


def _as_a_whole(shift: float | None) -> str:
    """What the layers share whose kernels are the same, in words, when it is a hundredth or more."""
    if shift is None or abs(shift) < 0.01:
        return ""
    return f" (layers of the same kernels take {100.0 * shift:+.0f} % as a whole: another clock, or a busy GPU?)"


def _is_real(comparison: Comparison, change: Change, scatter: float | None) -> tuple[bool | None, str]:
    """(whether it is real, why or why nobody knows): by the samples of the layers where both profiles carry them, else
    by the scatter of unchanged layers; where these are too few, only what is beyond any scatter.
    """
    samples = [
        _samples(plan.times, places)
        for plan, places in ((comparison.left, change.match.left), (comparison.right, change.match.right))
    ]
    if samples[0] is not None and samples[1] is not None:
        found = compare_samples(samples[0], samples[1])
        if found.differs is not None:
            return found.differs and found.ratio is not None and found.ratio < 1.0, ""
    count = max(len(change.match.left), len(change.match.right))
    if change.right_ms - change.left_ms <= STEP_MS * count:
        return False, ""
    grown = math.inf if change.left_ms <= 0.0 else math.log(change.right_ms / change.left_ms)
    if scatter is not None:
        return grown > SURE * scatter, ""
    if grown > SURE * ASSUMED_SCATTER:
        return True, f": no profile scatters by {100.0 * math.expm1(SURE * ASSUMED_SCATTER):.0f} %"
    return None, f"the profile has no samples, and fewer than {FEWEST_UNCHANGED} layers kept their kernels"


def _samples(times: Sequence[LayerTime | None], places: Sequence[int]) -> np.ndarray | None:
    """Sums over the layers per iteration; None unless all carry equally many samples."""
    series = [time.samples_ms for place in places if (time := times[place]) is not None and time.samples_ms]
    if len(series) != len(places) or len({len(each) for each in series}) != 1:
        return None
    return np.asarray(series, dtype=np.float64).sum(axis=0)


def _fits(comparison: Comparison, change: Change, glob: str) -> bool:
    pattern = glob.lower()
    return any(
        fnmatchcase(layer.name.lower(), pattern) or fnmatchcase(layer.type.lower(), pattern)
        for side in comparison.layers_of(change)
        for layer in side
    )


def _name(comparison: Comparison, change: Change) -> str:
    left, right = comparison.layers_of(change)
    first = (right or left)[0].name
    rest = len(right or left) - 1
    return first if not rest else f"{first} and {rest} more"


def _grown(condition: Condition, left_ms: float, right_ms: float) -> float:
    grown = right_ms - left_ms
    if not condition.is_percent:
        return grown
    if left_ms <= 0.0:
        return math.inf if grown > 0.0 else 0.0
    return 100.0 * grown / left_ms


def _words(left_ms: float, right_ms: float) -> str:
    change = f" ({100.0 * (right_ms / left_ms - 1.0):+.1f} %)" if left_ms > 0.0 else ""
    return f"{left_ms:.4g} → {right_ms:.4g} ms{change}"
