"""Constant layers: stored data that computes nothing.

What it finds: layers of type ``Constant``.
Why it matters: their tensors are weights; counted as activations, they would double memory figures.
What it does: marks them as constants; they are listed in ``plan.constants`` and count as weights.
"""

from trex.core.layer import Role
from trex.ingest.quirk import Quirk, Stage
from trex.ingest.raw_engine import RawEngine


def applies(raw: RawEngine) -> bool:
    return "Constant" in raw.subtypes


def apply(raw: RawEngine) -> None:
    for layer in raw.of_subtype("Constant"):
        layer.role = Role.CONSTANT


QUIRK = Quirk(Stage.ROLE, applies, apply)
