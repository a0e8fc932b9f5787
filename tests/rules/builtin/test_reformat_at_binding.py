"""Reformats at inputs and outputs that take a share of the time."""

from __future__ import annotations

import pytest

from tests.factories import t
from tests.rules.cases import analyzed, conv, copy, findings, half, int8, single, work
from tests.rules.planting import Parts, pair
from trex.core.tensor import Tensor
from trex.rules.finding import Severity

NAME = "reformat-at-binding"


def test_an_input_in_another_layout() -> None:
    seen = analyzed(
        copy("R1", single("x"), half("a", format="NHWC8")),
        conv("Conv_1", [half("a", format="NHWC8")], half("b", format="NHWC8")),
        copy("R2", half("b", format="NHWC8"), single("y")),
        ms=[0.2, 0.5, 0.3],
    )
    first, second = findings(NAME, seen)
    assert first.message == "R1 at the input x converts FP32 NCHW to FP16 NHWC8: 0.2 ms (20.0 % of time)"
    assert "--inputIOFormats=fp16:hwc8" in first.fix[0]
    assert first.savings == pytest.approx({0: 0.2}) and first.tensors == ("x",)
    assert "at the output y converts" in second.message and "--outputIOFormats=fp16:hwc8" in second.fix[0]


def test_layouts_without_a_word() -> None:
    layers = copy("R1", single("x"), half("a", format="NHWC4")), conv("Conv_1", [half("a", format="NHWC4")], half("y"))
    (found,) = findings(NAME, analyzed(*layers, ms=[0.1, 1.0]))
    assert "there is no word for NHWC4" in found.fix[0]


def test_short_ones_and_those_without_times_are_expected() -> None:
    layers = copy("R1", single("x"), half("a")), conv("Conv_1", [half("a")], half("y"))
    assert not findings(NAME, analyzed(*layers, ms=[0.02, 1.0])) and not findings(NAME, analyzed(*layers))


@pytest.mark.parametrize(("type_", "is_a_flag"), [("INT8", True), ("FP8", False)])
def test_an_input_that_is_quantized_first(type_: str, is_a_flag: bool) -> None:
    """The flag has a word for INT8 and none for FP8: engines with that have their inputs from the model."""
    seen = analyzed(
        copy("R1", half("x"), t("a", type=type_)), conv("Conv_1", [t("a", type=type_)], half("y")), ms=[0.2, 1.0]
    )
    (found,) = findings(NAME, seen)
    assert "cut the first QuantizeLinear off the ONNX model" in found.fix[0]
    assert ("--inputIOFormats=int8:chw" in found.fix[0]) is is_a_flag


def test_reformats_inside_are_no_finding() -> None:
    seen = analyzed(
        conv("Conv_1", [half("x")], half("a")), copy("R1", half("a"), int8("b")), conv("Conv_2", [int8("b")], int8("y"))
    )
    assert not findings(NAME, seen)


def test_what_prepares_an_input_is_one_finding() -> None:
    """A padding, a quantization and a transpose, each a kernel of its own, as in ResNet50 of TensorFlow."""
    padded, image = (2, 230, 230, 3), (2, 3, 230, 230)
    seen = analyzed(
        work("conv1_pad/Pad", "Slice", [single("x", (2, 224, 224, 3))], single("a", padded)),
        copy("Quantize_1", single("a", padded), int8("b", padded, "NC/32HW32")),
        work("Transpose_1", "Shuffle", [int8("b", padded, "NC/32HW32")], int8("c", image, "NC/32HW32")),
        conv("Conv_1", [int8("c", image, "NC/32HW32")], int8("y")),
        ms=[0.02, 0.01, 0.02, 1.0],
    )
    (found,) = findings(NAME, seen)
    assert (
        "conv1_pad/Pad, Quantize_1 and Transpose_1 at the input x quantize and move FP32 2x224x224x3 to"
        in found.message
    )
    assert found.savings == pytest.approx({0: 0.02, 1: 0.01, 2: 0.02}) and found.tensors == ("x",)
    assert any("its attribute pads" in step for step in found.fix)


def test_a_generated_kernel_that_quantizes_and_pads_the_input() -> None:
    dynamic = int8("a", (None, 4, 224, 224), format="NHWC")
    seen = analyzed(
        work("prepare", "kgen", [single("x")], dynamic),
        conv("Conv_1", [dynamic], half("y")),
        ms=[0.1, 1.0],
        tokens={"prepare": ("Mul", "Min", "Max", "Roun", "Cast", "Conc")},
    )
    (found,) = findings(NAME, seen)
    assert "prepare at the input x quantizes and moves FP32 NCHW to INT8 NHWC" in found.message
    assert found.fix[-1] == "pass the input as the first layer reads it (INT8 NHWC, ?x4x224x224)"
    computes = analyzed(*seen.layers, ms=[0.1, 1.0], tokens={"prepare": ("Mul", "Relu", "Tran")})
    assert not findings(NAME, computes)


def test_a_transpose_of_an_input_that_others_read_is_the_models_own() -> None:
    seen = analyzed(
        work("turn", "kgen", [half("x")], half("a", format="NHWC")),
        work("MatMul_1", "gemm", [half("x"), half("a", format="NHWC")], half("y")),
        ms=[0.1, 1.0],
        tokens={"turn": ("Tran",)},
    )
    assert not findings(NAME, seen)


def test_it_is_a_note() -> None:
    from trex.rules.rule import RULES

    assert RULES.chosen(NAME).value.severity is Severity.NOTE


# ---- The defect that tests plant into engines, and its sound twin


def at_output(x: Tensor, bad: bool) -> Parts:
    wide = t("o901", x.shape, "FP32")
    if bad:
        return [(copy("Reformat_901", x, wide), 0.05)]
    return [
        (copy("Reformat_901", x, wide), 0.02),
        (work("Softmax_902", "SoftMax", [wide], t("o902", x.shape, "FP32")), 0.1),
    ]


PLANTER = pair(at_output)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((2, 3, 224, 200), "FP32 NCHW"),
        ((2, 64, 56, 56), "FP32 NCHW"),
        ((2, 224, 224, 3), "FP32 2x224x224x3"),
        ((2, 56, 56, 64), "FP32 2x56x56x64"),
        ((2048, 1001), "FP32 2048x1001"),
    ],
)
def test_a_linear_input_is_called_nchw_only_if_its_shape_shows_it(shape: tuple[int, ...], words: str) -> None:
    """Exports from TensorFlow hold images as N×H×W×C, and TensorRT calls that order linear, too."""
    layers = copy("R1", single("x", shape), half("a", shape, "NHWC8")), conv("C", [half("a", shape)], half("y", shape))
    (found, *_) = findings(NAME, analyzed(*layers, ms=[0.1, 1.0]))
    assert f"at the input x converts {words} to " in found.message
    assert found.evidence[1].value == words
