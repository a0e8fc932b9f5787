"""The precision map: conversions by cost, islands of floats."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.cases import analyzed, conv, copy, half, int8, of_engine, single, work
from trex.rules.builtin.float_island import island_savings


def test_conversions_by_cost() -> None:
    engine = analyzed(
        copy("Q", single("x"), int8("a")),
        conv("Conv_1", [int8("a")], half("b")),
        copy("Q2", half("b"), int8("c")),
        copy("Q3", half("b"), int8("d")),
        conv("Conv_2", [int8("c")], int8("y")),
        ms=[0.3, 1.0, 0.2, 0.25, 1.0],
    )
    first, second, third = engine.precision_map.conversions
    assert (first.label, first.copies, first.fused, first.cost_ms) == ("FP16 → INT8", (2, 3), (), pytest.approx(0.45))
    assert (second.label, second.copies, second.cost_ms) == ("FP32 → INT8", (0,), pytest.approx(0.3))
    assert (third.label, third.copies, third.fused) == ("INT8 → FP16", (), (1,)) and third.cost_ms != third.cost_ms
    assert engine.precision_map.converting_copies == (0, 2, 3)
    assert engine.precision_map.islands == ()


def test_an_island_and_what_it_would_save() -> None:
    engine = analyzed(
        conv("Conv_1", [int8("x")], int8("a")),
        copy("DQ", int8("a"), half("b")),
        work("Sigmoid_2", "PointWise", [half("b")], half("c")),
        conv("Conv_3", [half("c")], half("d")),
        copy("R", half("d"), half("e", format="NHWC8")),
        copy("Q", half("e", format="NHWC8"), int8("f")),
        conv("Conv_4", [int8("f")], int8("y")),
        ms=[1.0, 0.1, 0.2, 0.4, 0.05, 0.1, 1.0],
    )
    (island,) = engine.precision_map.islands
    assert island.layers == (2, 3) and island.copies == (4,) and island.writers == ()
    assert island.entering == (1,) and island.leaving == (5,)
    # conversions whole; Sigmoid's bytes halve; the FP16 convolution is at best twice as fast
    assert island_savings(engine, island) == pytest.approx({1: 0.1, 4: 0.05, 5: 0.1, 2: 0.1, 3: 0.2})


def test_floats_at_the_ends_are_no_islands() -> None:
    engine = analyzed(
        work("Sigmoid_1", "PointWise", [half("x")], half("a")),
        copy("Q", half("a"), int8("b")),
        conv("Conv_2", [int8("b")], half("c")),
        work("Softmax_3", "SoftMax", [half("c")], half("y")),
    )
    assert engine.precision_map.islands == ()


def test_an_engine_without_layers() -> None:
    assert analyzed().precision_map.conversions == ()


def test_real_engines(shared_engines: Path) -> None:
    found = of_engine(shared_engines / "trt8.4-resnet18-a100-qat").precision_map
    conversions = [(each.label, len(each.copies)) for each in found.conversions]
    assert conversions[:2] == [
        ("FP16 → INT8", 9),
        ("FP32 → INT8", 1),
    ]
    assert [island.layers for island in found.islands] == [(2,), (32,)]
    assert of_engine(shared_engines / "trt8.4-resnet18-a100-qat-residual-qgap").precision_map.islands == ()
