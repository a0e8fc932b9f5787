"""shape_call layers: host code that computes the shapes of a Myelin region.

What it finds: layers of type ``shape_call`` (``__mye26_0_myl8_0``), without inputs, outputs or a tactic.
Why it matters: they launch no kernel, but the profiler reports a small time that is part of the engine's total.
What it does: marks them; they are in the table only if the profile contains them.
"""

from trex.core.layer import Role
from trex.ingest.quirk import Quirk, Stage
from trex.ingest.raw_engine import RawEngine


def applies(raw: RawEngine) -> bool:
    return "shape_call" in raw.subtypes


def apply(raw: RawEngine) -> None:
    for layer in raw.of_subtype("shape_call"):
        layer.role = Role.SHAPE


QUIRK = Quirk(Stage.ROLE, applies, apply)
