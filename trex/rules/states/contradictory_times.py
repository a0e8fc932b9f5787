"""The files contradict each other on the time of an inference, so that no time, share or saving can be trusted."""

from __future__ import annotations

from trex.plan.time_units import TIMES_CONTRADICT
from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State


def describe(facts: DiagnosisFacts) -> Description | None:
    note = next((note for note in facts.engine.plan.notes if note.code == TIMES_CONTRADICT), None)
    if note is None:
        return None
    return Description(f"these times cannot be trusted: {note.message}", note.hint)


STATE = State(5, describe)
