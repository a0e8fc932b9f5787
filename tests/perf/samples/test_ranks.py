"""Ranks and rank correlation, by hand."""

from __future__ import annotations

import pytest

from trex.perf.samples.ranks import ranks, spearman


def test_equal_values_share_the_mean_of_their_ranks():
    ranked, counts = ranks([3.0, 1.0, 3.0, 2.0])
    assert (ranked.tolist(), counts.tolist()) == ([3.5, 1.0, 3.5, 2.0], [1, 1, 2])


def test_rank_correlation():
    assert spearman([1, 2, 3], [10, 20, 30]) == pytest.approx(1.0)
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1.0)
    assert spearman([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(0.9487, abs=1e-4)
    assert spearman([1], [2]) is None and spearman([1, 1], [1, 2]) is None and spearman([], []) is None
