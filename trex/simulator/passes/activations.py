"""Fuses activations into the preceding convolution or GEMM.

What it does: an activation that is the only reader of a convolution or a GEMM with stored weights becomes part of it:
ReLU, Clip, LeakyReLU and others of one input, and x·sigmoid(x) if there are kernels for it.
The rule: "convolution and ReLU", "convolution and clip", "convolution and GELU" (FP16 and INT8, Turing and later) and
"convolution and generic activation" in TensorRT's layer fusion catalog
(https://docs.nvidia.com/deeplearning/tensorrt/latest/performance/fusion-catalog.html). INT8 depthwise convolutions have
no x·sigmoid(x), according to NVIDIA's engineers (https://github.com/NVIDIA/TensorRT/issues/3205). That names of layers
with quantized weights omit ReLU was inferred from engines.
What it leaves out: activations after an addition, which are fused with it; those of GEMMs of three dimensions or more.
"""

from __future__ import annotations

from trex.simulator.activations import activation_after
from trex.simulator.builder import BuildPass
from trex.simulator.draft import StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import fuse, has_weights


def edit(editor: DraftEditor) -> None:
    for number in list(editor):
        if number not in editor:
            continue
        step = editor[number]
        if not has_weights(step) or "activation" in step.facts:
            continue
        shape = editor.shape_of(step.outputs[0])
        if step.kind is StepKind.MATRIX_MULTIPLY and (shape is None or len(shape) != 2):
            continue
        activation = activation_after(editor, number)
        if activation is None:
            continue
        is_named = not ("weights_type" in step.facts and activation.word == "RELU")
        fused = fuse(
            editor, number, *activation.numbers, label=activation.label if is_named else "", activation=activation.word
        )
        what = f"{step.label} applies {activation.label}"
        editor.decide(what, "its kernels apply this activation before they write", editor[fused].origins)


PASS = BuildPass("Activations into convolutions", 120, edit)
