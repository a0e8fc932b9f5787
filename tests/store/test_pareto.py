"""The Pareto front."""

from __future__ import annotations

from bisect import bisect_right
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trex.store import pareto
from trex.store.pareto import pareto_front

POINTS = st.integers(1, 4).flatmap(
    lambda size: st.lists(st.tuples(*[st.sampled_from((-0.0, 0.0, 1.0, 2.0, 3.0))] * size), min_size=1, max_size=30)
)


@settings(max_examples=60, deadline=None)
@given(POINTS)
def test_as_by_definition(points: list[tuple[float, ...]]) -> None:
    values = np.array(points)
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


def test_a_large_front_takes_few_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    bisect = Mock(side_effect=bisect_right)
    monkeypatch.setattr(pareto, "bisect_right", bisect)
    time = np.arange(3000.0).repeat(2)
    assert pareto_front(np.column_stack((time, -time, time % 7))).tolist() == list(range(6000))
    assert bisect.call_count == 3000
