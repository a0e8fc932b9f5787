"""Lets convolutions and matrix products apply the activation that follows them.

What it does: an activation that alone reads a convolution or a product with stored weights becomes part of it: ReLU,
Clip, LeakyReLU and others of one input, and x·sigmoid(x) where there are kernels for it.
The rule: "convolution and ReLU", "convolution and clip", "convolution and GELU" (FP16 and INT8, Turing and later) and
"convolution and generic activation" in TensorRT's layer fusion catalog (https://docs.nvidia.com/deeplearning/tensorrt/
latest/performance/fusion-catalog.html). Depthwise convolutions in INT8 link no x·sigmoid(x), as NVIDIA's engineers say
(https://github.com/NVIDIA/TensorRT/issues/3205). That names of layers with quantized weights keep silent about ReLU was
read off engines.
What it leaves out: activations behind an addition, which go with it; those of products of three dimensions or more.
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
        found = activation_after(editor, number)
        if found is None:
            continue
        told = not ("weights_type" in step.facts and found.word == "RELU")
        fused = fuse(editor, number, *found.numbers, label=found.label, told=told, activation=found.word)
        what = f"{step.label} applies {found.label}"
        editor.decide(what, "its kernels apply this activation before they write", editor[fused].origins)


PASS = BuildPass("Activations into convolutions", 120, edit)
