"""Kernels that Myelin generates: normalizations, attention and fused regions, named by their operations."""

from __future__ import annotations

from trex.simulator.draft import BuildStep, Draft, StepKind
from trex.simulator.generated_names import generated_tactic
from trex.simulator.layer_entry import LayerEntry, LayerRecord, stored_operands
from trex.simulator.passes.foreign_nodes import SEPARATE_KERNELS_SINCE


def record(step: BuildStep, draft: Draft) -> LayerRecord:
    if step.kind is StepKind.REGION and draft.target.release.major < SEPARATE_KERNELS_SINCE:
        return LayerRecord("Myelin")
    return LayerRecord(
        "kgen", {}, generated_tactic(step, draft), is_generated=True, stored=stored_operands(step, draft)
    )


ENTRY = LayerEntry((StepKind.ATTENTION, StepKind.NORMALIZATION, StepKind.REGION), record)
