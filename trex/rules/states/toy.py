"""An engine so small that launches outweigh all work in it."""

from __future__ import annotations

from trex.core.significant import significant
from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State

_LONGEST_MS = 0.05
"""About ten launches of 5 µs."""
_MOST_LAYERS = 12


def describe(facts: DiagnosisFacts) -> Description | None:
    total_ms = facts.total_ms or facts.compute_ms
    if len(facts.engine.layers) > _MOST_LAYERS or not total_ms or total_ms > _LONGEST_MS:
        return None
    layers = f"{facts.layers_text}, " if facts.engine.layers else ""
    return Description(
        f"a toy engine: {layers}{significant(total_ms, 2)} ms",
        "launches outweigh the work, so nothing here carries over to a larger model",
    )


STATE = State(40, describe, is_healthy=True)
