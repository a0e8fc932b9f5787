"""Islands of floats between quantized layers."""

from __future__ import annotations

import pytest

from tests.rules.cases import analyzed, conv, copy, findings, half, int8, work
from tests.rules.planting import float_layers, pair

NAME = "float-island"


def island(kind: str = "PointWise", ms: tuple[float, ...] = (0.4, 0.1, 0.2, 0.1, 0.5)):
    return analyzed(
        conv("Conv_1", [int8("x")], int8("a")),
        copy("DequantizeLinear_2", int8("a"), half("b"), "QDQ"),
        work("Sigmoid_3", kind, [half("b")], half("c")),
        copy("QuantizeLinear_4", half("c"), int8("d"), "QDQ"),
        conv("Conv_5", [int8("d")], int8("y")),
        ms=ms,
    )


def test_an_island_is_named_with_its_conversions() -> None:
    (found,) = findings(NAME, island())
    assert "Sigmoid_3 runs in floats between quantized layers: 2 conversions take 0.2 ms" in found.message
    assert found.savings == pytest.approx({1: 0.1, 3: 0.1, 2: 0.1})
    assert found.confidence == 0.8 and "QuantizeLinear/DequantizeLinear at the inputs" in found.fix[0]


def test_what_does_not_run_in_eight_bits_is_less_sure() -> None:
    (found,) = findings(NAME, island("SoftMax"))
    assert found.confidence == 0.4 and "leave its neighbors in floats" in found.fix[0]


def test_without_times_and_beyond_the_limit() -> None:
    (found,) = findings(NAME, island(ms=()))
    assert found.savings == {}
    assert not findings(NAME, island(), layers=0)


def test_no_island() -> None:
    engine = analyzed(conv("Conv_1", [int8("x")], int8("a")), conv("Conv_2", [int8("a")], int8("y")))
    assert not findings(NAME, engine)


# ---- The defect that tests plant into engines, and its sound twin


PLANTER = pair(float_layers)
