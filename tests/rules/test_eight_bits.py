"""What quantized layers that write floats save in 8 bits, as other layers of their engine show."""

from __future__ import annotations

import random

import pytest

from tests.rules.cases import analyzed, conv, half, int8
from trex.rules.eight_bits import _shortest


def test_the_fastest_layer_with_as_much_work_is_the_example() -> None:
    random.seed(7)
    for _ in range(200):
        size = random.randrange(1, 12)
        demands = [
            [(random.randrange(5), random.randrange(5), random.randrange(1, 9), at) for at in range(size)]
            for _ in range(2)
        ]
        wanted, examples = demands
        expected = {}
        for macs, moved, _, at in wanted:
            times = [ms for more, larger, ms, _ in examples if more >= macs and larger >= moved]
            if times:
                expected[at] = min(times)
        assert _shortest(wanted, examples) == expected


def test_a_float_writer_takes_as_long_as_its_twin_that_writes_8_bits() -> None:
    slow = conv("Conv_0", [int8("x")], half("y"))
    twin = conv("Conv_1", [int8("a")], int8("b"))
    engine = analyzed(slow, twin, ms=[0.5, 0.2])
    assert engine.eight_bits.share(0, slow.outputs) == pytest.approx(1 - 0.2 / 0.5)


def test_without_one_the_bytes_count() -> None:
    slow = conv("Conv_0", [int8("x")], half("y"))
    engine = analyzed(slow, ms=[0.5])
    moved = slow.total_footprint_bytes
    assert moved is not None
    assert engine.eight_bits.share(0, slow.outputs) == pytest.approx(slow.outputs[0].size_bytes / 2 / moved)
    assert engine.eight_bits.share(0, slow.inputs) == 0.0


def test_arithmetic_is_not_saved() -> None:
    slow = conv("Conv_0", [int8("x")], half("y"))
    engine = analyzed(slow, ms=[0.5])
    engine.eight_bits._compute_ms[0] = 0.4
    assert engine.eight_bits.share_of_bytes(0, 0.5) == pytest.approx(0.5 * 0.1 / 0.5)
    engine.eight_bits._compute_ms[0] = 0.6
    assert engine.eight_bits.share_of_bytes(0, 0.5) == 0.0
