"""NoOp layers: views that launch nothing.

What it finds: layers of type ``NoOp``.
Why it matters: TensorRT keeps a reshape or a format change that needs no copy as a layer; it takes no time.
What it does: marks them, so that tables and graphs can fold them away; ``plan.all_layers`` still shows them.
"""

from trex.core.layer import Role
from trex.ingest.quirk import Quirk, Stage
from trex.ingest.raw_engine import RawEngine


def applies(raw: RawEngine) -> bool:
    return "NoOp" in raw.subtypes


def apply(raw: RawEngine) -> None:
    for layer in raw.of_subtype("NoOp"):
        layer.role = Role.NOOP
        layer.type = "NoOp"


QUIRK = Quirk(Stage.ROLE, applies, apply)
