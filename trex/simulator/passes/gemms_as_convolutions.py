"""Runs fully connected layers as 1×1 convolutions.

What it does: a Gemm or MatMul of rows with stored weights becomes a convolution, between a reshape that adds two
dimensions of size one to its input and a reshape that removes them; adjacent reshapes are merged later.
The rule: releases before 10 import Gemm as a fully connected layer, which is documented as a 1×1 convolution
(IFullyConnectedLayer:
https://docs.nvidia.com/deeplearning/tensorrt/archives/tensorrt-861/api/c_api/classnvinfer1_1_1_i_fully_connected_layer.html);
the first releases of 10 still do. Later ones leave it to Myelin.
What it leaves out: GEMMs of more than two dimensions, transposed or scaled input, releases since 10.2.
"""

from __future__ import annotations

from dataclasses import replace

from trex.core.shape import Shape
from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import weights_of
from trex.simulator.operator_attributes import real

_UNTIL = (10, 2)


def edit(editor: DraftEditor) -> None:
    if editor.draft.target.release.pair >= _UNTIL:
        return
    for number in editor:
        step = editor[number]
        if step.kind is StepKind.MATRIX_MULTIPLY and _is_able(editor, step):
            _as_convolution(editor, number)


def _is_able(editor: DraftEditor, step: BuildStep) -> bool:
    main = step.main
    shapes = (editor.shape_of(step.inputs[0]), editor.shape_of(step.outputs[0]))
    if main is None or main.type not in ("Gemm", "MatMul") or len(step.inputs) != 1 or weights_of(step) is None:
        return False
    if any(shape is None or len(shape) != 2 for shape in shapes) or weights_of(step) == main.inputs[0]:
        return False
    is_plain = not main.attributes.get("transA") and real(main, "alpha", 1.0) == real(main, "beta", 1.0) == 1.0
    return main.type == "MatMul" or is_plain


def _as_convolution(editor: DraftEditor, number: int) -> None:
    step = editor[number]
    name = step.main.name if step.main is not None else step.label
    source, result = step.inputs[0], step.outputs[0]
    is_quantized = "weights_type" in step.facts
    image = _with_ones(editor, source, f"reshape_before_{name}")
    written = _with_ones(editor, result, f"{name}_out_tensor" if is_quantized else f"{name}_out_region")
    word = "copied_squeeze_after" if is_quantized else "reshape_after"
    before = _reshape(step, source, image, f"reshape_before_{name}")
    after = _reshape(step, written, result, f"{word}_{name}")
    editor.replace(number, replace(step, kind=StepKind.CONVOLUTION, inputs=(image,), outputs=(written,)))
    editor.add(before, neighbor=number)
    editor.add(after, neighbor=number)
    editor.decide(f"{step.label} runs as a convolution", "its rows are images of one pixel", step.origins)


def _reshape(gemm: BuildStep, source: str, result: str, label: str) -> BuildStep:
    """Metadata contains the GEMM as its origin, its name does not."""
    origins = () if gemm.main is None else (gemm.main,)
    facts = {"label": label, "is_reshape": True}
    return BuildStep(StepKind.SHUFFLE, origins, None, (source,), (result,), facts=facts)


def _with_ones(editor: DraftEditor, like: str, name: str) -> str:
    reshaped = editor.add_tensor(like, name)
    shape: Shape | None = editor.shape_of(like)
    editor.set_shape(reshaped, None if shape is None else (*shape, 1, 1))
    return reshaped


PASS = BuildPass("GEMMs as convolutions", 210, edit)
