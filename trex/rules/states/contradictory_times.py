"""The files contradict each other or the GPU on the time of an inference: no time, share or saving can be trusted."""

from __future__ import annotations

from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State


def describe(facts: DiagnosisFacts) -> Description | None:
    note = next(iter(facts.engine.performance.contradicted), None)
    if note is None:
        return None
    return Description(f"these times cannot be trusted: {note.message}", note.hint)


STATE = State(5, describe)
