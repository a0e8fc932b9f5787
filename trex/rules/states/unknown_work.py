"""Most of a predicted time is in layers whose work is unknown: its shares and savings are guesses."""

from __future__ import annotations

from trex.core.counted import counted
from trex.perf.expected import unknown_work
from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State
from trex.rules.states.opaque import LEAST_PCT, LEAST_WITHOUT_FIX_PCT


def describe(facts: DiagnosisFacts) -> Description | None:
    unknown = unknown_work(facts.engine.plan)
    if unknown is None or 100.0 * unknown.share < (LEAST_PCT if facts.fixes else LEAST_WITHOUT_FIX_PCT):
        return None
    layers = counted(unknown.layers, "layer")
    return Description(
        f"{100.0 * unknown.share:.0f} % of the predicted time is a lower bound, of {layers} of unknown work: shares of "
        "the time and savings are guesses",
        "store the shapes of its tensors in the ONNX model (value_info), or measure on a GPU",
    )


STATE = State(45, describe)
