"""Model and Target → Draft: lifted to steps, then optimised by all passes."""

from __future__ import annotations

from trex.capture.simulated.build_pass import run_passes
from trex.capture.simulated.draft import Draft
from trex.capture.simulated.lift import lift
from trex.capture.simulated.target import Target
from trex.core.collector import collector_paused
from trex.core.model import Model


def build(model: Model, target: Target) -> Draft:
    """What TensorRT is predicted to make of the model: steps in order, types and formats of tensors, decisions."""
    with collector_paused():
        return run_passes(lift(model, target))
