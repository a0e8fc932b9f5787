"""Without layer times, only what the engine consists of can be judged."""

from __future__ import annotations

from trex.core.significant import significant
from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State


def describe(facts: DiagnosisFacts) -> Description | None:
    if facts.is_timed:
        return None
    words = f": {facts.gemm_words}" if facts.gemm_words else ""
    if facts.compute_ms:
        layers = facts.layers_text if facts.engine.layers else "its layers"
        return Description(
            f"GPU compute takes {significant(facts.compute_ms, 3)} ms; {layers} are not measured{words}",
            "profile them: trex doctor PATH prints the command",
        )
    if not facts.precision and facts.engine.plan.engine.verbosity == "names":
        return Description(
            f"not measured, and only the names of {facts.layers_text} are known",
            "build with --profilingVerbosity=detailed and profile it: trex doctor PATH prints the commands",
        )
    if facts.engine.is_for_rtx:
        return Description(f"not measured{words}", "predict its times: trex process … --device NAME")
    return Description(f"not measured{words}", "profile it: trex doctor PATH prints the command")


STATE = State(50, describe)
