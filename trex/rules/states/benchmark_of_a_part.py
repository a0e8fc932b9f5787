"""A few layers, measured alone: the conversions at their inputs and outputs are the benchmark's, not a network's."""

from __future__ import annotations

from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State

_MOST_LAYERS = 3
_LEAST_SHARE_PCT = 10.0


def describe(facts: DiagnosisFacts) -> Description | None:
    others = len(facts.engine.layers) - len(facts.copies)
    share = facts.share(facts.copies)
    if not 0 < others <= _MOST_LAYERS or share < _LEAST_SHARE_PCT:
        return None
    return Description(
        f"a benchmark of a part: {facts.layers_text}, {share:.0f} % of the time in reformats at its inputs and outputs",
        "these reformats mostly vanish inside a network: give the part the formats it prefers (--inputIOFormats), or "
        "read the other layers alone",
    )


STATE = State(60, describe)
