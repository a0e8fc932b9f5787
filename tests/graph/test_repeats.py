"""Runs against their plain definition, on patterns and on noise."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.graph.repeats import Run, find_runs


def plain(signs, period):
    """Every longest stretch with this period, by looking at each place."""
    first = 0
    for end in range(period, len(signs) + 1):
        if end == len(signs) or signs[end] != signs[end - period]:
            if end - first >= 2 * period:
                yield first, end
            first = end - period + 1


@given(st.lists(st.integers(0, 2), max_size=40))
def test_what_is_found_is_a_run(signs):
    for run in find_runs(signs):
        assert (run.first, run.end) in set(plain(signs, run.period))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(3, 9), st.data())
def test_what_comes_three_times_is_found(pattern, count, data):
    noise = st.lists(st.integers(100, 10_000), max_size=10, unique=True)
    before, behind = data.draw(noise), data.draw(noise)
    signs = [*before, *pattern * count, *behind]
    first, end = len(before), len(before) + len(pattern) * count
    assert any(run.first <= first and run.end >= end and len(pattern) % run.period == 0 for run in find_runs(signs))


def test_patterns_in_patterns():
    signs = [0, 0, 0, 1] * 5
    assert Run(0, 20, 4) in find_runs(signs)
    assert [run for run in find_runs(signs) if run.period == 1] == [Run(i, i + 3, 1) for i in range(0, 20, 4)]


def test_too_short_to_repeat():
    assert find_runs([]) == [] and find_runs([3]) == [] and find_runs([1, 2]) == []
    assert find_runs([7, 7]) == [Run(0, 2, 1)]


@pytest.mark.slow
def test_noise_and_hard_sequences_have_runs():
    source = random.Random(4)
    fibonacci = [0, 1]
    while len(fibonacci) < 20_000:
        fibonacci = [*fibonacci, *fibonacci[: round(len(fibonacci) * 0.618)]]
    for signs in (
        [source.randrange(3) for _ in range(20_000)],
        [source.randrange(9000) for _ in range(20_000)],
        [0] * 20_000,
        fibonacci,
        [round(i**0.5) for i in range(20_000)],
    ):
        runs = find_runs(signs)
        assert all(0 <= run.first < run.end <= len(signs) for run in runs)
