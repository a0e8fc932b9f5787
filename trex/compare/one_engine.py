"""Whether runs are repetitions of one engine: the same model, precision, GPU, shapes and options, measured again.

Another clock or throttling is what repetitions are for, and a second build may choose other tactics. But the mean of
different engines is the time of none, and one run that counts twice makes every difference significant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from trex.compare.engine_facts import facts_of, unique_names
from trex.compare.parity import parity_of
from trex.compare.plan_diff import PlanDiff
from trex.compare.run_settings import GPU, SETTINGS, RunSettings, SettingSeverity, plain_key
from trex.compare.two_runs import DISTINCT, are_same_queries
from trex.core.errors import TrexError
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan

_VARYING = ("max clock (GHz)", "memory clock (GHz)", "measured clock (MHz)", "throttled")
_DIFFERENT = (SettingSeverity.CRITICAL, SettingSeverity.BUILD)


def check_runs(runs: Sequence[Performance]) -> None:
    """Raises TrexError for a run of another engine than the first one's, and for one that is given twice."""
    _check_twice(runs)
    check_engines(runs)


def _check_twice(runs: Sequence[Performance]) -> None:
    """Raises TrexError for a run that is given twice, or as its own baseline."""
    seen = {_times(runs[0].plan)} - {_NONE}
    for index, other in enumerate(runs[1:], 1):
        times = _times(other.plan)
        if times in seen or any(are_same_queries(run.plan, other.plan) for run in runs[:index]):
            hint = "name every run once, by its folder"
            message = "the same run is given twice: its times are those of another one"
            raise TrexError(message, hint, other.plan.engine.source)
        seen |= {times} - {_NONE}


def check_measured(plans: Sequence[EnginePlan]) -> None:
    """Raises TrexError for a run with the queries of another one, whichever engine it is said to be of."""
    for one, other in combinations(plans, 2):
        if are_same_queries(one, other):
            names = " and ".join(unique_names((one, other)))
            message = f"{names} have the same times to the last digit: one of them was not measured"
            raise TrexError(message, "measure it again", other.engine.source)


def check_engines(runs: Sequence[Performance]) -> None:
    """Raises TrexError for a run of another engine than the others: each is compared with the first one that knows
    most, and with every first one that knows a setting.
    """
    facts = [(_facts(run), run) for run in runs]
    facts.sort(key=lambda item: (GPU in item[0], len(item[0])), reverse=True)
    known: set[str] = set()
    witnesses: list[Performance] = []
    for names, run in facts:
        for witness in witnesses:
            if words := next(_differences(witness, run), ""):
                one, another = unique_names((witness.plan, run.plan))
                message = f"these are not runs of one engine: {one} and {another}: {words}"
                hint = "before --vs name runs of the base only, after it runs of the new engine only"
                raise TrexError(message, hint, run.plan.engine.source)
        if not witnesses or names - known:
            witnesses.append(run)
            known |= names


def _facts(run: Performance) -> set[str]:
    """What is known of a run that one engine's runs share."""
    settings = RunSettings(run)
    shared = (setting for setting in SETTINGS if setting.severity in _DIFFERENT and setting.name not in _VARYING)
    options = {f"build option {plain_key(key)}" for key, value in run.plan.builder_cfg.items() if value is not None}
    return options | {setting.name for setting in shared if setting.read(settings) is not None}


_NONE: tuple[object, ...] = ()


def _times(plan: EnginePlan) -> tuple[object, ...]:
    """Every time that was measured, wherever the files lie: such times never repeat, predicted ones always do."""
    if plan.provenance.has_predicted_times:
        return _NONE
    columns = {} if plan.query_times is None else plan.query_times.columns
    queries = tuple((name, values.tobytes()) for name, values in sorted(columns.items()))
    if any(len(set(values)) >= DISTINCT for values in columns.values()):
        return queries
    records = () if plan.layer_times is None else plan.layer_times.records
    return queries + tuple((record.name, record.average_ms) for record in records)


def _differences(first: Performance, other: Performance) -> Iterator[str]:
    same_layers = first.plan.engine.layers == other.plan.engine.layers
    if not same_layers and PlanDiff(first.plan, other.plan, left_performance=first).is_other_model:
        yield "different models"
    for difference in parity_of(first, other).of(*_DIFFERENT):
        if difference.name not in _VARYING:
            yield difference.words
    if not same_layers:
        precisions = [facts_of(run, "").precision for run in (first, other)]
        if None not in precisions and precisions[0] != precisions[1]:
            yield f"precision: {precisions[0]} vs. {precisions[1]}"
