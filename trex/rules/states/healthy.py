"""Nothing in the engine is worth a change."""

from __future__ import annotations

from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State


def describe(facts: DiagnosisFacts) -> Description | None:
    words = ", ".join(filter(None, (facts.gemm_words, facts.main_types)))
    return Description(f"a healthy {facts.name}" + (f": {words}" if words else "") + facts.filling)


STATE = State(1000, describe, is_healthy=True)
