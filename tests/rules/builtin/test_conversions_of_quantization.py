"""What quantization costs in conversions, against what it can save."""

from __future__ import annotations

import pytest

from tests.rules.cases import analyzed, conv, copy, findings, half, int8, single, unchecked, work
from tests.rules.planting import Parts, float_layers, pair
from trex.core.tensor import Tensor
from trex.rules.finding import Severity

NAME = "conversions-of-quantization"


def engine(ms: tuple[float, ...]):
    return analyzed(
        copy("QuantizeLinear_1", single("x"), int8("a"), "QDQ"),
        conv("Conv_2", [int8("a")], half("b")),
        copy("QuantizeLinear_3", half("b"), int8("c"), "QDQ"),
        conv("Conv_4", [int8("c")], int8("y")),
        ms=ms,
    )


def test_the_conversions_inside_are_counted() -> None:
    (found,) = findings(NAME, engine((0.3, 0.4, 0.1, 0.2)))
    assert found.savings == pytest.approx({2: 0.1})  # the one at the input is expected
    assert "1 kernels only convert" not in found.message
    assert "save at most their own time, 0.6 ms" in found.message and found.severity is None


def test_quantization_that_cannot_have_paid() -> None:
    (found,) = findings(NAME, engine((0.1, 0.1, 0.5, 0.1)))
    assert "does not pay" in found.message and found.severity is Severity.ERROR


def test_cheap_conversions_are_no_finding() -> None:
    assert not findings(NAME, engine((0.1, 1.0, 0.01, 1.0)))
    assert not findings(NAME, analyzed(conv("Conv_1", [half("x")], half("y")), ms=[1.0]))


def test_eight_bits_without_a_quantized_product_are_no_quantization() -> None:
    """Masks and labels have eight bits, too."""
    masked = analyzed(
        copy("Cast_1", single("a"), int8("b"), "CAST"),
        work("Gather_2", "Gather", [int8("b")], int8("c")),
        copy("Cast_3", int8("c"), single("d"), "CAST"),
        conv("Conv_4", [single("d")], single("y")),
        ms=[0.4, 0.1, 0.4, 0.1],
    )
    assert not findings(NAME, masked)


def test_without_times_it_is_unchecked() -> None:
    (answer,) = unchecked(NAME, engine(()))
    assert "without a profile" in answer.reason and answer.layers == (2,)


# ---- The defect that tests plant into engines, and its sound twin


def conversions(x: Tensor, bad: bool) -> Parts:
    """An island whose conversions take much of the time, or next to nothing."""
    cost = 0.06 if bad else 0.001
    return [(layer, cost if layer.type == "Reformat" else part) for layer, part in float_layers(x, True)]


PLANTER = pair(conversions)
