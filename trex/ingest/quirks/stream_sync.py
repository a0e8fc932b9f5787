"""Signal and wait layers: synchronization between streams.

What it finds: ``signal``, ``wait`` and ``signal_and_wait`` layers of engines that run on several streams.
Why it matters: they compute nothing, but show where one stream waits for another.
What it does: marks them; ``plan.all_layers`` lists them, the table only if the profile contains them.
"""

from trex.core.layer import Role
from trex.ingest.quirk import Quirk, Stage
from trex.ingest.raw_engine import RawEngine

SUBTYPES = frozenset({"signal", "wait", "signal_and_wait", "signal_wait", "wait_and_signal", "Signal", "Wait"})


def applies(raw: RawEngine) -> bool:
    return not SUBTYPES.isdisjoint(raw.subtypes)


def apply(raw: RawEngine) -> None:
    for layer in raw.of_subtype(*SUBTYPES):
        layer.role = Role.SYNC


QUIRK = Quirk(Stage.ROLE, applies, apply)
