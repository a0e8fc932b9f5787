"""Lets convolutions add what another branch computed.

What it does: an addition of two tensors of one shape, one of them written by a convolution for it alone, becomes part
of that convolution, with the activation that follows. Of two convolutions the later one in the model's order takes it:
it runs last, when the other's result is there.
The rule: "convolution and elementwise operation" in TensorRT's layer fusion catalog: a sum without broadcasting
(https://docs.nvidia.com/deeplearning/tensorrt/latest/performance/fusion-catalog.html). In quantized networks a branch
that passes a Q and a DQ reaches the addition as a dequantizer, which leaves the addition to the other branch
(explicit quantization, Q/DQ placement, https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/
quantized-types-explicit-quantization.html). Which of two convolutions adds is not published: that it is the later one
was read off engines made from ONNX.
What it leaves out: convolutions that already applied an activation, sums of three, minimum and maximum, convolutions
whose result somebody else reads.
"""

from __future__ import annotations

from trex.simulator.activations import activation_after
from trex.simulator.build_pass import BuildPass
from trex.simulator.draft import Kind, Step
from trex.simulator.fusing import fuse
from trex.simulator.workbench import Workbench


def edit(bench: Workbench) -> None:
    for number in list(bench):
        if number not in bench or not _is_sum(bench, bench[number]):
            continue
        addition = bench[number]
        able = [writer for name in addition.inputs if (writer := _adding(bench, name, number)) is not None]
        if not able:
            continue
        chosen = max(able, key=lambda each: _place(bench[each]))
        convolution = bench[chosen]
        fused = fuse(bench, chosen, number, has_residual=True)
        why = "it alone reads the convolution's result, and both its operands have one shape"
        if len(able) > 1:
            why += "; of two convolutions the later one adds"
        bench.decide(f"{convolution.label} adds by {addition.label}", why, bench[fused].origins)
        found = activation_after(bench, fused)
        if found is not None:
            before = bench[fused].label
            fused = fuse(bench, fused, *found.numbers, label=found.label, activation=found.word)
            what = f"{before} applies {found.label}"
            bench.decide(what, "the activation alone reads the sum", bench[fused].origins)


def _is_sum(bench: Workbench, step: Step) -> bool:
    main = step.main
    if main is None or main.type not in ("Add", "Sum") or main.domain or len(set(step.inputs)) != 2 or step.constants:
        return False
    shape = bench.shape_of(step.outputs[0])
    return shape is not None and all(bench.shape_of(name) == shape for name in step.inputs)


def _adding(bench: Workbench, tensor: str, addition: int) -> int | None:
    """The convolution that writes a tensor for the addition alone and can add."""
    writer = bench.writer(tensor)
    if writer is None or bench.only_reader(tensor) != addition:
        return None
    step = bench[writer]
    is_able = step.kind is Kind.CONVOLUTION and "activation" not in step.facts and "has_residual" not in step.facts
    return writer if is_able else None


def _place(step: Step) -> int:
    return -1 if step.main is None else step.main.index


PASS = BuildPass("Residual additions", 160, edit)
