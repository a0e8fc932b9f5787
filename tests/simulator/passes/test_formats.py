"""Types and layouts, and the copies between them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.simulator.models import target
from tests.simulator.passes.written import network, sound
from trex.core.data_type import DataType
from trex.core.operator import Value
from trex.core.release import Release
from trex.core.shape import Shape
from trex.simulator.builder import build
from trex.simulator.draft import NetworkDraft, StepKind

FP16, INT8 = DataType.FP16, DataType.INT8
_IMAGE = (32, 3, 224, 224)
_WEIGHTS = "w: 64x3x7x7\n v: 64x64x3x3\n k: 16x64\n"
_NET = "c = Conv x w\n r = Relu c\n p = MaxPool r\n d = Conv p v | pads=(1,1,1,1)\n a = Add d p\n y = Relu a\n"
_SCALE = "s: = 0.5\n"
_QUANTIZED = """
wq = QuantizeLinear w s
wd = DequantizeLinear wq s
vq = QuantizeLinear v s
vd = DequantizeLinear vq s
xq = QuantizeLinear x s
xd = DequantizeLinear xq s
c = Conv xd wd
r = Relu c
p = MaxPool r
pq = QuantizeLinear p s
pd = DequantizeLinear pq s
d = Conv pd vd | pads=(1,1,1,1)
a = Add d {residual}
y = Relu a
z = QuantizeLinear y s
out = DequantizeLinear z s
"""


def draft_of(text: str, output: str, *allowed: DataType, device: str = "A100", x: Shape = _IMAGE) -> NetworkDraft:
    draft = build(network(text, output, x), target(device, *allowed, release=Release(8, 4)))
    sound(draft)
    return draft


def copies(draft: NetworkDraft) -> list[str]:
    return [
        f"{' '.join(step.inputs)} > {' '.join(step.outputs)}" for step in draft.steps if step.kind is StepKind.REFORMAT
    ]


def slot(draft: NetworkDraft, name: str) -> str:
    return f"{draft.type_of(name)} {draft.format_of(name)}"


def test_fp32_goes_from_rows_to_channels_last_where_the_image_is_small() -> None:
    draft = draft_of(_WEIGHTS + _NET, "y")
    assert [slot(draft, name) for name in ("x", "r", "p")] == ["FP32 NCHW", "FP32 NCHW", "FP32 NHWC"]
    assert copies(draft) == ["unformatted_p > p", "unformatted_y > y"]


def test_without_matrix_units_fp32_stays_in_rows() -> None:
    assert copies(draft_of(_WEIGHTS + _NET, "y", device="V100")) == []


def test_fp16_is_in_channels_of_eight_and_comes_and_goes_in_rows() -> None:
    draft = draft_of(_WEIGHTS + _NET, "y", FP16)
    assert [slot(draft, name) for name in ("reformatted_x", "r", "y")] == ["FP16 NHWC4", "FP16 NHWC8", "FP32 NCHW"]
    assert len(copies(draft)) == 2


def test_int8_is_in_vectors_and_floats_beside_it_too() -> None:
    draft = draft_of(_WEIGHTS + _SCALE + _QUANTIZED.format(residual="p"), "out", FP16, INT8)
    expected = {name: slot(draft, name) for name in ("xq", "r", "p", "pq", "y", "z", "out")}
    assert expected == {
        "xq": "INT8 NC/4HW4",
        "r": "FP32 NCHW",
        "p": "FP16 NC/32HW32",
        "pq": "INT8 NC/32HW32",
        "y": "FP16 NC/32HW32",
        "z": expected["z"],
        "out": "FP32 NCHW",
    }
    assert copies(draft) == ["unformatted_p > p"]


def test_with_a_quantized_residual_all_is_int8() -> None:
    draft = draft_of(_WEIGHTS + _SCALE + _QUANTIZED.format(residual="pd"), "out", FP16, INT8)
    assert copies(draft) == []
    assert [slot(draft, name) for name in ("xq", "pq", "z")] == ["INT8 NCHW", "INT8 NC/32HW32", "INT8 NC/32HW32"]


def test_an_image_of_one_pixel_is_only_called_otherwise() -> None:
    text = "c = Conv x w\n p = GlobalAveragePool c\n f = Flatten p\n y = Gemm f k | transB=1"
    draft = draft_of(_WEIGHTS + text, "y", FP16)
    copied = [step for step in draft.steps if step.kind is StepKind.IDENTITY and not step.operators]
    assert [(slot(draft, step.inputs[0]), slot(draft, step.outputs[0])) for step in copied] == [
        ("FP16 NHWC8", "FP16 NCHW")
    ]


@pytest.mark.parametrize("device", ["A100", "T4", "H100", "P4"])
def test_a_strongly_typed_network_keeps_its_types(device: str) -> None:
    model = network(_WEIGHTS + _NET, "y", _IMAGE)
    draft = build(model, replace(target(device), strongly_typed=True))
    sound(draft)
    assert {draft.type_of(name) for step in draft.steps for name in step.outputs} == {DataType.FP32}


def test_a_cast_writes_what_the_caller_wants() -> None:
    model = network("y = Cast x", "y", _IMAGE)
    model.values["y"] = Value("y", _IMAGE, FP16)  # type: ignore[index]
    model = replace(model, outputs=(model.values["y"],))
    assert copies(build(model, target("A100"))) == []


def test_bindings_keep_the_models_types_and_rows() -> None:
    draft = draft_of(_WEIGHTS + _NET, "r y", FP16)
    assert [slot(draft, name) for name in ("x", "r", "y")] == ["FP32 NCHW"] * 3


def test_unknown_shapes_are_no_obstacle() -> None:
    draft = draft_of(_WEIGHTS + "c = Conv x w\n r = Relu c", "r", FP16, x=(None, 3, None, None))
    assert [step.kind for step in draft.steps] == [StepKind.REFORMAT, StepKind.CONVOLUTION, StepKind.REFORMAT]


def test_decisions_say_why_a_reformat_stands_where_it_does() -> None:
    draft = draft_of(_WEIGHTS + _NET, "y", FP16)
    expected = [item for item in draft.decisions if item.by == "reformats"]
    assert [item.what for item in expected] == ["a reformat before c + r", "a reformat after d + a + y"]
    assert "written as FP32 NCHW and read as FP16 NHWC4" in expected[0].why
