"""Scales of INT8 results and biases of Gemm operators are steps of their own in TensorRT 11."""

from __future__ import annotations

from tests.simulator.models import small_cnn, target
from tests.simulator.passes.written import after, network
from trex.core.release import Release
from trex.simulator.draft import StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.initial_draft import initial_draft
from trex.simulator.passes import unscaled_results

ELEVEN = target(release=Release(11, 1))
_QUANTIZED = "w: 8x8x1x1\n b: 8\n s: = 0.5\n q = QuantizeLinear x s\n d = DequantizeLinear q s\n"
_WEIGHTS = "wq = QuantizeLinear w s\n wd = DequantizeLinear wq s\n"


def test_an_int8_convolution_writes_sums_that_the_next_step_scales() -> None:
    model = network(_QUANTIZED + _WEIGHTS + "c = Conv d wd b\n r = Relu c", "r")
    draft = after(model, "quantized-weights", "quantized-gemms", "unscaled-results", of=ELEVEN)
    conv = next(step for step in draft.steps if step.kind is StepKind.CONVOLUTION)
    scale = next(step for step in draft.steps if step.inputs == conv.outputs)
    assert conv.outputs == ("c_sums",) and scale.outputs == ("c",)
    assert scale.main is None and scale.origins == ("c",)


def test_without_a_bias_the_scale_has_no_node() -> None:
    model = network(_QUANTIZED + _WEIGHTS + "c = Conv d wd", "c")
    draft = after(model, "quantized-weights", "quantized-gemms", "unscaled-results", of=ELEVEN)
    assert draft.steps[-1].operators == () and draft.steps[-1].outputs == ("c",)


def test_the_bias_of_a_gemm_is_apart() -> None:
    editor = DraftEditor(initial_draft(small_cnn(), ELEVEN), "test")
    unscaled_results.PASS.edit(editor)
    steps = editor.done().steps
    assert [step.kind for step in steps][-3:] == [StepKind.MATRIX_MULTIPLY, StepKind.ELEMENTWISE, StepKind.SOFTMAX]
    assert steps[-2].origins == ("Gemm_8",)
