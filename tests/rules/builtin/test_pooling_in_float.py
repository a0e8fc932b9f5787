"""Poolings in floats between quantized layers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.inspections import conv, copy, findings, half, inspect, int8, of_engine, work

NAME = "pooling-in-float"


def test_a_pooling_in_floats() -> None:
    seen = inspect(
        conv("Conv_1", [int8("x")], half("a")),
        work("MaxPool_2", "Pooling", [half("a")], half("b")),
        copy("QuantizeLinear_3", half("b"), int8("c"), "QDQ"),
        conv("Conv_4", [int8("c")], int8("y")),
        ms=[0.4, 0.2, 0.1, 0.4],
    )
    (found,) = findings(NAME, seen)
    assert "MaxPool_2 runs in FP16 between quantized layers: Conv_1 writes floats for it" in found.message
    assert "ConvActPool" in found.advice[1]
    # as one kernel: no pooling, no conversion, and the convolution writes none of its 8192 of 4096 + 8192 + 4096 bytes
    assert found.at_stake == pytest.approx({2: 0.1, 1: 0.2, 0: 0.4 * 8192 / 16384})


def test_an_average_pooling_stays_a_kernel() -> None:
    seen = inspect(
        conv("Conv_1", [int8("x")], half("a")),
        work("AveragePool_2", "Pooling", [half("a")], half("b")),
        copy("QuantizeLinear_3", half("b"), int8("y"), "QDQ"),
        ms=[0.4, 0.2, 0.1],
    )
    (found,) = findings(NAME, seen)
    # its bytes halve; the convolution writes 4096 of its 16384 bytes less
    assert found.at_stake == pytest.approx({2: 0.1, 1: 0.1, 0: 0.4 * 4096 / 16384})


def test_quantized_poolings_and_last_ones_are_no_finding() -> None:
    quantized = inspect(conv("Conv_1", [int8("x")], int8("a")), work("MaxPool_2", "Pooling", [int8("a")], int8("y")))
    last = inspect(conv("Conv_1", [int8("x")], half("a")), work("MaxPool_2", "Pooling", [half("a")], half("y")))
    assert not findings(NAME, quantized) and not findings(NAME, last)


def test_what_remains_in_the_published_story(shared_engines: Path) -> None:
    before, (left,), after = (
        findings(NAME, of_engine(shared_engines / f"trt8.4-resnet18-a100-{name}"))
        for name in ("qat", "qat-residual", "qat-residual-qgap")
    )
    assert len(before) == 2 and not after
    assert left.message.startswith(
        "GlobalAveragePool_294 runs in FP32 between quantized layers: Conv_284 writes floats"
    )
    assert "QuantizeLinear_298" in left.message


def test_without_times() -> None:
    seen = inspect(
        conv("Conv_1", [int8("x")], half("a")),
        work("AveragePool_2", "Pooling", [half("a")], half("b")),
        copy("QuantizeLinear_3", half("b"), int8("y"), "QDQ"),
    )
    (found,) = findings(NAME, seen)
    assert found.at_stake == {} and "an unknown time" in found.message
