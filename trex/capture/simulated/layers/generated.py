"""Kernels as Myelin generates them: normalisations, attention and fused regions, named by the operations they hold."""

from __future__ import annotations

from trex.capture.simulated.draft import Draft, Kind, Step
from trex.capture.simulated.generated_names import generated_tactic
from trex.capture.simulated.layer_entry import LayerEntry, Told, stored_operands
from trex.capture.simulated.passes.whole_regions import TOLD_APART_SINCE


def tell(step: Step, draft: Draft) -> Told:
    if step.kind is Kind.REGION and draft.target.release.major < TOLD_APART_SINCE:
        return Told("Myelin")
    return Told("kgen", {}, generated_tactic(step, draft), is_generated=True, stored=stored_operands(step, draft))


ENTRY = LayerEntry((Kind.ATTENTION, Kind.NORMALIZATION, Kind.REGION), tell)
