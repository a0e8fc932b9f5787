"""Islands of floats between quantized layers."""

from __future__ import annotations

import pytest

from tests.rules.cases import analyzed, conv, copy, findings, half, int8, work
from tests.rules.planting import Ground, Parts, Planter, float_layers, half_like, int8_like, pair, quantized
from trex.core.tensor import Tensor

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
    assert "Sigmoid_3 runs in FP16 between quantized layers: DequantizeLinear_2 writes floats for it" in found.message
    assert found.savings == pytest.approx({1: 0.1, 3: 0.1, 2: 0.1})
    assert found.confidence == 0.8 and "QuantizeLinear/DequantizeLinear directly before" in found.fix[0]


def test_what_does_not_run_in_eight_bits_is_less_sure() -> None:
    (found,) = findings(NAME, island("SoftMax"))
    assert found.confidence == 0.4 and "leave its neighbors in floats" in found.fix[0]


def test_attention_between_quantized_projections_stays_in_floats() -> None:
    engine = analyzed(
        conv("Conv_1", [int8("x")], half("q")),
        work("MatMul_2", "MatrixMultiply", [half("q"), half("q")], half("s")),
        work("Softmax_3", "SoftMax", [half("s")], half("p")),
        work("MatMul_4", "MatrixMultiply", [half("p"), half("q")], half("c")),
        copy("QuantizeLinear_5", half("c"), int8("d"), "QDQ"),
        conv("Conv_6", [int8("d")], int8("y")),
        ms=(0.4, 0.1, 0.1, 0.1, 0.1, 0.4),
    )
    assert engine.precision_map.islands and not findings(NAME, engine)


def test_without_times_and_beyond_the_limit() -> None:
    (found,) = findings(NAME, island(ms=()))
    assert found.savings == {}
    assert not findings(NAME, island(), layers=0)


def test_no_island() -> None:
    engine = analyzed(conv("Conv_1", [int8("x")], int8("a")), conv("Conv_2", [int8("a")], int8("y")))
    assert not findings(NAME, engine)


def test_a_pooling_in_floats() -> None:
    engine = analyzed(
        conv("Conv_1", [int8("x")], half("a")),
        work("MaxPool_2", "Pooling", [half("a")], half("b")),
        copy("QuantizeLinear_3", half("b"), int8("c"), "QDQ"),
        conv("Conv_4", [int8("c")], int8("y")),
        ms=[0.4, 0.2, 0.1, 0.4],
    )
    (found,) = findings(NAME, engine)
    assert "MaxPool_2 runs in FP16 between quantized layers: Conv_1 writes floats for it" in found.message
    assert "ConvActPool" in found.fix[1] and found.confidence == 0.9
    assert not any("average" in step for step in found.fix)
    # as one kernel: no pooling, no conversion, and the convolution writes none of its 8192 of 4096 + 8192 + 4096 bytes
    assert found.savings == pytest.approx({2: 0.1, 1: 0.2, 0: 0.4 * 8192 / 16384})


def test_an_average_pooling_stays_a_kernel() -> None:
    engine = analyzed(
        conv("Conv_1", [int8("x")], half("a")),
        work("AveragePool_2", "Pooling", [half("a")], half("b")),
        copy("QuantizeLinear_3", half("b"), int8("y"), "QDQ"),
        ms=[0.4, 0.2, 0.1],
    )
    (found,) = findings(NAME, engine)
    # its bytes halve; the convolution writes 4096 of its 16384 bytes less
    assert found.savings == pytest.approx({2: 0.1, 1: 0.1, 0: 0.4 * 4096 / 16384})
    assert not any("max pooling" in step for step in found.fix) and "needs a scale" in found.fix[1]


def test_quantized_poolings_and_last_ones_are_no_finding() -> None:
    quantized = analyzed(conv("Conv_1", [int8("x")], int8("a")), work("MaxPool_2", "Pooling", [int8("a")], int8("y")))
    last = analyzed(conv("Conv_1", [int8("x")], half("a")), work("MaxPool_2", "Pooling", [half("a")], half("y")))
    assert not findings(NAME, quantized) and not findings(NAME, last)


def test_a_pooling_without_times() -> None:
    engine = analyzed(
        conv("Conv_1", [int8("x")], half("a")),
        work("AveragePool_2", "Pooling", [half("a")], half("b")),
        copy("QuantizeLinear_3", half("b"), int8("y"), "QDQ"),
    )
    (found,) = findings(NAME, engine)
    assert found.savings == {} and "unknown time" in found.message


# ---- The defect that tests plant into engines, and its sound twin


def pooled(x: Tensor, bad: bool) -> Parts:
    def body(q: Tensor) -> Parts:
        kind = half_like if bad else int8_like
        parts = [
            (conv("Conv_902", [q], kind(x, "a902")), 0.05),
            (work("MaxPool_903", "Pooling", [kind(x, "a902")], kind(x, "b903")), 0.04),
        ]
        if bad:
            parts.append((copy("QuantizeLinear_904", half_like(x, "b903"), int8_like(x, "c904"), "QDQ"), 0.02))
        return [*parts, (conv("Conv_905", [int8_like(x, "c904" if bad else "b903")], int8_like(x, "e905")), 0.05)]

    return quantized(x, body)


def either(*planters: Planter) -> Planter:
    """One of them, by the engine's random numbers."""

    def plant(ground: Ground) -> None:
        ground.random.choice(planters).plant(ground)

    def sound(ground: Ground) -> None:
        twin = ground.random.choice(planters).sound
        assert twin is not None
        twin(ground)

    return Planter(plant, sound)


PLANTER = either(pair(float_layers), pair(pooled))
