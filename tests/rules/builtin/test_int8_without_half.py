"""Builds for INT8 or FP8 without FP16 beside it."""

from __future__ import annotations

import pytest

from tests.perf.round_device import round_device
from tests.rules.inspections import conv, findings, half, inspect, int8, single, unanswered, work
from trex.perf.performance import Performance
from trex.rules.analyzed_engine import Inspected

NAME = "int8-without-half"
LAYERS = (
    conv("Conv_1", [int8("x")], single("a")),
    work("Sigmoid_2", "PointWise", [single("a")], single("b")),
    conv("Conv_3", [single("b")], single("y")),
)


def test_layers_that_fall_back_are_named() -> None:
    (found,) = findings(NAME, inspect(*LAYERS, ms=[0.5, 0.2, 0.3], Precision="FP32+INT8"))
    assert "built for FP32+INT8 without FP16: 2 layers fall back to FP32, 0.5 ms (50.0 % of the time)" in found.message
    assert "Conv_3 and Sigmoid_2" in found.message  # the dearest first
    assert found.at_stake == pytest.approx({1: 0.1, 2: 0.3 * 15 / 16})
    assert "--int8 --fp16" in found.advice[0]


def test_a_known_device_bounds_what_is_at_stake() -> None:
    big = (32, 64, 64, 64)
    seen = inspect(
        conv("Conv_0", [int8("x", big)], single("a", big)),
        work("Sigmoid_1", "PointWise", [single("a", big)], single("y", big)),
        ms=[1.0, 1.0],
        Precision="FP32+INT8",
    )
    (found,) = findings(NAME, Inspected(Performance(seen.plan, round_device())))
    # 2 · 32·64·64·64 · 4 bytes over 500 GB/s, halved in FP16
    assert found.at_stake == pytest.approx({1: 1.0 - 2 * 32 * 64**3 * 4 / 500e9 * 1e3 / 2}, rel=0.02)


def test_with_half_precision_or_typed_models_it_is_no_finding() -> None:
    for told in ("FP32+FP16+INT8", "FP32", "Strongly Typed"):
        assert not findings(NAME, inspect(*LAYERS, Precision=told))
        assert not unanswered(NAME, inspect(*LAYERS, Precision=told)) or told == "Strongly Typed"


def test_without_the_options_of_the_build_it_cannot_tell() -> None:
    (answer,) = unanswered(NAME, inspect(*LAYERS))
    assert "options of its build are not known" in answer.reason and answer.layers == (1, 2)
    assert not unanswered(NAME, inspect(*LAYERS, work("c", "PointWise", [half("q")], half("r"))))
