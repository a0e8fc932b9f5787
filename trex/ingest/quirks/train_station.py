"""TrainStation layers: points where a Myelin region is entered and its memory managed.

What it finds: layers of type ``TrainStation``, often without inputs or outputs.
Why it matters: they are no operation of the network; time in them is host synchronization (shapes that depend on data,
or memory that must be allocated).
What it does: marks them; they enter the table only when the profile timed them.
"""

from trex.core.layer import Role
from trex.ingest.quirk import Quirk, Stage
from trex.ingest.raw_engine import RawEngine


def applies(raw: RawEngine) -> bool:
    return "TrainStation" in raw.subtypes


def apply(raw: RawEngine) -> None:
    for layer in raw.of_subtype("TrainStation"):
        layer.role = Role.TRAIN_STATION


QUIRK = Quirk(Stage.ROLE, applies, apply)
