"""Layers that dominate run in another precision than the build or the model asks for."""

from __future__ import annotations

from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State

_RULES = ("single-in-half-build", "missing-int8-scales", "idle-tensor-cores")


def describe(facts: DiagnosisFacts) -> Description | None:
    first = facts.fixes[0] if facts.fixes else None
    if first is None or first.rule not in _RULES:
        return None
    return Description(
        f"not in the precision that was asked for: {facts.words_of(first)}",
        f"likely savings {facts.savings_text(first)}: {first.fix[0]}",
    )


STATE = State(75, describe)
