"""Images are transposed at inputs and outputs of the network in TensorRT 11."""

from __future__ import annotations

from tests.simulator.passes.test_unscaled_results import ELEVEN
from tests.simulator.passes.written import lines, network
from trex.core.data_type import DataType
from trex.core.model import Model
from trex.simulator.builder import build
from trex.simulator.draft import NetworkDraft, StepKind
from trex.simulator.implementations import NHWC

_CONV = "w: 8x8x1x1\n c = Conv x w\n"


def built(model: Model) -> NetworkDraft:
    return build(model, ELEVEN)


def test_a_convolution_reads_and_writes_channels_last() -> None:
    draft = built(network(_CONV + "r = Relu c", "r"))
    assert [step.kind for step in draft.steps] == [StepKind.REFORMAT, StepKind.CONVOLUTION, StepKind.REFORMAT]
    assert draft.format_of(draft.steps[1].inputs[0]) == draft.format_of(draft.steps[1].outputs[0]) == NHWC
    assert draft.steps[2].outputs == ("r",)


def test_a_generated_kernel_transposes_itself() -> None:
    draft = built(network("e = Exp x\n" + _CONV.replace("Conv x", "Conv e") + "g = Sigmoid c\n m = Mul c g", "m"))
    assert [step.kind for step in draft.steps] == [StepKind.REGION, StepKind.CONVOLUTION, StepKind.REGION]


def test_few_channels_of_halves_are_padded_by_the_copy() -> None:
    model = network("w: 8x3x1x1\n c = Conv x w", "c", x=(1, 3, 8, 8))
    values = {
        name: value.__class__(name, value.shape, DataType.FP16, value.is_stored) for name, value in model.values.items()
    }
    half = Model(model.operators, values, (values["x"],), (values["c"],))
    assert built(half).steps[0].origins == ("c",)
    assert built(model).steps[0].origins == ()
    assert lines(built(model))
