"""An engine so small that launches outweigh all work in it."""

from __future__ import annotations

from trex.core.significant import significant
from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State

_LONGEST_MS = 0.05
"""About ten launches of 5 µs."""
_MOST_LAYERS = 12


def describe(facts: DiagnosisFacts) -> Description | None:
    if len(facts.engine.layers) > _MOST_LAYERS or not facts.total_ms or facts.total_ms > _LONGEST_MS:
        return None
    return Description(
        f"a toy engine: {facts.layers_text}, {significant(facts.total_ms, 2)} ms",
        "launches outweigh the work, so nothing here carries over to a larger model",
    )


STATE = State(60, describe, is_healthy=True)
