"""Transposes images at inputs and outputs of the network.

What it does: an input of the network that a convolution or pooling reads is copied to channels-last, and an output that
one writes is copied back to row-major. In FP16 and INT8 the copy also pads the few channels of an image; a depthwise
INT8 convolution has its input expanded by the kernel that writes it.
The rule: inferred from engines of TensorRT for RTX: Myelin's convolutions read and write channels-last, inputs and
outputs of the network are row-major; a padding copy lists the convolution's ONNX nodes (``__myl_ConcTran``).
What it leaves out: copies of tensors that several concatenations share.
"""

from __future__ import annotations

from dataclasses import replace

from trex.core.data_type import DataType
from trex.core.operator import Operator
from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import channels_of, is_depthwise
from trex.simulator.implementations import NHWC, is_one_pixel
from trex.simulator.myelin import MYELIN_ALONE

_IMAGES = frozenset({StepKind.CONVOLUTION, StepKind.DECONVOLUTION, StepKind.POOLING})
_VECTOR = 4
_RANK = 3


def edit(editor: DraftEditor) -> None:
    inputs = {value.name for value in editor.draft.model.inputs}
    for number in editor:
        step = editor[number]
        if step.kind not in _IMAGES:
            continue
        _read(editor, number, inputs)
        for name in (*editor[number].inputs, *step.outputs):
            if name not in inputs and not editor.is_result(name) and _has_layout(editor, name):
                editor.set_format(name, NHWC)
        for name in step.outputs:
            if editor.is_result(name) and _has_layout(editor, name):
                written = editor.add_tensor(name, f"{name}_channels_last", layout=NHWC)
                editor.replace(number, replace(editor[number], outputs=(written,)))
                for reader in editor.readers(name):
                    editor.rename_input(reader, name, written)
                _copy(editor, written, name, number)


def _read(editor: DraftEditor, number: int, inputs: set[str]) -> None:
    step = editor[number]
    source = step.inputs[0]
    is_narrow = editor.type_of(source) is not DataType.FP32
    channels = channels_of(editor.shape_of(source))
    is_padded = step.kind is StepKind.CONVOLUTION and is_narrow and bool(channels and channels % _VECTOR)
    operators = step.operators if is_padded else ()
    if source in inputs:
        if _has_layout(editor, source):
            copied = editor.add_tensor(source, f"{source}_channels_last", layout=NHWC)
            for reader in editor.readers(source):
                if editor[reader].kind in _IMAGES:
                    editor.rename_input(reader, source, copied)
            _copy(editor, source, copied, number, operators)
        return
    writer = editor.writer(source)
    is_expanded = editor.type_of(source) is DataType.INT8 and is_depthwise(editor, step)
    if writer is not None and (is_padded or is_expanded) and editor[writer].kind is StepKind.REGION:
        before = editor[writer]
        prepared = (*before.facts.get("prepared", ()), *step.origins)
        editor.replace(
            writer, replace(before, operators=(*before.operators, *step.operators)).with_facts(prepared=prepared)
        )


def _copy(editor: DraftEditor, source: str, result: str, neighbor: int, operators: tuple[Operator, ...] = ()) -> None:
    names = tuple(operator.name for operator in operators)
    copy = BuildStep(StepKind.REFORMAT, operators, None, (source,), (result,), facts={"prepared": names})
    editor.add(copy, neighbor=neighbor)
    label = editor[neighbor].label
    editor.decide(f"a transpose next to {label}", "it reads and writes channels-last", editor[neighbor].origins)


def _has_layout(editor: DraftEditor, name: str) -> bool:
    shape = editor.shape_of(name)
    return shape is not None and len(shape) > _RANK and not is_one_pixel(shape)


PASS = BuildPass("Layouts of images", 330, edit, since=MYELIN_ALONE)
