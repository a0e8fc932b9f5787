"""An engine with one or a few problems worth a change."""

from __future__ import annotations

from trex.core.counted import counted
from trex.rules.diagnosis_facts import FIX_PCT, DiagnosisFacts
from trex.rules.state import Description, State


def describe(facts: DiagnosisFacts) -> Description | None:
    if not facts.fixes:
        return None
    count = "one fix" if len(facts.fixes) == 1 else counted(len(facts.fixes), "fix", "fixes")
    where = f" ({facts.main_types})" if facts.main_types else ""
    return Description(f"{facts.name}{where} with {count} worth more than {FIX_PCT:g} % of the time{facts.filling}")


STATE = State(110, describe)
