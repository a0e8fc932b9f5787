"""Commuting: steps with the same result before and after quantization with one scale for the whole tensor."""

from __future__ import annotations

from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.window import zero_padding

_WORDS = (
    "MaxPool GlobalMaxPool Reshape Transpose Flatten Squeeze Unsqueeze Expand Tile DepthToSpace SpaceToDepth Slice "
    "Concat Identity"
)
_ALWAYS = frozenset(_WORDS.split())


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
    if main.type in _ALWAYS or (main.type == "Resize" and main.attributes.get("mode", "nearest") == "nearest"):
        # Numbers that are stored cannot be quantized on the way; shapes and axes can stay as they are.
        return main.type != "Concat" or not step.constants
    return step.kind is StepKind.SLICE and zero_padding(editor.draft.model, step) is not None
