"""What launches nothing: the same bytes, told under another name or shape."""

from __future__ import annotations

from trex.simulator.draft import Draft, Kind, Step
from trex.simulator.layer_entry import LayerEntry, Told


def tell(step: Step, draft: Draft) -> Told:
    return Told("NoOp")


ENTRY = LayerEntry((Kind.IDENTITY,), tell)
