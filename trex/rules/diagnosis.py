"""Engine and findings → Diagnosis: the state of an engine and the one thing to do, in a few sentences.

The first state that applies describes the engine; each is one file in ``trex/rules/states``.
"""

from __future__ import annotations

from trex.rules.diagnosis_facts import FIX_PCT, DiagnosisFacts
from trex.rules.lint_result import Diagnosis
from trex.rules.state import STATES


def diagnose(facts: DiagnosisFacts) -> Diagnosis | None:
    """None without layers and times."""
    if not facts.engine.layers and not facts.compute_ms:
        return None
    for plug in sorted(STATES.values(), key=lambda plug: (plug.value.order, plug.name)):
        description = plug.value.describe(facts)
        if description is not None:
            sentences = (*facts.doubts, description.sentence, description.advice or _advice(facts))
            text = " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences if sentence)
            return Diagnosis(plug.name, text, plug.value.is_healthy)
    return None


def _advice(facts: DiagnosisFacts) -> str:
    """The largest fix, else that none is left, and what helps beyond single layers."""
    if facts.fixes:
        first = facts.fixes[0]
        return f"first: {facts.words_of(first)} (likely {facts.savings_text(first)})"
    if not facts.is_timed:
        return ""
    beyond = "larger batches" if facts.fills_no_wave else ""
    return f"no fix of a layer above {FIX_PCT:g} % of the time remains" + (f": use {beyond}" if beyond else "")
