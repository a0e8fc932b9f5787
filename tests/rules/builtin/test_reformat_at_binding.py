"""Reformats at inputs and outputs, which are expected and say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.factories import t
from tests.rules.inspections import conv, copy, findings, half, inspect, int8, of_engine, single
from trex.rules.finding import Severity

NAME = "reformat-at-binding"


def test_an_input_in_another_layout() -> None:
    seen = inspect(
        copy("R1", single("x"), half("a", format="NHWC8")),
        conv("Conv_1", [half("a", format="NHWC8")], half("b", format="NHWC8")),
        copy("R2", half("b", format="NHWC8"), single("y")),
        ms=[0.2, 0.5, 0.3],
    )
    first, second = findings(NAME, seen)
    assert first.message == "R1 at the input x turns FP32 NCHW into FP16 NHWC8: expected, 0.2 ms (20.0 % of the time)"
    assert "--inputIOFormats=fp16:hwc8" in first.advice[1]
    assert first.at_stake == pytest.approx({0: 0.2}) and first.tensors == ("x",)
    assert "at the output y turns" in second.message and "--outputIOFormats=fp16:hwc8" in second.advice[1]


def test_layouts_without_a_word_and_unknown_times() -> None:
    seen = inspect(
        copy("R1", single("x"), half("a", format="NHWC4")), conv("Conv_1", [half("a", format="NHWC4")], half("y"))
    )
    (found,) = findings(NAME, seen)
    assert "has no word for NHWC4" in found.advice[1] and found.at_stake == {}


@pytest.mark.parametrize(("type_", "is_a_flag"), [("INT8", True), ("FP8", False)])
def test_an_input_that_is_quantized_first(type_: str, is_a_flag: bool) -> None:
    """The flag has a word for INT8 and none for FP8: engines with that have their inputs from the model."""
    seen = inspect(
        copy("R1", half("x"), t("a", type=type_)), conv("Conv_1", [t("a", type=type_)], half("y")), ms=[0.2, 1.0]
    )
    (found,) = findings(NAME, seen)
    assert "cut the first QuantizeLinear off the ONNX model" in found.advice[1]
    assert ("--inputIOFormats=int8:chw" in found.advice[1]) is is_a_flag


def test_reformats_inside_are_no_finding() -> None:
    seen = inspect(
        conv("Conv_1", [half("x")], half("a")), copy("R1", half("a"), int8("b")), conv("Conv_2", [int8("b")], int8("y"))
    )
    assert not findings(NAME, seen)


def test_the_one_that_is_left(shared_engines: Path) -> None:
    (found,) = findings(NAME, of_engine(shared_engines / "trt8.4-resnet18-a100-qat-residual-qgap"))
    assert found.message == (
        "QuantizeLinear_2 at the input input.1 quantizes FP32 NCHW into INT8 NCHW: expected, "
        "0.0952 ms (14.2 % of the time); it is the engine's only reformat"
    )
    assert found.severity is None and "leave it" in found.advice[0]


def test_it_is_a_note() -> None:
    from trex.rules.rule import RULES

    assert RULES.chosen(NAME).value.severity is Severity.NOTE
