"""Layers in FP32 in a build for FP16."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.cases import analyzed, conv, copy, findings, half, int8, single, unchecked, work
from tests.rules.planting import pair, single_layers
from trex.core.data_type import DataType
from trex.core.format_timing import FormatTiming
from trex.perf.performance import Performance
from trex.rules.analyzed_engine import AnalyzedEngine

NAME = "single-in-half-build"
LAYERS = (
    conv("Conv_1", [half("x")], half("a")),
    copy("Cast_2", half("a"), single("b"), "CAST"),
    work("Softmax_3", "SoftMax", [single("b")], single("c")),
    copy("Cast_4", single("c"), half("d"), "CAST"),
    conv("Conv_5", [half("d")], half("y")),
)
MS = (0.4, 0.05, 0.1, 0.05, 0.4)


def test_the_slowest_and_their_conversions() -> None:
    pins = "Softmax_3:fp32"
    (found,) = findings(NAME, analyzed(*LAYERS, ms=MS, Precision="FP32+FP16", LayerPrecisions=pins))
    assert "1 layer stays in FP32 in a build for FP32+FP16: 0.1 ms (10.0 % of time)" in found.message
    assert "Softmax_3 (0.1 ms)" in found.message and pins in found.fix[0]
    assert found.savings == pytest.approx({2: 0.05, 1: 0.05, 3: 0.05})


def test_fp16_layers_stand_for_the_build_options() -> None:
    (found,) = findings(NAME, analyzed(*LAYERS, ms=MS))
    assert found.message.startswith("1 layer stays in FP32 although others run in FP16: 0.1 ms")
    assert "in a build for" not in found.message and "if it was built without FP16" in found.fix[0]


def test_an_input_in_fp16_is_no_build_for_fp16() -> None:
    """A build for FP32 with --inputIOFormats=fp16:chw: only the copies at inputs and outputs know FP16."""
    first, last = copy("R_1", half("x"), single("a")), copy("R_3", single("b"), half("y"))
    engine = analyzed(first, conv("Conv_2", [single("a")], single("b")), last, ms=[0.1, 1.0, 0.1])
    assert not findings(NAME, engine)


def test_no_cast_is_named_where_there_is_none() -> None:
    layers = (LAYERS[0], work("Softmax_3", "SoftMax", [single("b")], single("c")), LAYERS[4])
    (found,) = findings(NAME, analyzed(*layers, ms=(0.4, 0.1, 0.4), Precision="FP32+FP16"))
    assert not any("Cast" in step for step in found.fix)
    (found,) = findings(NAME, analyzed(*LAYERS, ms=MS, Precision="FP32+FP16"))
    assert "remove Casts to FP32" in found.fix[0]


def test_little_time_and_builds_for_fp32_are_no_finding() -> None:
    assert not findings(NAME, analyzed(*LAYERS, ms=MS, Precision="FP32+FP16"), share=20.0)
    assert not findings(NAME, analyzed(*LAYERS, ms=MS, Precision="FP32"))
    assert not findings(NAME, analyzed(work("a", "PointWise", [single("x")], single("y")), ms=[1.0]))


def test_without_times_it_is_unchecked() -> None:
    (answer,) = unchecked(NAME, analyzed(*LAYERS, Precision="FP32+FP16"))
    assert answer.layers == (2,)


def timed(single_ms: float, half_ms: float) -> AnalyzedEngine:
    """The engine with a verbose log in which the builder timed the softmax in both precisions."""
    plan = analyzed(*LAYERS, ms=MS, Precision="FP32+FP16").plan
    timings = tuple(
        FormatTiming(LAYERS[2].name, (type_,), (type_,), 1, ms)
        for type_, ms in ((DataType.FP32, single_ms), (DataType.FP16, half_ms))
    )
    plan.build_metadata = replace(plan.build_metadata, format_timings=timings)
    return AnalyzedEngine(Performance(plan))


@pytest.mark.parametrize(("single_ms", "half_ms"), [(0.0068, 0.00822), (0.0068, 0.0068), (0.0068, 0.00675)])
def test_what_the_builder_found_no_faster_is_no_finding(single_ms: float, half_ms: float) -> None:
    assert not findings(NAME, timed(single_ms, half_ms))


def test_what_the_builder_measured_is_the_price() -> None:
    (found,) = findings(NAME, timed(0.010, 0.009))
    assert found.savings == pytest.approx({2: 0.1 * 0.1, 1: 0.05, 3: 0.05})
    (found,) = findings(NAME, timed(0.010, 0.001))
    assert found.savings == pytest.approx({2: 0.1 * 0.9, 1: 0.05, 3: 0.05})  # more than half, as measured


def test_float_sums_of_quantized_convolutions_do_not_count():
    layers = [
        work("Conv_1", "correlation", [int8("x")], single("c")),
        work("MulReluRoun_2", "kgen", [single("c")], int8("q")),
        work("Softmax_3", "kgen", [half("h")], half("y")),
    ]
    assert not findings(NAME, analyzed(*layers, ms=[1.0, 1.0, 1.0]))


# ---- The defect that tests plant into engines, and its sound twin


PLANTER = pair(single_layers)
