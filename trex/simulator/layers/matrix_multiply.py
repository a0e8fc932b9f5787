"""GEMMs: of activations and weights, or of two activations."""

from __future__ import annotations

from trex.core.data_type import DataType
from trex.simulator.draft import BuildStep, Draft, StepKind
from trex.simulator.layer_entry import FICTIONAL, LayerEntry, LayerRecord, architecture, stored_operands
from trex.simulator.spelling import short_type


def record(step: BuildStep, draft: Draft) -> LayerRecord:
    inner = short_type(step.precision)
    accumulator = "i32" if step.precision is DataType.INT8 else "f32"
    written = short_type(draft.type_of(step.outputs[0]))
    epilogue = "_bias" if step.facts.get("bias") else ""
    activation = str(step.facts.get("activation", "")).lower()
    epilogue += f"_{activation}" if activation not in ("", "none") else ""
    name = f"{FICTIONAL}{architecture(draft)}_xmma_gemm_{inner}{inner}_{inner}{accumulator}_{written}_tn_n{epilogue}"
    return LayerRecord("gemm", {}, name, is_generated=True, stored=stored_operands(step, draft))


ENTRY = LayerEntry((StepKind.MATRIX_MULTIPLY,), record)
