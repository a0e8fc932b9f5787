"""Computes once what is computed twice of the same inputs.

What it does: of two steps with the same operator, attributes, inputs and stored numbers the later one is taken out.
The rule: TensorRT removes duplicate layers before it fuses; quantizers of one tensor with one scale become one, which
verbose logs of its builder tell (``Eliminating … which duplicates (Q) …``). With several layers that quantize the same
input, one copy in INT8 serves all (https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/
quantized-types-explicit-quantization.html).
What it leaves out: dequantizers, each of which is fused with its reader; random operators, plugins, regions of control
flow, stored tensors whose numbers are not in the model, and what is an output of the network.
"""

from __future__ import annotations

from trex.simulator.builder import BuildPass
from trex.simulator.common_subexpressions import merge_duplicates
from trex.simulator.draft import StepKind
from trex.simulator.draft_editor import DraftEditor


def edit(editor: DraftEditor) -> None:
    for kept, gone in merge_duplicates(editor, list(editor), editor.draft.model):
        one = editor[kept]
        why = "both compute the same of the same inputs"
        if one.kind is StepKind.QUANTIZE:
            why = "both quantize one tensor with one scale, so that one copy serves all who read it"
        editor.decide(f"{gone.label} became one with {one.label}", why, (*one.origins, *gone.origins))


PASS = BuildPass("Duplicates", 20, edit)
