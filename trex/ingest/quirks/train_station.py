"""TrainStation layers: entry points of Myelin regions, where memory is managed.

What it finds: layers of type ``TrainStation``, often without inputs or outputs.
Why it matters: they are no operations of the network; their time is host synchronization (data-dependent shapes or
memory allocation).
What it does: marks them; they are in the table only if the profile contains them.
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
