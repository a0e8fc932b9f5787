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
from trex.simulator.build_pass import BuildPass
from trex.simulator.draft import Kind
from trex.simulator.fusing import fuse, has_weights
from trex.simulator.workbench import Workbench


def edit(bench: Workbench) -> None:
    for number in list(bench):
        if number not in bench:
            continue
        step = bench[number]
        if not has_weights(step) or "activation" in step.facts:
            continue
        shape = bench.shape_of(step.outputs[0])
        if step.kind is Kind.MATRIX_MULTIPLY and (shape is None or len(shape) != 2):
            continue
        found = activation_after(bench, number)
        if found is None:
            continue
        told = not ("weights_type" in step.facts and found.word == "RELU")
        fused = fuse(bench, number, *found.numbers, label=found.label, told=told, activation=found.word)
        what = f"{step.label} applies {found.label}"
        bench.decide(what, "its kernels apply this activation before they write", bench[fused].origins)


PASS = BuildPass("Activations into convolutions", 120, edit)
