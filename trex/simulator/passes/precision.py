"""Determines the floating-point types in which each step may run.

What it does: sets FP16, BF16 and FP32 for every step, as far as the flags and the device allow, FP32 always; a strongly
typed network keeps the model's own types. Format selection decides between them.
The rule: precision flags permit types and FP32 stays permitted, the builder uses the fastest; with strong typing the
network's types are kept (https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/advanced.html, reduced
precision and strongly typed networks).
What it leaves out: constraints on single layers; calibration (INT8 without Q/DQ).
"""

from __future__ import annotations

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.core.note import Note
from trex.simulator.builder import BuildPass
from trex.simulator.draft import StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.quantizers import QUANTIZED, unsupported_reason

_HAS_FP16 = frozenset({(5, 3), (6, 0), (6, 2)})
_SOURCE = "Hardware and Precision, support matrix of TensorRT"


def edit(editor: DraftEditor) -> None:
    target = editor.draft.target
    if target.strongly_typed:
        editor.decide("the model's types are kept", "the network is strongly typed")
        _note_quantizers(editor)
        return
    types = [DataType.FP32]
    for data_type in (DataType.BF16, DataType.FP16):
        if data_type not in target.allowed:
            continue
        if _computes(target.capability, data_type):
            types.insert(0, data_type)
        else:
            words = ".".join(map(str, target.capability))
            editor.decide(f"{data_type} is not used", f"compute capability {words} does not support it ({_SOURCE})")
    allowed = tuple(types)
    for number in editor:
        step = editor[number]
        editor.replace(number, step.with_facts(float_types=allowed))
    type_names = " or ".join(map(str, allowed))
    editor.decide(f"floats run in {type_names}, whichever is faster", "the flags and the device allow them")
    _note_flags(editor)
    _note_quantizers(editor)


def _computes(capability: tuple[int, int], data_type: DataType) -> bool:
    if data_type is DataType.BF16:
        return capability >= (8, 0)
    return capability >= (7, 0) or capability in _HAS_FP16


def _note_flags(editor: DraftEditor) -> None:
    """TensorRT refuses explicit quantization without its flag; a prediction is still possible."""
    target = editor.draft.target
    used = {editor[number].precision for number in editor} & QUANTIZED
    used |= {editor.type_of(editor[number].outputs[0]) for number in editor if editor[number].kind is StepKind.QUANTIZE}
    for data_type in sorted(
        used & {DataType.INT8, DataType.FP8} - target.allowed, key=lambda data_type: data_type.label
    ):
        message = f"TensorRT would refuse this model: it quantizes to {data_type}, which no flag allows"
        hint = f"add {data_type.label.lower()}, or stronglyTyped (newer releases)"
        editor.note(Note("quantized-without-flag", message, hint, editor.draft.model.source))


def _note_quantizers(editor: DraftEditor) -> None:
    """A Note on quantizers that TensorRT does not support, the first with its reason."""
    refused = [
        (step.label, reason)
        for number in editor
        if (step := editor[number]).kind in (StepKind.QUANTIZE, StepKind.DEQUANTIZE)
        and (reason := unsupported_reason(editor.draft.model, step))
    ]
    if refused:
        label, reason = refused[0]
        message = f"TensorRT would refuse {counted(len(refused), 'quantizer')}: {label}, since {reason}"
        hint = "quantize symmetrically, to INT8 with zero points of 0"
        editor.note(Note("quantizer-not-supported", message, hint, editor.draft.model.source))


PASS = BuildPass("Precision", 500, edit)
