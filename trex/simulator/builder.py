"""Model and Target → Draft: lifted to steps, then optimized by all passes."""

from __future__ import annotations

from trex.core.collector import collector_paused
from trex.core.model import Model
from trex.simulator.build_pass import run_passes
from trex.simulator.draft import Draft
from trex.simulator.lift import lift
from trex.simulator.target import Target


def build(model: Model, target: Target) -> Draft:
    """What TensorRT is predicted to make of the model: steps in order, types and formats of tensors, decisions."""
    with collector_paused():
        return run_passes(lift(model, target))
