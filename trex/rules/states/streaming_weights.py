"""Most of the time is in layers that wait for weights from the host."""

from __future__ import annotations

from trex.core.counted import counted
from trex.perf.weight_streaming import MORE_WEIGHTS, budget_text
from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State

_LEAST_PCT = 20.0


def describe(facts: DiagnosisFacts) -> Description | None:
    streamed = facts.engine.streamed
    share = facts.share(streamed)
    if share < _LEAST_PCT:
        return None
    return Description(
        f"{facts.name} that streams weights from the host (budget {budget_text(facts.engine.plan)}): "
        f"{counted(len(streamed), 'layer')} with weights, {share:.0f} % of the time",
        f"{MORE_WEIGHTS}, as far as its memory allows",
    )


STATE = State(65, describe)
