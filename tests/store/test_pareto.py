"""The Pareto front."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from trex.store.pareto import pareto_front

POINTS = st.lists(st.tuples(*[st.integers(0, 5)] * 3), min_size=0, max_size=30)


@settings(max_examples=60, deadline=None)
@given(POINTS)
def test_as_by_definition(points: list[tuple[int, int, int]]) -> None:
    values = np.array(points, dtype=float).reshape(-1, 3)
    expected = {
        index
        for index, row in enumerate(values)
        if not any((other <= row).all() and (other < row).any() for other in values)
    }
    front = pareto_front(values).tolist()
    assert set(front) == expected and len(front) == len(expected)
    assert sorted(front, key=lambda index: tuple(values[index])) == front or len(set(map(tuple, values[front]))) < len(
        front
    )


def test_unknown_values_are_no_candidates() -> None:
    assert pareto_front([[1.0, np.nan], [2.0, 2.0], [3.0, 1.0]]).tolist() == [1, 2]
    assert pareto_front(np.empty((0, 2))).tolist() == []
