"""Activations as kernels of their own after a convolution or GEMM."""

from __future__ import annotations

import pytest

from tests import factories
from tests.factories import t
from tests.raw_records import layer
from tests.rules.cases import (
    Subject,
    analyzed,
    conv,
    finding,
    findings,
    int8,
    on_round_device,
    plan_of,
    reports,
    single,
    work,
)
from tests.rules.planting import Parts, like, pair
from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.rules.operators import Operations

RULE = "unfused-activation"
CLIP = ("Max", "Min", "Cas")
"""Tokens of ReLU6 in engines of Torch-TensorRT: the maximum with 0, the minimum with 6, and a cast."""


def generated(name: str, source: str, written: str, **keys: object) -> Layer:
    return factories.layer(name, "kgen", [source], [written], **keys)


def relu6(count: int, ms: tuple[float, float]) -> Subject:
    """Convolutions of a MobileNet, each with its clip as a generated kernel."""
    layers = []
    for number in range(count):
        source = "x" if number == 0 else f"b{number - 1}"
        layers.append(conv(f"Conv_{number}", [t(source)], t(f"a{number}")))
        layers.append(generated(f"clip{number}", f"a{number}", f"b{number}"))
    tokens = {f"clip{number}": CLIP for number in range(count)}
    return on_round_device(*layers, ms=list(ms) * count, tokens=tokens, outputs=(f"b{count - 1}",))


def test_relu6_kernels_of_a_mobilenet_are_one_finding() -> None:
    # 35 of them take 0.177 of 0.259 ms, as in an engine of Torch-TensorRT.
    report = finding(RULE, relu6(35, (0.082 / 35, 0.177 / 35)))
    assert report.message.startswith("35 activations run as kernels of their own (MaxMinCas) right after the convolut")
    assert "0.177 ms (68.3 % of time)" in report.message
    assert sum(report.savings.values()) == pytest.approx(0.177) and len(report.main_layers) == 35
    assert "no cast" in report.fix[0]


def test_maximum_and_minimum_are_a_clip_in_names_of_three_and_of_four_letters() -> None:
    for tokens in (CLIP, ("Max", "Min", "Cast"), ("Min", "Max")):
        engine = on_round_device(generated("k", "x", "y"), tokens={"k": tokens})
        assert engine.operations.is_pointwise(0), tokens
    for other in (("Max",), ("Max", "Sub", "Exp", "Sum"), ("Maxr", "Min")):
        engine = on_round_device(generated("k", "x", "y"), tokens={"k": other})
        assert not engine.operations.is_pointwise(0), other
    softmax = on_round_device(generated("k", "x", "y"), tokens={"k": ("Mul", "Max", "Sub", "Exp", "Sum")})
    assert Operations(softmax.layers).is_softmax(0)


def test_layers_of_onnx_operators() -> None:
    silu = work("Sigmoid_1 + Mul_2", "PointWise", [t("a")], t("y"))
    report = finding(RULE, analyzed(conv("Conv_0", [t("x")], t("a")), silu, ms=[0.5, 0.5]))
    assert "(sigmoid mul)" in report.message and report.savings == {1: pytest.approx(0.5)}
    assert report.fix == ("a newer TensorRT, which fuses more activations",)


def test_a_batch_normalization_with_stored_operands() -> None:
    operands = [t("a"), t("mean", [1, 8, 1, 1]), t("variance", [1, 8, 1, 1])]
    affine = work("Sub_1 + Div_2 + Relu_3", "PointWise", operands, t("y"))
    assert "fold scale and shift" in finding(RULE, analyzed(conv("Conv_0", [t("x")], t("a")), affine)).fix[0]


def test_clamps_of_torch_behind_casts_that_became_views() -> None:
    # As in fuzzylabs/edge-vision-power-estimation at 905ffd83, jetson/power_logging/results/mobilenet_v2.
    path, torch = "/features/1/conv_0/2", "[ELEMENTWISE]-[aten_ops.clamp.default]-"
    clamp = f"PWN({path}/clamp_1_min_rhs + {path}/clamp_1_min_rhs_broadcast, PWN({torch}[{path}/clamp_1_max]))"
    records = [
        layer("Conv_0", "Convolution", ["x"], ["a"]),
        layer("Forced Cast ITensor a from DataType.FLOAT to DataType.FLOAT", "NoOp", ["a"], ["b"]),
        layer(clamp, "PointWise", ["b"], ["c"]),
        layer("Forced Cast ITensor c from DataType.FLOAT to DataType.HALF", "NoOp", ["c"], ["d"]),
        layer("Conv_1", "Convolution", ["d"], ["y"]),
    ]
    report = finding(RULE, plan_of(records, {"Conv_0": 0.5, clamp: 0.25, "Conv_1": 0.25}))
    assert "(clamp_1_max)" in report.message and report.main_layers == (2,)
    assert report.fix[0] == "compute the activation in the type of the convolution: no cast between them"


def test_little_time_and_no_times() -> None:
    layers = conv("Conv_0", [t("x")], t("a")), work("Erf_1", "PointWise", [t("a")], t("y"))
    assert reports(RULE, analyzed(*layers, ms=[1.0, 0.001])) == []
    assert finding(RULE, analyzed(*layers)).savings == {}


def test_what_others_read_too_is_sound() -> None:
    first, act = conv("Conv_0", [t("x")], t("a")), work("Erf_1", "PointWise", [t("a")], t("b"))
    assert reports(RULE, analyzed(first, act, work("Add_2", "PointWise", [t("a"), t("b")], t("y")))) == []
    assert reports(RULE, analyzed(first, act, outputs=("a", "b"))) == []


def test_other_kernels_after_a_convolution_are_sound() -> None:
    first = conv("Conv_0", [t("x")], t("a"))
    for after in (
        work("Softmax_1", "SoftMax", [t("a")], t("y")),
        work("Add_1", "PointWise", [t("a")], t("y", [1, 8, 2, 2])),
        work("QuantizeLinear_1", "Scale", [t("a")], t("y", type="INT8")),
        work("Erf_1", "PointWise", [t("a", None)], t("y", None)),
    ):
        assert reports(RULE, analyzed(first, after)) == [], after.name
    assert not findings(RULE, on_round_device(first, generated("k", "a", "y"), tokens={"k": ("Cast",)}))
    apart = conv("Conv_0", [t("x")], t("a"), stream=0), work("Erf_1", "PointWise", [t("a")], t("y"), stream=1)
    assert reports(RULE, analyzed(*apart)) == []


def test_the_sums_of_myelins_int8_convolutions_are_sound() -> None:
    sums = work("Conv_0", "correlation", [int8("x")], single("a"))
    assert not findings(RULE, on_round_device(sums, generated("k", "a", "y"), tokens={"k": ("Mul", "Relu")}))


# ---- The defect that tests plant into engines, and its sound twin


def planted(x: Tensor, bad: bool) -> Parts:
    activation = work("Mish_902", "PointWise" if bad else "SoftMax", [like(x, "a901")], like(x, "b902"))
    return [(conv("Conv_901", [x], like(x, "a901")), 0.05), (activation, 0.05)]


PLANTER = pair(planted)
