"""The gate: whether a metric regressed by more than its threshold, and significantly.

``latency>+3%`` fails if the latency grew by more than 3 % and the growth is significant. What cannot be judged is
inconclusive, which is not a pass: growth above the threshold that is not significant, growth within it if the
uncertainty is above the threshold and reaches beyond it, times of machines that differ in speed or of other input
shapes, and times that other files of the engine contradict. Growth that unchanged kernels share is the machine's: only
what remains above the threshold without it fails, and what a faster machine hides does not pass.

Two simulated engines are compared by their predicted times, which are the same in every run: above the threshold is a
failure, and the result says that it is a prediction with these error bars. If only one side is simulated, the error
bars must lie on one side of the threshold, else the result is inconclusive. Layers, their sum, percentiles and rates
have no error bars.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from trex.compare.causes import Change
from trex.compare.condition import Condition
from trex.compare.layer_noise import ASSUMED_SCATTER, FEWEST_UNCHANGED, SIGMAS, is_below_step
from trex.compare.machine_growth import hidden_growth, is_other_machine, on_one_machine, shared_growth
from trex.compare.metric import Metric, metric_value, queries_of
from trex.compare.plan_diff import OTHER_UNIT, PlanDiff
from trex.compare.prediction import PredictedSpeedup, may_hide_work
from trex.compare.repeated_runs import RepeatedRuns, repeated_runs
from trex.compare.run_settings import GPU, PREDICTED_BY, SHAPES, SettingSeverity
from trex.compare.series import EngineSeries
from trex.compare.significance import SpeedOutcome
from trex.core.counted import counted
from trex.core.name_globs import matcher
from trex.core.note import Note
from trex.core.signed import signed
from trex.core.timings import LayerTime
from trex.perf.performance import CONTROL_FLOW
from trex.perf.samples.change_points import MATERIAL_PCT
from trex.perf.samples.sample_comparison import compare_samples
from trex.plan.engine_plan import EnginePlan
from trex.plan.join import UNMATCHED_RECORDS
from trex.plan.unknown_work import UNKNOWN_WORK

_ABOVE = "above the threshold"
_WITHIN = "within the threshold"
_ZERO = "can't judge a time or rate of 0"
_MACHINES = "can't judge, the machines or their clocks differ"
_Z = 1.959964


class GateStatus(Enum):
    """PASSED: within the threshold. FAILED: a significant or predicted regression. INCONCLUSIVE: the data is
    insufficient, which is not a pass.
    """

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class GateResult:
    """subject: the metric or the layer. words: the figures and the reason. engine: its name if several engines are
    compared with one base; subject and words then begin with it.
    """

    condition: Condition
    status: GateStatus
    subject: str
    words: str
    engine: str = ""


def judge(diff: PlanDiff, conditions: Sequence[Condition]) -> tuple[GateResult, ...]:
    """One result per condition. A per-layer metric has one for each failed or inconclusive match and one that says how
    many passed.
    """
    results: list[GateResult] = []
    for condition in conditions:
        if why := _unjudgeable(diff, condition):
            subject = condition.glob or condition.metric
            words = f"{subject}: can't judge, {why}"
            results.append(GateResult(condition, GateStatus.INCONCLUSIVE, subject, words))
        elif condition.glob:
            results.extend(_layer_results(diff, condition))
        else:
            status, words = (_by_samples if condition.definition.column else _by_value)(diff, condition)
            results.append(GateResult(condition, status, condition.metric, words))
    return tuple(results)


def _unjudgeable(diff: PlanDiff, condition: Condition) -> str:
    """Why no value of the metric is worth comparing; "" if it is."""
    if diff.is_other_model:
        return "the engines are of different models"
    if condition.definition.of_layers and diff.lost:
        note = diff.lost[0]
        return f"layers of {_side(note)} are missing ({note.code})"
    doubts = (note for note in diff.doubted if note.code in condition.definition.doubts)
    doubted = next((f"the {condition.metric} of {_side(note)} is contradicted ({note.code})" for note in doubts), "")
    other = diff.parity.other_quantity(condition.definition.settings)
    if condition.definition.is_exact:
        return doubted or other or (_other_shapes(diff) if condition.definition.of_layers else "")
    if diff.contradicted:
        note = diff.contradicted[0]
        if note.code == OTHER_UNIT:
            return "the times of the two engines have other units"
        return f"the times of {_side(note)} can't be trusted ({note.code})"
    for side, runs in diff.runs:
        origins = {run.plan.provenance for run in runs}
        if len(origins) > 1 and any(origin.has_predicted_times for origin in origins):
            return f"some runs of {side} are predicted and others are not"
    if doubted := doubted or _few_queries(diff, condition.definition.fewest):
        return doubted
    for item in diff.parity.of(SettingSeverity.CRITICAL):
        if item.name in (GPU, PREDICTED_BY) and diff.prediction is not None and not diff.prediction.is_mixed:
            return f"the {item.name} of a prediction differs ({item.left} vs. {item.right})"
    if other:
        return other
    for item in diff.parity.of(SettingSeverity.UNKNOWN):
        if item.name == PREDICTED_BY and item.left != item.right and diff.prediction and not diff.prediction.is_mixed:
            return f"the {item.name} of one prediction is not known ({item.left or item.right} made the other)"
    if missing := _missing_values(diff, condition):
        return missing
    if any(may_hide_work(diff.left, run.plan) for _, runs in diff.runs for run in runs):
        has_loops = diff.left.has_jumps or diff.right.has_jumps
        if has_loops:
            return f"passes of loops and conditions may differ ({CONTROL_FLOW})"
        return f"layers of unknown work may differ ({UNKNOWN_WORK})"
    return _other_shapes(diff)


def _side(note: Note) -> str:
    return note.message.partition(":")[0]


def _other_shapes(diff: PlanDiff) -> str:
    for item in diff.parity.of(SettingSeverity.CRITICAL):
        shapes = (item.left or "").split(", "), (item.right or "").split(", ")
        if item.name == SHAPES and len(shapes[0]) == len(shapes[1]):
            return f"the input shapes differ ({item.left} vs. {item.right})"
    for item in diff.parity.of(SettingSeverity.UNKNOWN):
        if item.name == SHAPES and (item.left is None) != (item.right is None):
            side, runs = diff.runs[0 if item.left is None else 1]
            if _has_open_inputs(runs[0].plan):
                return f"the input shapes of {side} are not recorded ({item.left or item.right} in the other)"
    return ""


def _has_open_inputs(plan: EnginePlan) -> bool:
    shapes = (one.tensor.shape for one in plan.engine.bindings if one.is_input and one.tensor is not None)
    return any(shape is not None and None in shape for shape in shapes)


def _missing_values(diff: PlanDiff, condition: Condition) -> str:
    """Of repetitions, how many have no value that they could have, in words; "" if none. One build, and one layer
    profile, may be of all runs.
    """
    metric = condition.definition
    for side, runs in diff.runs if any(diff.repeats) and metric.by_machine and not condition.glob else ():
        measured = [run for run in runs if not metric.of_layers or run.plan.layer_times is not None]
        values = [metric_value(condition.metric, run) for run in measured]
        if (count := values.count(None)) and count < len(values):
            return f"{count} of {counted(len(values), 'run')} of {side} {'has' if count == 1 else 'have'} no value"
    return ""


def _few_queries(diff: PlanDiff, fewest: int) -> str:
    """Which side has a run of too few measured queries, in words; "" if none has."""
    for side, runs in diff.runs if fewest and diff.prediction is None else ():
        for run in runs:
            count = queries_of(run)
            if count is not None and count < fewest:
                return f"not enough queries in {side} ({count}, at least {fewest})"
    return ""


def judge_all(series: EngineSeries, conditions: Sequence[Sequence[Condition]]) -> tuple[GateResult, ...]:
    """Every other engine of a series against its base. conditions: one list per engine."""
    if len(series.comparisons) == 1:
        return judge(series.comparisons[0], conditions[0])
    return tuple(
        replace(result, engine=name, words=f"{name}: {result.words}", subject=f"{name}: {result.subject}")
        for name, diff, own in zip(series.names[1:], series.comparisons, conditions, strict=True)
        for result in judge(diff, own)
    )


def _by_samples(diff: PlanDiff, condition: Condition) -> tuple[GateStatus, str]:
    """By the medians, and the significance that the per-query times show."""
    change = diff.significances.get(condition.definition.column)
    if change is None or change.left_ms is None or change.right_ms is None:
        reason = "no such times in base and new" if change is None else change.reason
        return GateStatus.INCONCLUSIVE, f"{condition.metric} unknown: {reason}"
    words = f"{condition.metric} {_figures(change.left_ms, change.right_ms)}"
    if not min(change.left_ms, change.right_ms) > 0.0:
        return GateStatus.INCONCLUSIVE, f"{words}: {_ZERO}"
    if change.prediction is not None:
        status, why = _predicted(condition, change.prediction, change.left_ms, change.right_ms)
        return status, f"{words}, {why}"
    if is_other_machine(diff):
        return GateStatus.INCONCLUSIVE, f"{words}: {_MACHINES}"
    words += "" if change.shown_margin_pct is None else f" ± {change.shown_margin_pct:.1f}"
    if condition.is_within(change.left_ms, change.right_ms):
        if change.outcome is SpeedOutcome.UNKNOWN and (change.left is not None or any(diff.repeats)):
            return GateStatus.INCONCLUSIVE, f"{words}: {_WITHIN}, but can't tell how certain that is: {change.reason}"
        uncertainty = 0.0 if change.is_one_run else max(change.margin_pct or 0.0, change.uncertainty_pct)
        if uncertain := _beyond(condition, change.left_ms, change.right_ms, uncertainty):
            return GateStatus.INCONCLUSIVE, f"{words}: {_WITHIN}, {uncertain}"
        if hidden := hidden_growth(diff, condition, change.left_ms, change.right_ms):
            return GateStatus.INCONCLUSIVE, f"{words}: {_WITHIN}, but {hidden}"
        return GateStatus.PASSED, f"{words}: {_WITHIN}"
    if change.outcome is SpeedOutcome.UNKNOWN:
        return GateStatus.INCONCLUSIVE, f"{words}: {_ABOVE}, but can't tell whether it is significant: {change.reason}"
    if change.outcome is not SpeedOutcome.SLOWER:
        why = f" ({change.reason})" if change.reason else ""
        return GateStatus.INCONCLUSIVE, f"{words}: {_ABOVE}, but not significant {change.scope}{why}"
    if shared := shared_growth(diff, condition, change.left_ms, change.right_ms):
        return GateStatus.INCONCLUSIVE, f"{words}: {_ABOVE}, but {shared}"
    return GateStatus.FAILED, f"{words}: {_ABOVE} and significant {change.scope}"


def _beyond(condition: Condition, left: float, right: float, uncertainty: float) -> str:
    """``but uncertain by 5.0 %``, if the uncertainty in percent is above the threshold and reaches beyond it, and is at
    least half a percent, up to which a run counts as steady; else "".
    """
    limit = condition.limit if condition.is_percent or not uncertainty else 100.0 * condition.limit / left
    share = uncertainty / 100.0
    worst = right * (1.0 - share if condition.definition.higher_is_better else 1.0 + share)
    is_beyond = uncertainty > max(limit, MATERIAL_PCT) and not condition.is_within(left, worst)
    return f"but uncertain by {uncertainty:.1f} %" if is_beyond else ""


def _uncertainty(diff: PlanDiff, metric: Metric, runs: RepeatedRuns | None) -> float:
    """Half the 95 % interval of the change of a value, in percent: over the runs, else by the scatter within them; 0.0
    if unknown, as for sums of layers, which scatter less than the layers do.
    """
    if metric.is_exact or diff.main.is_one_run:
        return 0.0
    if runs is not None:
        return 50.0 * (1.0 / runs.low - 1.0 / runs.high)
    scatter = metric.scatter(diff) if metric.scatter and not metric.of_layers else None
    return 100.0 * _Z * (scatter or 0.0)


def _by_value(diff: PlanDiff, condition: Condition) -> tuple[GateStatus, str]:
    """By one value per engine."""
    metric, name = condition.definition, condition.metric
    left, right = (metric_value(name, side) for side in (diff.left_performance, diff.right_performance))
    if left is None or right is None:
        missing = " and ".join(side for side, value in (("base", left), ("new", right)) if value is None)
        return GateStatus.INCONCLUSIVE, f"{name} unknown in {missing}"
    runs = _repeated(diff, name)
    if runs is not None:
        left, right = runs.base, runs.new
    words = f"{name} {_figures(left, right, metric.unit)}"
    is_timed = not metric.is_exact and metric.by_machine
    if is_timed and min(left, right) <= 0.0:
        return GateStatus.INCONCLUSIVE, f"{words}: {_ZERO}"
    prediction = diff.prediction if is_timed else None
    if prediction is not None:
        return _of_prediction(condition, prediction, left, right, words)
    if is_timed and is_other_machine(diff):
        return GateStatus.INCONCLUSIVE, f"{words}: {_MACHINES}"
    if condition.is_within(left, right):
        if uncertain := _beyond(condition, left, right, _uncertainty(diff, metric, runs)):
            return GateStatus.INCONCLUSIVE, f"{words}: {_WITHIN}, {uncertain}"
        if hidden := hidden_growth(diff, condition, left, right):
            return GateStatus.INCONCLUSIVE, f"{words}: {_WITHIN}, but {hidden}"
        return GateStatus.PASSED, f"{words}: {_WITHIN}"
    if metric.is_exact:
        return GateStatus.FAILED, f"{words}: {_ABOVE}"
    if shared := shared_growth(diff, condition, left, right):
        return GateStatus.INCONCLUSIVE, f"{words}: {_ABOVE}, but {shared}"
    if runs is not None:
        if runs.differs:
            return GateStatus.FAILED, f"{words}: {_ABOVE} and significant {runs.words}"
        return GateStatus.INCONCLUSIVE, f"{words}: {_ABOVE}, but not significant {runs.words}"
    scatter = metric.scatter(diff) if metric.scatter else None
    if scatter is None:
        why = "one value per run doesn't show whether it is significant: repeat the runs (BASE … --vs NEW …)"
        return GateStatus.INCONCLUSIVE, f"{words}: {_ABOVE}, but {why}"
    if abs(math.log(right / left)) > SIGMAS * scatter:
        return GateStatus.FAILED, f"{words}: {_ABOVE} and significant within these two runs"
    limit = f"it scatters by {100.0 * scatter:.1f} %"
    return GateStatus.INCONCLUSIVE, f"{words}: {_ABOVE}, but not significant within these two runs ({limit})"


def _repeated(diff: PlanDiff, name: str) -> RepeatedRuns | None:
    """The metric over all runs; None with one run per side."""
    if not any(diff.repeats) or diff.prediction is not None:
        return None
    sides = (diff.left_performance, *diff.repeats[0]), (diff.right_performance, *diff.repeats[1])
    base, new = ([metric_value(name, run) for run in side] for side in sides)
    return repeated_runs(base, new)


def _of_prediction(
    condition: Condition, prediction: PredictedSpeedup, left: float, right: float, words: str
) -> tuple[GateStatus, str]:
    """Predictions are the same in every run; they have no error bars of such values to compare a measured one with."""
    if prediction.is_mixed:
        return GateStatus.INCONCLUSIVE, f"{words}, {prediction.origin}: can't tell whether it is {_ABOVE}"
    is_within = condition.is_within(left, right)
    status = GateStatus.PASSED if is_within else GateStatus.FAILED
    return status, f"{words}, {prediction.origin}: {_WITHIN if is_within else _ABOVE}"


def _predicted(
    condition: Condition, prediction: PredictedSpeedup, left_ms: float, right_ms: float
) -> tuple[GateStatus, str]:
    """By the predicted times; by the error bars if only one side is predicted."""
    base, new = prediction.base_ms, prediction.new_ms
    least, most = -math.inf, math.inf
    if base is None or new is None:
        origin = f"{prediction.origin} ({prediction.reason})"
    else:
        least, most = condition.regression(base[1], new[0]), condition.regression(base[0], new[1])
        low, high = 100.0 * (new[0] / base[1] - 1.0), 100.0 * (new[1] / base[0] - 1.0)
        origin = f"{prediction.origin} (error bars {signed(low, 0)} to {signed(high, 0)} %)"
    if not prediction.is_mixed:
        least = most = condition.regression(left_ms, right_ms)
    if most <= condition.limit:
        return GateStatus.PASSED, f"{origin}: {_WITHIN}"
    if least > condition.limit:
        return GateStatus.FAILED, f"{origin}: {_ABOVE}"
    return GateStatus.INCONCLUSIVE, f"{origin}: can't tell whether it is {_ABOVE}"


def _layer_results(diff: PlanDiff, condition: Condition) -> Iterator[GateResult]:
    glob = condition.glob
    fits = matcher([glob.lower()])
    named = [change for change in diff.changes if _fits(diff, change, fits)]
    fitting = [change for change in named if change.match.is_matched]
    one_sided = len(named) - len(fitting)
    unlisted = _unlisted(diff)
    if not fitting:
        status = GateStatus.PASSED if condition.where and not (one_sided or unlisted) else GateStatus.INCONCLUSIVE
        words = f"every layer that fits {glob!r} is in base or new alone" if one_sided else f"no layer fits {glob!r}"
        yield GateResult(condition, status, glob, words + unlisted)
        return
    prediction = diff.prediction
    if prediction is not None and prediction.is_mixed:
        words = f"can't compare layers that fit {glob!r}: {prediction.origin}"
        yield GateResult(condition, GateStatus.INCONCLUSIVE, glob, words)
        return
    if is_other_machine(diff):
        yield GateResult(condition, GateStatus.INCONCLUSIVE, glob, f"layers that fit {glob!r}: {_MACHINES}")
        return
    scatter = diff.layer_scatter
    passed, insignificant = 0, dict[str, list[str]]()
    for change in fitting:
        name = _name(diff, change)
        status, words = _layer_result(diff, condition, change, scatter)
        if status is GateStatus.PASSED:
            passed += 1
        elif words in (_INSIGNIFICANT, _BELOW_STEP):
            insignificant.setdefault(words, []).append(name)
        else:
            yield GateResult(condition, status, name, f"{name}{words}")
    for why, names in insignificant.items():
        some = f"{names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}"
        words = f"{some}: {_ABOVE}, but {why}{_scatter(scatter) if why == _INSIGNIFICANT else ''}"
        yield GateResult(condition, GateStatus.INCONCLUSIVE, glob, words)
    if passed:
        origin = "" if prediction is None else f", {prediction.origin}"
        alone = f", {one_sided} in base or new alone" if one_sided else ""
        words = f"{passed} of {len(fitting)} layer groups that fit {glob!r} passed{alone}{origin}"
        growth = unlisted or _unshared(diff) or (_growth_alone(diff, condition, named) if one_sided else "")
        status = GateStatus.INCONCLUSIVE if growth else GateStatus.PASSED
        yield GateResult(condition, status, glob, words + growth)


def _unlisted(diff: PlanDiff) -> str:
    """Which side has layers in its profile that its graph lacks, and which may fit any glob; "" if none has."""
    for side, runs in diff.runs:
        if any(run.plan.join is not None and run.plan.join.lacks_layers for run in runs):
            return f"; the graph of {side} lacks layers that its profile times ({UNMATCHED_RECORDS})"
    return ""


def _unshared(diff: PlanDiff) -> str:
    """That GPU compute grew more than the layers do, which may be of an earlier run; "" if it didn't."""
    unshared = diff.unshared_growth
    return "" if unshared is None or unshared.of_layers else f"; but {unshared.note.message}"


