"""What launches nothing: the same bytes, told under another name or shape."""

from __future__ import annotations

from trex.capture.simulated.draft import Draft, Kind, Step
from trex.capture.simulated.layer_entry import LayerEntry, Told


def tell(step: Step, draft: Draft) -> Told:
    return Told("NoOp")


ENTRY = LayerEntry((Kind.IDENTITY,), tell)
