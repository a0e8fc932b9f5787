"""Runs fully connected layers as 1×1 convolutions.

What it does: a Gemm or MatMul of rows with stored weights becomes a convolution, between a reshape that gives its input
two dimensions of size one and a reshape that takes them away again; reshapes around them are joined later.
The rule: releases before 10 import Gemm as a fully connected layer, which is a 1×1 convolution by its documents
(IFullyConnectedLayer: https://docs.nvidia.com/deeplearning/tensorrt/archives/tensorrt-861/api/c_api/classnvinfer1_1_1_i_
fully_connected_layer.html); the first releases of 10 still compute it as one. Later ones leave it to Myelin.
What it leaves out: products of more than two dimensions, transposed or scaled input, releases since 10.2.
"""

from __future__ import annotations

from dataclasses import replace

from trex.core.shape import Shape
from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import real, weights_of

_UNTIL = (10, 2)


def edit(editor: DraftEditor) -> None:
    if editor.draft.target.release.pair >= _UNTIL:
        return
    for number in editor:
        step = editor[number]
        if step.kind is StepKind.MATRIX_MULTIPLY and _is_able(editor, step):
            _turn(editor, number)


def _is_able(editor: DraftEditor, step: BuildStep) -> bool:
    main = step.main
    shapes = (editor.shape_of(step.inputs[0]), editor.shape_of(step.outputs[0]))
    if main is None or main.type not in ("Gemm", "MatMul") or len(step.inputs) != 1 or weights_of(step) is None:
        return False
    if any(shape is None or len(shape) != 2 for shape in shapes) or weights_of(step) == main.inputs[0]:
        return False
    is_plain = not main.attributes.get("transA") and real(main, "alpha", 1.0) == real(main, "beta", 1.0) == 1.0
    return main.type == "MatMul" or is_plain


def _turn(editor: DraftEditor, number: int) -> None:
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
    editor.add(before, beside=number)
    editor.add(after, beside=number)
    editor.decide(f"{step.label} runs as a convolution", "its rows are images of one pixel", step.origins)


def _reshape(product: BuildStep, source: str, result: str, label: str) -> BuildStep:
    """Metadata gives the product as its origin, its name does not."""
    origins = () if product.main is None else (product.main,)
    facts = {"label": label, "silent": tuple(each.name for each in origins), "is_reshape": True}
    return BuildStep(StepKind.SHUFFLE, origins, None, (source,), (result,), facts=facts)


def _with_ones(editor: DraftEditor, like: str, name: str) -> str:
    made = editor.add_tensor(like, name)
    shape: Shape | None = editor.shape_of(like)
    editor.set_shape(made, None if shape is None else (*shape, 1, 1))
    return made


PASS = BuildPass("Products as convolutions", 210, edit)
