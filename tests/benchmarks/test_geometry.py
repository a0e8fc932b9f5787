"""What is counted in a picture, on pictures whose counts are plain to see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.benchmarks.geometry import Crossings, Drawn, boxes_run_over, crossings, sampled


def drawn(*wires: Any, nets: Any = None, boxes: Sequence[Any] = ()) -> Drawn:
    lines = tuple(np.array(wire, float) for wire in wires)
    ends = tuple((0, 0) for _ in lines)
    return Drawn(np.array(boxes, float).reshape(-1, 4), lines, ends, tuple(nets or range(len(lines))))


DOWN, ACROSS = [(5, 0), (5, 10)], [(0, 5), (10, 5)]


def test_two_lines_cross_once() -> None:
    assert crossings(drawn(DOWN, ACROSS)) == Crossings(1, 1)
    assert crossings(drawn(DOWN, [(6, 0), (6, 10)])) == Crossings(0, 0)
    assert crossings(drawn(DOWN)) == crossings(drawn()) == Crossings(0, 0)


def test_wires_of_one_value_do_not_cross_one_another() -> None:
    assert crossings(drawn(DOWN, ACROSS, nets=["a", "a"])) == Crossings(0, 0)


def test_what_crosses_wires_on_one_line_is_seen_once() -> None:
    assert crossings(drawn(DOWN, DOWN, DOWN, ACROSS, nets=["a", "a", "a", "b"])) == Crossings(1, 3)


def test_lines_that_change_sides_while_they_lie_on_one_another_cross() -> None:
    left_to_right = [(0, 0), (5, 3), (5, 7), (10, 10)]
    right_to_left = [(10, 0), (5, 3), (5, 7), (0, 10)]
    assert crossings(drawn(left_to_right, right_to_left)).seen == 1
    assert crossings(drawn(left_to_right, [(10, 0), (5.5, 3), (5.5, 7), (10.5, 10)])).seen == 0


def test_lines_that_meet_at_a_box_do_not_cross() -> None:
    assert crossings(drawn([(0, 0), (5, 10)], [(10, 0), (5, 10)])).seen == 0


def test_a_curve_that_swings_over_a_line_crosses_it_twice() -> None:
    curve = sampled((0, 0), [(20, 0, 20, 10, 0, 10)])
    assert len(curve) == 13
    assert crossings(drawn(DOWN, curve)).seen == 2


def test_length_is_of_every_wire() -> None:
    assert drawn(DOWN, [(0, 0), (3, 4), (3, 10)]).length == pytest.approx(10 + 5 + 6)


def test_boxes_that_wires_pass_through() -> None:
    box = (0, 0, 10, 10)
    inside, outside, on_its_edge = [(5, -5), (5, 15)], [(12, -5), (12, 15)], [(10, -5), (10, 15)]
    past_its_corner, into_it = [(8, -5), (16, 5)], [(5, -5), (5, 3)]
    for wire, count in ((inside, 1), (outside, 0), (on_its_edge, 0), (past_its_corner, 0), (into_it, 1)):
        assert boxes_run_over(drawn(wire, boxes=[box])) == count
    assert boxes_run_over(drawn(inside, inside, boxes=[box, (0, 12, 10, 14)])) == 4
    assert boxes_run_over(drawn(boxes=[box])) == 0