def _growth_alone(diff: PlanDiff, condition: Condition, changes: Sequence[Change]) -> str:
    """What layers of one engine alone add, beyond the threshold, to the time of all that fit; "" if they don't.

    A faster machine hides a part of it.
    """
    if not all(change.is_known for change in changes):
        return "; not all of their times are known"
    left = math.fsum(change.left_ms for change in changes)
    gone = math.fsum(change.left_ms for change in changes if not change.match.is_matched)
    come = math.fsum(change.right_ms for change in changes if not change.match.is_matched)
    right = left - gone + max(come, on_one_machine(diff, condition, come))
    return "" if condition.is_within(left, right) else f"; with these {_figures(left, right)}: {_ABOVE}"


def _scatter(scatter: float | None) -> str:
    return "" if scatter is None else f" (layers with unchanged kernels scatter by {100.0 * scatter:.0f} %)"


_INSIGNIFICANT = "not significant"
_BELOW_STEP = "by less than a step of the profiler's timer (1 µs a layer)"


def _layer_result(
    diff: PlanDiff, condition: Condition, change: Change, scatter: float | None
) -> tuple[GateStatus, str]:
    """(status, words after the layer's name; _INSIGNIFICANT or _BELOW_STEP if a change above the threshold may be
    scatter).
    """
    if not change.is_known:
        return GateStatus.INCONCLUSIVE, ": time unknown"
    words = f" {_figures(change.left_ms, change.right_ms)}"
    if min(change.left_ms, change.right_ms) <= 0.0 and not is_below_step(change):
        return GateStatus.INCONCLUSIVE, f"{words}: {_ZERO}"
    if condition.is_within(change.left_ms, change.right_ms):
        hidden = hidden_growth(diff, condition, change.left_ms, change.right_ms)
        alone = replace(change, right_ms=on_one_machine(diff, condition, change.right_ms))
        if hidden and _is_significant(diff, alone, scatter)[0]:
            return GateStatus.INCONCLUSIVE, f"{words}: {_WITHIN}, but {hidden}"
        return GateStatus.PASSED, ""
    if diff.prediction is not None:
        return GateStatus.FAILED, f"{words}, {diff.prediction.origin}: {_ABOVE}"
    is_significant, why = _is_significant(diff, change, scatter)
    if is_significant is None:
        return GateStatus.INCONCLUSIVE, f"{words}: {_ABOVE}, but can't tell whether it is significant: {why}"
    if not is_significant:
        if not is_below_step(change):
            return GateStatus.INCONCLUSIVE, _INSIGNIFICANT
        grew = _grew_on_average(diff, condition, change, scatter)
        return (GateStatus.INCONCLUSIVE, _BELOW_STEP) if grew else (GateStatus.PASSED, "")
    if shared := shared_growth(diff, condition, change.left_ms, change.right_ms):
        return GateStatus.INCONCLUSIVE, f"{words}: {_ABOVE}, but {shared}"
    return GateStatus.FAILED, f"{words}: {_ABOVE} and significant{why}"


