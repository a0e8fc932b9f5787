"""Builds for INT8 or FP8 without FP16 beside it."""

from __future__ import annotations

import pytest

from tests.perf.round_device import round_device
from tests.rules.cases import analyzed, conv, findings, half, int8, single, unchecked, work
from tests.rules.planting import Ground, Plant, Planter, int8_like, quantized, single_layers
from trex.perf.performance import Performance
from trex.rules.analyzed_engine import AnalyzedEngine

NAME = "int8-without-half"
LAYERS = (
    conv("Conv_1", [int8("x")], single("a")),
    work("Sigmoid_2", "PointWise", [single("a")], single("b")),
    conv("Conv_3", [single("b")], single("y")),
)


def test_layers_that_fall_back_are_named() -> None:
    (found,) = findings(NAME, analyzed(*LAYERS, ms=[0.5, 0.2, 0.3], Precision="FP32+INT8"))
    assert "Built for FP32+INT8 without FP16: 2 layers fall back to FP32, 0.5 ms (50.0 % of time)" in found.message
    assert "Conv_3 and Sigmoid_2" in found.message  # the dearest first
    assert {index: ms for index, ms in found.savings.items() if index} == pytest.approx({1: 0.1, 2: 0.3 * 15 / 16})
    assert "--int8 --fp16" in found.fix[0]


def test_a_known_device_bounds_savings() -> None:
    big = (32, 64, 64, 64)
    engine = analyzed(
        conv("Conv_0", [int8("x", big)], single("a", big)),
        work("Sigmoid_1", "PointWise", [single("a", big)], single("y", big)),
        ms=[1.0, 1.0],
        Precision="FP32+INT8",
    )
    (found,) = findings(NAME, AnalyzedEngine(Performance(engine.plan, round_device())))
    # 2 · 32·64·64·64 · 4 bytes over 500 GB/s, halved in FP16
    assert found.savings[1] == pytest.approx(1.0 - 2 * 32 * 64**3 * 4 / 500e9 * 1e3 / 2, rel=0.02)


def test_quantized_layers_that_write_single_count_with_half_of_those_bytes() -> None:
    (found,) = findings(NAME, analyzed(*LAYERS, ms=[0.5, 0.2, 0.3], Precision="FP32+INT8"))
    assert found.savings[0] == pytest.approx(0.5 * (4 / 2) / (1 + 4 + 1), rel=1e-6)  # INT8 in, FP32 out, INT8 weights
    assert found.layers == (2, 1, 0) and "1 quantized layer or copy has FP32 tensors" in found.message


def test_a_flag_of_the_build_comes_first_and_claims_its_time_first() -> None:
    (found,) = findings(NAME, analyzed(*LAYERS, ms=[0.5, 0.2, 0.3], Precision="FP32+INT8"))
    assert found.is_first
    (typed,) = findings(NAME, analyzed(*LAYERS, ms=[0.5, 0.2, 0.3], Precision="Strongly Typed"))
    assert not typed.is_first


def test_a_log_without_layers_contains_the_flags() -> None:
    (found,) = findings(NAME, analyzed(Precision="FP32+INT8"))
    assert found.message == "Built for FP32+INT8 without FP16: what cannot run quantized runs in FP32"
    assert not findings(NAME, analyzed(Precision="FP32+FP16+INT8")) and not findings(NAME, analyzed(Precision="FP32"))


def test_a_region_without_a_forecast_leaves_the_confidence_to_the_others() -> None:
    big = (32, 64, 64, 64)
    known = work("Sigmoid_1", "PointWise", [single("a", big)], single("y", big))
    region = work("{ForeignNode[a...b]}", "Myelin", [single("y", big)], single("z", big))
    sure = [
        findings(NAME, AnalyzedEngine(Performance(engine.plan, round_device())))[0].confidence
        for layers in ((known,), (known, region))
        for engine in (analyzed(*layers, ms=[1.0, 8.0][: len(layers)], Precision="FP32+INT8"),)
    ]
    assert sure[1] == pytest.approx(sure[0])


def test_with_half_precision_it_is_no_finding() -> None:
    for told in ("FP32+FP16+INT8", "FP32"):
        assert not findings(NAME, analyzed(*LAYERS, Precision=told))
        assert not unchecked(NAME, analyzed(*LAYERS, Precision=told))


def test_a_typed_network_has_the_types_of_its_model() -> None:
    (found,) = findings(NAME, analyzed(*LAYERS, ms=[0.5, 0.2, 0.3], Precision="Strongly Typed"))
    assert found.message.startswith("Strongly typed, quantized and without FP16: 2 layers run in FP32, 0.5 ms")
    (step,) = found.fix
    assert "export the float part of the model in FP16" in step
    scores = work("c", "PointWise", [half("q")], half("r"))
    assert not findings(NAME, analyzed(*LAYERS, scores, ms=[0.5, 0.2, 0.3, 0.1], Precision="Strongly Typed"))
    assert not findings(NAME, analyzed(*LAYERS[1:], ms=[0.2, 0.3], Precision="Strongly Typed"))


def test_little_time_is_no_finding() -> None:
    assert not findings(NAME, analyzed(*LAYERS, ms=[9.5, 0.1, 0.1], Precision="FP32+INT8"))


def test_without_the_options_of_the_build_it_is_unchecked() -> None:
    (answer,) = unchecked(NAME, analyzed(*LAYERS))
    assert "its build options are unknown" in answer.reason and answer.layers == (1, 2)
    assert not unchecked(NAME, analyzed(*LAYERS, work("c", "PointWise", [half("q")], half("r"))))


# ---- The defect that tests plant into engines, and its sound twin


def eight_bits_and_single(bad: bool) -> Plant:
    def plant(ground: Ground) -> None:
        ground.insert(lambda x: quantized(x, lambda q: [(conv("Conv_902", [q], int8_like(x, "a902")), 0.05)]), bad)
        ground.insert(lambda x: single_layers(x, True), bad)
        ground.build["Precision"] = "FP32+INT8" if bad else "FP32+FP16+INT8"

    return plant


PLANTER = Planter(eight_bits_and_single(True), eight_bits_and_single(False))
