"""An engine with one or a few problems worth a change."""

from __future__ import annotations

from trex.rules.diagnosis_facts import FIX_PCT, DiagnosisFacts
from trex.rules.state import Description, State


def describe(facts: DiagnosisFacts) -> Description | None:
    if not facts.fixes:
        return None
    count = "one fix is" if len(facts.fixes) == 1 else f"{len(facts.fixes):,} fixes are"
    words = ", ".join(filter(None, (facts.gemm_words, facts.main_types)))
    where = f": {words}" if words else ""
    return Description(f"{facts.name}{where}; {count} worth more than {FIX_PCT:g} % of the time{facts.filling}")


STATE = State(110, describe)
