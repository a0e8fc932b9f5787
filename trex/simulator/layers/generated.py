"""Kernels as Myelin generates them: normalizations, attention and fused regions, named by the operations they hold."""

from __future__ import annotations

from trex.simulator.draft import Draft, Kind, Step
from trex.simulator.generated_names import generated_tactic
from trex.simulator.layer_entry import LayerEntry, Told, stored_operands
from trex.simulator.passes.whole_regions import TOLD_APART_SINCE


def tell(step: Step, draft: Draft) -> Told:
    if step.kind is Kind.REGION and draft.target.release.major < TOLD_APART_SINCE:
        return Told("Myelin")
    return Told("kgen", {}, generated_tactic(step, draft), is_generated=True, stored=stored_operands(step, draft))


ENTRY = LayerEntry((Kind.ATTENTION, Kind.NORMALIZATION, Kind.REGION), tell)
