"""The build did not allow the precision that the GPU is fast in."""

from __future__ import annotations

from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.half_precision import is_strongly_typed
from trex.rules.state import Description, State

_RULES = ("built-for-fp32", "int8-without-half")
_LEAST_PCT = 10.0


def describe(facts: DiagnosisFacts) -> Description | None:
    first = facts.fixes[0] if facts.fixes else None
    if first is None or first.rule not in _RULES or facts.share_of_savings(first) < _LEAST_PCT:
        return None
    change = "convert the model to FP16" if is_strongly_typed(facts.engine) else "allow FP16"
    return Description(
        ": ".join(first.message.partition(";")[0].split(": ")[:2]),
        f"{change} first: it likely saves {facts.savings_text(first)}",
    )


STATE = State(70, describe)
