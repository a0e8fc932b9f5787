"""The host launches kernels more slowly than the GPU finishes them."""

from __future__ import annotations

from trex.core.significant import significant
from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State


def describe(facts: DiagnosisFacts) -> Description | None:
    finding = facts.finding_of("enqueue-bound")
    enqueue = facts.measures.enqueue.ms
    if finding is None or not facts.compute_ms or enqueue is None or enqueue < facts.compute_ms:
        return None
    return Description(
        f"host-bound: launching takes {significant(enqueue, 3)} ms, "
        f"{significant(enqueue / facts.compute_ms, 2)}× the GPU compute",
        f"{finding.fix[0]}; layers matter only after that" if finding.fix else "",
    )


STATE = State(30, describe)
