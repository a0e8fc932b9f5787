"""Ties: choices between tactics that are equally fast but for noise, in words, and of two engines."""

from __future__ import annotations

import math
from typing import TypeAlias

from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.core.tactic_trial import TacticTrial
from trex.plan.engine_plan import EnginePlan

TIE = 0.02
"""Runner-up within 2 %: builds of one model were seen to differ in such choices."""
RECORD_COMMAND = "trex process --record-tactics"


def reproducible_words(ties: int, chosen: int, within: float = TIE, is_of_engine: bool = True) -> str:
    """``5 of 12 chosen tactics had a runner-up within 2 %: builds may differ; record them with …``

    is_of_engine: chosen are those that the engine uses; otherwise those of all formats that the builder tried.
    """
    basis = "chosen tactics" if is_of_engine else "choices (one for each layer and combination of formats)"
    if not ties:
        return f"None of {chosen:,} {basis} had a runner-up within {100 * within:g} %."
    return (
        f"{ties:,} of {chosen:,} {basis} had a runner-up within {100 * within:g} %: builds may differ; record them "
        f"with {RECORD_COMMAND}."
    )


def change_words(base_gap_pct: float, new_gap_pct: float) -> str:
    """``a tie of 0.4 %``, or how much slower the other build's tactic was in each build; NaN where it was not timed."""
    gaps = [gap for gap in (base_gap_pct, new_gap_pct) if not math.isnan(gap)]
    if not gaps:
        return "not timed by the other build"
    if max(map(abs, gaps)) <= 100.0 * TIE:
        return f"a tie of {max(map(abs, gaps)):.2g} %"
    sides = (
        f"not timed in {side}" if math.isnan(gap) else f"{gap:.2g} % in {side}"
        for side, gap in (("base", base_gap_pct), ("new", new_gap_pct))
    )
    return ", ".join(sides)


_Largest: TypeAlias = dict[DataType, TacticTrial]
"""{type that trials read: the one with the largest margin}"""


class EngineTrials:
    """The trials of an engine's layers, out of the verbose log of its build; empty without one."""

    def __init__(self, plan: EnginePlan) -> None:
        self.trials = plan.build_metadata.trials or plan.metadata.trials
        self._native: dict[tuple[str, int], _Largest] = {}
        self._of_region: dict[str, dict[str, _Largest]] = {}
        self._of_kernel: dict[tuple[str, str], _Largest] = {}
        for trial in self.trials:
            if trial.kernel:
                _add(self._of_region.setdefault(trial.region, {}).setdefault(trial.layer, {}), trial)
                _add(self._of_kernel.setdefault((trial.layer, trial.kernel), {}), trial)
            else:
                _add(self._native.setdefault((trial.layer, trial.tactic), {}), trial)

    def of(self, layer: Layer) -> tuple[TacticTrial, ...]:
        """One for a layer; of a region of Myelin one for each operation, and none for other layers of its name. In the
        type that the layer reads; of several the one with the largest margin, because the engine does not say which
        layout it is.
        """
        reads = layer.inputs[0].data_type if layer.inputs else DataType.UNKNOWN
        if layer.tactic_value is not None and (native := self._native.get((layer.name, layer.tactic_value))):
            return _largest(native, reads)
        if layer.name in self._of_region:
            operations = () if layer.occurrence else self._of_region[layer.name].values()
            return tuple(trial for trials in operations for trial in _largest(trials, reads))
        for origin in layer.origins if layer.tactic else ():
            if timed := self._of_kernel.get((origin, layer.tactic)):
                return _largest(timed, DataType.UNKNOWN)
        return ()


def _add(trials: _Largest, trial: TacticTrial) -> None:
    known = trials.get(trial.reads)
    if known is None or trial.margin_pct > known.margin_pct:
        trials[trial.reads] = trial


def _largest(trials: _Largest, reads: DataType) -> tuple[TacticTrial, ...]:
    """At most one."""
    known = [trial for trial in trials.values() if DataType.UNKNOWN in (reads, trial.reads) or trial.reads is reads]
    return (max(known, key=lambda trial: trial.margin_pct),) if known else ()


class EngineTies:
    """Whether a changed tactic of two engines was a tie, by the two fastest tactics that their build logs contain."""

    def __init__(self, base: EnginePlan, new: EnginePlan) -> None:
        self._sides = EngineTrials(base), EngineTrials(new)

    def words(self, base: Layer, new: Layer) -> str:
        """``a tie of 0.4 %``; "" if it was none, or if no log says."""
        before, after = (side.of(layer) for side, layer in zip(self._sides, (base, new), strict=True))
        gaps = []
        for own, other in ((before, _chosen(new, after)), (after, _chosen(base, before))):
            if len(own) == 1 and own[0].second in other:
                gaps.append(own[0].margin_pct)
        return change_words(max(gaps), max(gaps)) if gaps and max(gaps) <= 100.0 * TIE else ""


def _chosen(layer: Layer, trials: tuple[TacticTrial, ...]) -> set[int]:
    """Ids of its tactic: its own, and that of Myelin's table."""
    own = () if layer.tactic_value is None else (layer.tactic_value,)
    return {*own, *(trial.tactic for trial in trials if trial.kernel)}


def engine_reproducible_words(plan: EnginePlan) -> str:
    """Of the engine's layers whose two fastest tactics the build log contains; "" without any."""
    timed = EngineTrials(plan)
    used = [trial for layer in plan.working_layers for trial in timed.of(layer)] if timed.trials else []
    ties = sum(trial.margin_pct <= 100.0 * TIE for trial in used)
    return reproducible_words(ties, len(used)) if used else ""
