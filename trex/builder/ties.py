"""Ties: choices between tactics that are equally fast but for noise, in words, and of two engines."""

from __future__ import annotations

import math

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


class EngineTrials:
    """The trials of an engine's layers, out of the verbose log of its build; empty without one."""

    def __init__(self, plan: EnginePlan) -> None:
        self.trials = plan.build_metadata.trials or plan.metadata.trials
        self._native: dict[tuple[str, int], list[TacticTrial]] = {}
        self._of_region: dict[str, list[TacticTrial]] = {}
        self._of_kernel: dict[tuple[str, str], list[TacticTrial]] = {}
        for trial in self.trials:
            if trial.kernel:
                self._of_region.setdefault(trial.region, []).append(trial)
                self._of_kernel.setdefault((trial.layer, trial.kernel), []).append(trial)
            else:
                self._native.setdefault((trial.layer, trial.tactic), []).append(trial)

    def of(self, layer: Layer) -> tuple[TacticTrial, ...]:
        """One for a layer; of a region of Myelin one for each operation. In the type that the layer reads; of several
        the one with the largest margin, because the engine does not say which layout it is.
        """
        reads = layer.inputs[0].data_type if layer.inputs else DataType.UNKNOWN
        if layer.tactic_value is not None and (native := self._native.get((layer.name, layer.tactic_value))):
            return _largest(native, reads)
        if layer.name in self._of_region:
            operations: dict[str, list[TacticTrial]] = {}
            for trial in self._of_region[layer.name]:
                operations.setdefault(trial.layer, []).append(trial)
            return tuple(trial for trials in operations.values() for trial in _largest(trials, reads))
        for origin in layer.origins if layer.tactic else ():
            if timed := self._of_kernel.get((origin, layer.tactic)):
                return _largest(timed, DataType.UNKNOWN)
        return ()


def _largest(trials: list[TacticTrial], reads: DataType) -> tuple[TacticTrial, ...]:
    """At most one."""
    known = [trial for trial in trials if DataType.UNKNOWN in (reads, trial.reads) or trial.reads is reads]
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
