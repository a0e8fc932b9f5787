"""Fuses residual additions into convolutions.

What it does: an addition of two tensors of one shape becomes part of a convolution that writes one of them for it
alone, with the following activation. Of two convolutions the later one in the model's order takes it: it runs last,
when the other's result is available.
The rule: "convolution and elementwise operation" in TensorRT's layer fusion catalog: a sum without broadcasting
(https://docs.nvidia.com/deeplearning/tensorrt/latest/performance/fusion-catalog.html). In quantized networks a branch
with Q and DQ reaches the addition as a dequantizer, which leaves the addition to the other branch (explicit
quantization, Q/DQ placement,
https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html).
Which of two convolutions adds is not published: that it is the later one was inferred from engines built from ONNX.
After x·sigmoid(x) a half-precision convolution adds, too: profiles of YOLO engines of releases 8.6 and 10 list
``conv/Conv + PWN(PWN(PWN(act/Sigmoid), act/Mul), Add)``.
What it leaves out: convolutions with another activation before the addition, sums of three, minimum and maximum,
convolutions whose result has other readers.
"""

from __future__ import annotations

from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import fuse
from trex.simulator.myelin import MYELIN_ALONE
from trex.simulator.passes.activations import activation_after

_GATED = frozenset({"SWISH", "HARD_SWISH"})


def edit(editor: DraftEditor) -> None:
    for number in editor:
        if not _is_sum(editor, editor[number]):
            continue
        addition = editor[number]
        able = [writer for name in addition.inputs if (writer := _adding(editor, name, number)) is not None]
        if not able:
            continue
        chosen = max(able, key=lambda candidate: _order(editor[candidate]))
        convolution = editor[chosen]
        if "activation" in convolution.facts:
            before, _, gate = convolution.label.rpartition(" + ")
            fused = fuse(editor, chosen, number, label="", has_residual=True)
            label = f"{before} + PWN({gate}, {addition.label})"
            editor.replace(fused, editor[fused].with_facts(label=label))
            what = f"{addition.label} is fused into {convolution.label}"
            editor.decide(what, "its kernel computes any pointwise operations on its result", editor[fused].origins)
            continue
        fused = fuse(editor, chosen, number, has_residual=True)
        why = "it is the only reader of the convolution, and both its operands have one shape"
        if len(able) > 1:
            why += "; of two convolutions the later one adds"
        editor.decide(f"{addition.label} is fused into {convolution.label}", why, editor[fused].origins)
        activation = activation_after(editor, fused)
        if activation is not None:
            before = editor[fused].label
            fused = fuse(editor, fused, *activation.numbers, label=activation.label, activation=activation.word)
            what = f"{before} applies {activation.label}"
            editor.decide(what, "the activation is the only reader of the sum", editor[fused].origins)


def _is_sum(editor: DraftEditor, step: BuildStep) -> bool:
    main = step.main
    if main is None or main.type not in ("Add", "Sum") or main.domain or len(set(step.inputs)) != 2 or step.constants:
        return False
    shape = editor.shape_of(step.outputs[0])
    return shape is not None and all(editor.shape_of(name) == shape for name in step.inputs)


def _adding(editor: DraftEditor, tensor: str, addition: int) -> int | None:
    """The convolution that writes a tensor for the addition alone and can add."""
    writer = editor.writer(tensor)
    if writer is None or editor.only_reader(tensor) != addition:
        return None
    step = editor[writer]
    is_free = "activation" not in step.facts or (
        step.facts["activation"] in _GATED and "weights_type" not in step.facts
    )
    return writer if step.kind is StepKind.CONVOLUTION and is_free and "has_residual" not in step.facts else None


def _order(step: BuildStep) -> int:
    return -1 if step.main is None else step.main.index


PASS = BuildPass("Residual additions", 160, edit, until=MYELIN_ALONE)
