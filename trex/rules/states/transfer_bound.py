"""Copies to and from the GPU take longer than the computation."""

from __future__ import annotations

from trex.core.significant import significant
from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State
from trex.rules.wording import transfers


def describe(facts: DiagnosisFacts) -> Description | None:
    if facts.finding_of("transfer-bound") is None or not facts.compute_ms:
        return None
    directions, moved = transfers(facts.measures)
    if moved < facts.compute_ms:
        return None
    return Description(
        f"transfer-bound: copies {directions} take {significant(moved, 3)} ms, "
        f"{significant(moved / facts.compute_ms, 2)}× the GPU compute",
        "keep inputs and outputs on the GPU, or overlap copies with computing; layers matter only after that",
    )


STATE = State(20, describe)
