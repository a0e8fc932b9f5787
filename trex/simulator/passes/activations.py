"""Fuses activations into the preceding convolution or GEMM.

What it does: an activation that is the only reader of a convolution or a GEMM with stored weights becomes part of it:
ReLU, Clip, LeakyReLU and others of one input, and x·sigmoid(x) if there are kernels for it.
The rule: "convolution and ReLU", "convolution and clip", "convolution and GELU" (FP16 and INT8, Turing and later) and
"convolution and generic activation" in TensorRT's layer fusion catalog
(https://docs.nvidia.com/deeplearning/tensorrt/latest/performance/fusion-catalog.html). Engines of 8.6 and 10 apply
x·sigmoid(x) in FP16 convolutions of more than four channels; in FP32, and of the image, it stays a kernel. INT8
depthwise convolutions have no x·sigmoid(x), according to NVIDIA's engineers
(https://github.com/NVIDIA/TensorRT/issues/3205). That names of layers with quantized weights omit ReLU was inferred
from engines.
What it leaves out: activations after an addition, which are fused with it; those of GEMMs of three dimensions or more.
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.core.data_type import DataType
from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import channels_of, follower, fuse, has_weights, is_depthwise
from trex.simulator.myelin import MYELIN_ALONE


def edit(editor: DraftEditor) -> None:
    for number in editor:
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


PASS = BuildPass("Activations into convolutions", 120, edit, until=MYELIN_ALONE)


_WORDS = {
    "Relu": "RELU", "LeakyRelu": "LEAKY_RELU", "Sigmoid": "SIGMOID", "Tanh": "TANH", "Elu": "ELU", "Selu": "SELU",
    "Softsign": "SOFTSIGN", "Softplus": "SOFTPLUS", "HardSigmoid": "HARD_SIGMOID", "HardSwish": "HARD_SWISH",
    "ThresholdedRelu": "THRESHOLDED_RELU", "Gelu": "GELU", "Mish": "MISH", "Swish": "SWISH",
}  # fmt: skip
_GATES = {"Sigmoid": "SWISH", "HardSigmoid": "HARD_SWISH"}
_MATRIX_UNITS = (7, 5)
_GENERIC_SINCE = (8, 6)
_HALVES = (DataType.FP16, DataType.BF16)
_FEW_CHANNELS = 4


@dataclass(frozen=True, slots=True)
class FusedActivation:
    """numbers: of its steps, in order. word: TensorRT's. label: its part of the layer's name."""

    numbers: tuple[int, ...]
    word: str
    label: str


def activation_after(editor: DraftEditor, number: int) -> FusedActivation | None:
    """The activation that alone reads a step's output and that its kernels can apply; None for none.

    An activation with a multiplication (x·sigmoid(x)) reads the output twice.
    """
    step = editor[number]
    gated = _gated(editor, number)
    if gated is not None:
        return gated if _applies_any(editor, step) else None
    after = follower(editor, number)
    if after is None or editor[after].kind is not StepKind.ACTIVATION or editor[after].inputs != step.outputs:
        return None
    main = editor[after].main
    if main is None:
        return None
    if main.type == "Relu":
        return FusedActivation((after,), "RELU", main.name)
    if main.type == "Clip":
        is_from_zero = _lowest(editor, editor[after]) == 0
        return FusedActivation((after,), "CLIPPED_RELU" if is_from_zero else "CLIP", f"PWN({main.name})")
    if main.type not in _WORDS or (main.type == "Gelu" and not _applies_gelu(editor, step)):
        return None
    return FusedActivation((after,), _WORDS[main.type], f"PWN({main.name})")


def _gated(editor: DraftEditor, number: int) -> FusedActivation | None:
    step = editor[number]
    if len(step.outputs) != 1 or editor.is_result(step.outputs[0]):
        return None
    name = step.outputs[0]
    readers = editor.readers(name)
    if len(readers) != 2:
        return None
    for gate, product in (readers, readers[::-1]):
        first, last = editor[gate], editor[product]
        if (
            first.main is not None
            and last.main is not None
            and first.main.type in _GATES
            and last.main.type == "Mul"
            and follower(editor, gate) == product
            and set(last.inputs) == {name, first.outputs[0]}
        ):
            label = f"PWN(PWN({first.main.name}), {last.main.name})"
            return FusedActivation((gate, product), _GATES[first.main.type], label)
    return None


def _applies_any(editor: DraftEditor, step: BuildStep) -> bool:
    """INT8 kernels can apply any activation except in depthwise convolutions; those in half precision since release
    8.6, but not in the first convolution.
    """
    if "weights_type" in step.facts:
        return not is_depthwise(editor, step)
    target = editor.draft.target
    channels = channels_of(editor.shape_of(step.inputs[0]))
    is_half = editor.type_of(step.outputs[0]) in _HALVES or any(map(target.allows, _HALVES))
    return target.release.pair >= _GENERIC_SINCE and is_half and (channels is None or channels > _FEW_CHANNELS)


def _applies_gelu(editor: DraftEditor, step: BuildStep) -> bool:
    """GELU is fused in FP16 and INT8 only, on Turing and later."""
    target = editor.draft.target
    is_narrow = "weights_type" in step.facts or target.allows(DataType.FP16)
    return is_narrow and target.capability >= _MATRIX_UNITS


def _lowest(editor: DraftEditor, step: BuildStep) -> float | None:
    main = step.main
    if main is None:
        return None
    written = main.attributes.get("min")
    if isinstance(written, int | float):
        return float(written)
    value = editor.draft.model.value(main.inputs[1]) if len(main.inputs) > 1 and main.inputs[1] else None
    return None if value is None or not value.numbers else float(value.numbers[0])
