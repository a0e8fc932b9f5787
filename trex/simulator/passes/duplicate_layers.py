"""Merges steps that compute the same from the same inputs.

What it does: of two steps with the same operator, attributes, inputs and stored values, removes the later one.
The rule: TensorRT removes duplicate layers before it fuses; quantizers of one tensor with one scale become one, which
its verbose logs report (``Eliminating … which duplicates (Q) …``). If several layers quantize the same input, one
reformat to INT8 serves all
(https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html).
What it leaves out: dequantizers, since each is fused with its reader; random operators, plugins, control flow,
stored tensors whose values are not in the model, and outputs of the network.
"""

from __future__ import annotations

from trex.simulator.builder import BuildPass
from trex.simulator.common_subexpressions import merge_duplicates
from trex.simulator.draft import StepKind
from trex.simulator.draft_editor import DraftEditor


def edit(editor: DraftEditor) -> None:
    for kept, gone in merge_duplicates(editor, list(editor), editor.draft.model):
        one = editor[kept]
        why = "both compute the same from the same inputs"
        if one.kind is StepKind.QUANTIZE:
            why = "both quantize one tensor with one scale, so one reformat serves all readers"
        editor.decide(f"{gone.label} was merged into {one.label}", why, (*one.origins, *gone.origins))


PASS = BuildPass("Duplicate layers", 20, edit)
