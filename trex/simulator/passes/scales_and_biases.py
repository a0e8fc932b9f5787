"""Folds scales and shifts by constants into convolutions and GEMMs.

What it does: a batch normalization, or an Add, Sub, Mul or Div with a stored value per channel, that is the only reader
of a convolution or a GEMM with stored weights, becomes part of its weights and bias.
The rule: "convolution and scale" in TensorRT's layer fusion catalog
(https://docs.nvidia.com/deeplearning/tensorrt/latest/performance/fusion-catalog.html); with quantized weights batch
normalization keeps its place in the order of computation and is still fused (explicit quantization,
https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html). That
names of layers with quantized weights omit the normalization, and those of fully connected layers in floating point
their bias, was inferred from engines.
What it leaves out: scales with computed parameters, and those of GEMMs of three dimensions or more, which Myelin fuses.
"""

from __future__ import annotations

from trex.core.shape import volume
from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import channels_of, follower, fuse, has_weights, joined
from trex.simulator.myelin import MYELIN_ALONE

_BY_CHANNEL = frozenset({"Add", "Sub", "Mul", "Div"})


def edit(editor: DraftEditor) -> None:
    for number in editor:
        step = editor[number]
        if has_weights(step) and "activation" not in step.facts:
            shape = editor.shape_of(step.outputs[0])
            if step.kind is not StepKind.MATRIX_MULTIPLY or (shape is not None and len(shape) == 2):
                _fuse_followers(editor, number)


def _fuse_followers(editor: DraftEditor, number: int) -> None:
    """All at once: thousands may follow, and each fused step has the operators of all before it."""
    step = last = editor[number]
    is_quantized = "weights_type" in step.facts
    followers: list[int] = []
    names: list[str] = []
    has_bias = bool(step.facts.get("bias"))
    while (after := follower(editor, followers[-1] if followers else number)) is not None:
        other = editor[after]
        is_norm = other.kind is StepKind.SCALE and other.inputs == last.outputs and len(other.outputs) == 1
        if not is_norm and not _is_by_channel(editor, other, last.outputs[0], step.kind):
            break
        is_named = not is_quantized if is_norm else is_quantized or step.kind is not StepKind.MATRIX_MULTIPLY
        names.append(other.label if is_named else "")
        has_bias = has_bias or is_norm or (other.main is not None and other.main.type in ("Add", "Sub"))
        what = f"{other.label} is folded into the weights and bias of {step.label}"
        why = "it multiplies and shifts each channel by constants"
        editor.decide(what, why, (*step.origins, *other.origins))
        followers.append(after)
        last = other
    if followers:
        fuse(editor, number, *followers, label=joined(*names), bias=has_bias)


def _is_by_channel(editor: DraftEditor, other: BuildStep, result: str, kind: StepKind) -> bool:
    """Whether an elementwise step has one other operand, stored, with one value per channel or one value."""
    main = other.main
    if main is None or main.type not in _BY_CHANNEL or len(other.constants) != 1 or other.inputs != (result,):
        return False
    if main.type in ("Sub", "Div") and main.inputs[0] != result:
        return False
    if kind is StepKind.MATRIX_MULTIPLY and main.type != "Add":
        return False
    shape, stored = editor.shape_of(result), editor.draft.model.value(other.constants[0])
    if shape is None or stored is None or stored.shape is None or editor.shape_of(other.outputs[0]) != shape:
        return False
    if volume(stored.shape) == 1:
        return True
    axis = len(shape) - 1 if kind is StepKind.MATRIX_MULTIPLY else 1
    padded = (1,) * (len(shape) - len(stored.shape)) + tuple(stored.shape)
    wanted = channels_of(shape)
    return wanted is not None and all(size == (wanted if index == axis else 1) for index, size in enumerate(padded))


PASS = BuildPass("Scales and biases", 110, edit, until=MYELIN_ALONE)
