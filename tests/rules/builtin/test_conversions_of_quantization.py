"""What quantization costs in conversions, against what it can save."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.inspections import conv, copy, findings, half, inspect, int8, of_engine, single, unanswered
from trex.rules.finding import Severity

NAME = "conversions-of-quantization"


def engine(ms: tuple[float, ...]):
    return inspect(
        copy("QuantizeLinear_1", single("x"), int8("a"), "QDQ"),
        conv("Conv_2", [int8("a")], half("b")),
        copy("QuantizeLinear_3", half("b"), int8("c"), "QDQ"),
        conv("Conv_4", [int8("c")], int8("y")),
        ms=ms,
    )


def test_the_borders_inside_are_counted() -> None:
    (found,) = findings(NAME, engine((0.3, 0.4, 0.1, 0.2)))
    assert found.at_stake == pytest.approx({2: 0.1})  # the one at the input is expected
    assert "1 kernels only convert" not in found.message
    assert "at most 0.6 ms are saved" in found.message and found.severity is None


def test_quantization_that_cannot_have_paid() -> None:
    (found,) = findings(NAME, engine((0.1, 0.1, 0.5, 0.1)))
    assert "cannot have paid" in found.message and found.severity is Severity.ERROR


def test_cheap_conversions_are_no_finding() -> None:
    assert not findings(NAME, engine((0.1, 1.0, 0.01, 1.0)))
    assert not findings(NAME, inspect(conv("Conv_1", [half("x")], half("y")), ms=[1.0]))


def test_without_times_it_cannot_tell() -> None:
    (answer,) = unanswered(NAME, engine(()))
    assert "without a profile" in answer.reason and answer.layers == (2,)


def test_the_published_story(shared_engines: Path) -> None:
    (found,) = findings(NAME, of_engine(shared_engines / "trt8.4-resnet18-a100-qat"))
    assert "10 kernels only convert between types: 0.208 ms (19.0 % of the time)" in found.message
    assert not findings(NAME, of_engine(shared_engines / "trt8.4-resnet18-a100-qat-residual-qgap"))
