"""Rows of the DLA among layer names.

What it finds: names that the DLA's runtime reports: ``x to nvm``, ``y from nvm``, ``x copy finish``, ``y finish``, and
the part ``{ForeignNode[a...b]}`` between them.
Why it matters: by their words, ``conv1 to nvm`` would be a convolution and the part a Myelin region of the GPU; copies
and waits are no operations of the network.
What it does: sets their types: ``DLA``, ``DlaCopyIn``, ``DlaCopyOut``, ``DlaFinish`` (``trex explain dla``).
"""

from trex.core.layer import Role
from trex.ingest.quirk import Quirk, QuirkStage
from trex.ingest.raw_engine import RawEngine
from trex.ingest.spelling.dla_names import FINISH, dla_row_type, dla_row_types


def applies(raw: RawEngine) -> bool:
    return any(dla_row_type(layer.name) for layer in raw.named)


def apply(raw: RawEngine) -> None:
    for layer, kind in zip(raw.named, dla_row_types([layer.name for layer in raw.named]), strict=True):
        if kind:
            layer.type = layer.subtype = kind
            layer.role = Role.SYNC if kind == FINISH else Role.KERNEL


QUIRK = Quirk(QuirkStage.MEANING, applies, apply)
