"""Ties: choices between tactics that are equally fast but for noise, in words, and of two engines."""

from __future__ import annotations

import math

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


class EngineTies:
    """Whether a changed tactic of two engines was a tie, by the two fastest tactics that their build logs contain."""

    def __init__(self, base: EnginePlan, new: EnginePlan) -> None:
        self._trials = [trials_of(base), trials_of(new)]

    def words(self, base: Layer, new: Layer) -> str:
        """``a tie of 0.4 %``; "" if it was none, or if no log says."""
        if not any(self._trials) or base.tactic_value is None or new.tactic_value is None:
            return ""
        gaps = [
            trial.margin_pct
            for trials, own, other in ((self._trials[0], base, new), (self._trials[1], new, base))
            if (trial := trials.get((own.name, own.tactic_value))) is not None and trial.second == other.tactic_value
        ]
        return change_words(max(gaps), max(gaps)) if gaps and max(gaps) <= 100.0 * TIE else ""


def trials_of(plan: EnginePlan) -> dict[tuple[str, int | None], TacticTrial]:
    """{(layer, tactic): how it compared with the next} of the verbose log of the build; empty without one."""
    trials = plan.build_metadata.trials or plan.metadata.trials
    return {(trial.layer, trial.tactic): trial for trial in trials}


def engine_reproducible_words(plan: EnginePlan) -> str:
    """Of the engine's layers whose two fastest tactics the build log contains; "" without any."""
    trials = trials_of(plan)
    if not trials:
        return ""
    used = [
        trial
        for layer in plan.working_layers
        if layer.tactic_value is not None and (trial := trials.get((layer.name, layer.tactic_value))) is not None
    ]
    ties = sum(trial.margin_pct <= 100.0 * TIE for trial in used)
    return reproducible_words(ties, len(used)) if used else ""
