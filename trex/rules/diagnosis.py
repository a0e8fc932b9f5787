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
            first = "" if description.advice or not facts.fixes else _sentence(_first(facts))
            advice = description.advice or ("" if facts.fixes else _without_fixes(facts))
            sentences = map(_sentence, (*facts.doubts, description.sentence, advice))
            text = " ".join(filter(None, (*sentences, first)))
            return Diagnosis(plug.name, text, plug.value.is_healthy and not facts.doubts, first)
    return None


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}." if words else ""


def _first(facts: DiagnosisFacts) -> str:
    """What the largest fix is: what to do, and what it likely saves."""
    first = facts.fixes[0]
    return f"first: {facts.fix_of(first) or facts.words_of(first)} (likely saves {facts.savings_text(first)})"


def _without_fixes(facts: DiagnosisFacts) -> str:
    """That no fix is left, and what helps beyond single layers."""
    if not facts.is_timed:
        return ""
    beyond = "larger batches" if facts.fills_no_wave else ""
    return f"no fix of a layer above {FIX_PCT:g} % of the time remains" + (f": use {beyond}" if beyond else "")
