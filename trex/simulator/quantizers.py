"""Quantizers: scales of QuantizeLinear and DequantizeLinear, and the steps that commute with quantization."""

from __future__ import annotations

from collections.abc import Hashable

from trex.core.data_type import DataType
from trex.core.model import Model
from trex.core.operator import Operator
from trex.core.shape import volume
from trex.simulator.common_subexpressions import stored_key
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.window import zero_padding

QUANTIZED = frozenset({DataType.INT8, DataType.FP8})
"""Types that both operands of a GEMM can have."""
COMMUTES = "{} has the same result on quantized values, with a quarter of the bytes"
"""Reason of a decision."""
_COMMUTING = frozenset(
    {
        "MaxPool", "GlobalMaxPool", "Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Expand", "Tile",
        "DepthToSpace", "SpaceToDepth", "Slice", "Concat", "Identity",
    }
)  # fmt: skip


def unsupported_reason(model: Model, step: BuildStep) -> str:
    """Why TensorRT would not build a quantizer; "" if it would, or if unknown.

    Source: developer guide, quantized types: quantization is symmetric, zero points are 0, UINT8 is not supported.
    """
    main = step.main
    point = model.value(main.inputs[2]) if main is not None and len(main.inputs) > 2 else None
    if point is None:
        return ""
    if point.data_type is DataType.UINT8:
        return "its quantized type is UINT8"
    return "its zero point is not 0" if point.numbers is not None and any(point.numbers) else ""


def is_per_tensor(model: Model, step: BuildStep) -> bool:
    """Whether one scale applies to the whole tensor; False if the scale's shape is unknown."""
    main = step.main
    value = model.value(main.inputs[1]) if main is not None and len(main.inputs) > 1 else None
    return value is not None and volume(value.shape) == 1


def scale_key(model: Model, step: BuildStep) -> Hashable:
    """Equal for quantizers with the same scale and zero point."""
    main = step.main
    if main is None or len(main.inputs) < 2:
        return None
    scale = model.value(main.inputs[1])
    scale_value = main.inputs[1] if scale is None or scale.numbers is None else scale.numbers
    return (
        scale_value,
        _zero_point(model, main),
        main.attributes.get("axis", 1) if not is_per_tensor(model, step) else None,
    )


def _zero_point(model: Model, operator: Operator) -> Hashable:
    if len(operator.inputs) < 3 or not operator.inputs[2]:
        return 0
    value = model.value(operator.inputs[2])
    if value is not None and value.numbers is not None and not any(value.numbers):
        return 0
    return stored_key(model, operator.inputs[2])


def dequantizer_of(editor: DraftEditor, tensor: str) -> int | None:
    """The DequantizeLinear, with one scale, that writes a tensor."""
    writer = editor.writer(tensor)
    if writer is None or editor[writer].kind is not StepKind.DEQUANTIZE:
        return None
    return writer if is_per_tensor(editor.draft.model, editor[writer]) else None


def quantizer_after(editor: DraftEditor, number: int) -> int | None:
    """The QuantizeLinear, with one scale, that alone reads a step's only output."""
    outputs = editor[number].outputs
    reader = editor.only_reader(outputs[0]) if len(outputs) == 1 else None
    if reader is None or editor[reader].kind is not StepKind.QUANTIZE:
        return None
    return reader if is_per_tensor(editor.draft.model, editor[reader]) else None


def drop_unread(editor: DraftEditor, number: int) -> None:
    """Removes a step whose outputs are not needed any more."""
    if number in editor and not any(map(editor.is_needed, editor[number].outputs)):
        editor.remove(number)


def commutes(editor: DraftEditor, step: BuildStep) -> bool:
    """True for max pooling and for steps with one output that only move values or add zeros.

    Source: the list of layers that commute with quantization in TensorRT's documents on explicit quantization
    (https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html).
    """
    main = step.main
    if main is None or main.domain or not step.inputs or len(step.operators) != 1:
        return False
    if len(step.outputs) != 1:
        return False
    if main.type in _COMMUTING or (main.type == "Resize" and main.attributes.get("mode", "nearest") == "nearest"):
        # Numbers that are stored cannot be quantized on the way; shapes and axes can stay as they are.
        return main.type != "Concat" or not step.constants
    return step.kind is StepKind.SLICE and zero_padding(editor.draft.model, step) is not None