def _is_significant(diff: PlanDiff, change: Change, scatter: float | None) -> tuple[bool | None, str]:
    """(whether the growth is significant, the reason): by the layers' samples if both profiles contain them, else by
    the scatter of unchanged layers; if these are too few, only beyond any observed scatter.
    """
    left, right = _samples(diff.left.times, change.match.left), _samples(diff.right.times, change.match.right)
    if left is not None and right is not None:
        comparison = compare_samples(left, right)
        if comparison.differs is not None:
            return comparison.differs and comparison.ratio is not None and comparison.ratio < 1.0, ""
    if is_below_step(change):
        return False, ""
    growth = math.inf if change.left_ms <= 0.0 else math.log(change.right_ms / change.left_ms)
    if scatter is not None:
        return growth > SIGMAS * scatter, ""
    if growth > SIGMAS * ASSUMED_SCATTER:
        return True, f": no profile scatters by {100.0 * math.expm1(SIGMAS * ASSUMED_SCATTER):.0f} %"
    return None, f"no per-layer samples, and fewer than {FEWEST_UNCHANGED} layers kept their kernels"


def _grew_on_average(diff: PlanDiff, condition: Condition, change: Change, scatter: float | None) -> bool:
    """Whether the averages, which resolve less than a step of the profiler's timer, grew above the threshold, too, and
    by more than unchanged kernels scatter. Without medians they are what was compared.
    """
    sides = ((diff.left.times, change.match.left), (diff.right.times, change.match.right))
    records = [[times[index] for index in own] for times, own in sides]
    if any(time is None or time.median_ms is None or time.average_ms is None for side in records for time in side):
        return False
    left, right = (math.fsum(time.average_ms or 0.0 for time in side if time is not None) for side in records)
    is_more = left > 0.0 and not condition.is_within(left, right)
    return is_more and math.log(right / left) > SIGMAS * (ASSUMED_SCATTER if scatter is None else scatter)


def _samples(times: Sequence[LayerTime | None], indexes: Sequence[int]) -> np.ndarray | None:
    """Sums over the layers per iteration; None unless all have equally many samples."""
    series = [time.samples_ms for index in indexes if (time := times[index]) is not None and time.samples_ms]
    if len(series) != len(indexes) or len({len(samples) for samples in series}) != 1:
        return None
    sums: np.ndarray = np.asarray(series, dtype=np.float64).sum(axis=0)
    return sums


def _fits(diff: PlanDiff, change: Change, fits: Callable[[str], bool]) -> bool:
    layers = (layer for side in diff.layers_of(change) for layer in side)
    return any(fits(text.lower()) for layer in layers for text in (layer.name, layer.type))


def _name(diff: PlanDiff, change: Change) -> str:
    left, right = diff.layers_of(change)
    layers = right or left
    return layers[0].name if len(layers) == 1 else f"{layers[0].name} and {len(layers) - 1} more"


def _figures(left: float, right: float, unit: str = "ms") -> str:
    change = f" ({signed(100.0 * (right / left - 1.0))} %)" if left > 0.0 else ""
    return f"{left:.4g} → {right:.4g} {unit}{change}"
