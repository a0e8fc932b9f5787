"""Kernels as Myelin generates them: normalisations, attention and fused regions, named by the operations they hold."""

from __future__ import annotations

from trex.capture.simulated.draft import Draft, Kind, Step
from trex.capture.simulated.generated_names import generated_tactic
from trex.capture.simulated.layer_entry import LayerEntry, Told


def tell(step: Step, draft: Draft) -> Told:
    return Told("kgen", {}, generated_tactic(step, draft), is_generated=True, stored=_stored(step, draft))


def _stored(step: Step, draft: Draft) -> tuple[str, ...]:
    return tuple(
        name
        for name in step.constants
        if (value := draft.model.value(name)) is not None and value.shape is not None and (value.count or 0) > 1
    )


ENTRY = LayerEntry((Kind.ATTENTION, Kind.NORMALIZATION, Kind.REGION), tell)
