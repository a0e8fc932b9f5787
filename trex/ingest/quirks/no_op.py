"""NoOp layers: views that launch no kernel.

What it finds: layers of type ``NoOp``.
Why it matters: a reshape or format change that needs no copy is still a layer, but takes no time.
What it does: marks them, so that tables and graphs can fold them; ``plan.all_layers`` still lists them.
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
