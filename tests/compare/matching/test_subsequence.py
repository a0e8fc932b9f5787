"""Common subsequences: equal items, ascending, the longest for similar sequences."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.compare.matching import subsequence
from trex.compare.matching.subsequence import common_subsequence


def longest(left: str, right: str) -> int:
    """The length by the textbook's table."""
    row = [0] * (len(right) + 1)
    for item in left:
        before, row = row, [0]
        for place, other in enumerate(right):
            row.append(before[place] + 1 if item == other else max(row[-1], before[place + 1]))
    return row[-1]


@given(st.text("abc", max_size=24), st.text("abc", max_size=24))
def test_pairs_are_equal_and_ascend(left: str, right: str) -> None:
    pairs = common_subsequence(left, right)
    assert all(left[one] == right[other] for one, other in pairs)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(pairs))
    assert len(pairs) <= longest(left, right)


@pytest.mark.parametrize(
    ("left", "right", "length"), [("abcabba", "cbabac", 4), ("aaaa", "aa", 2), ("", "abc", 0), ("abab", "baba", 3)]
)
def test_without_unique_items_it_is_the_longest(left: str, right: str, length: int) -> None:
    assert len(common_subsequence(left, right)) == length == longest(left, right)


def test_long_similar_sequences() -> None:
    chance = random.Random(3)
    left = [chance.randrange(40) for _ in range(4000)]
    right = [item for item in left if chance.random() > 0.02]
    assert len(common_subsequence(left, right)) >= 0.99 * len(right)


def test_disjoint_sequences() -> None:
    assert common_subsequence(list(range(3000)), list(range(5000, 8000))) == []
    assert common_subsequence([0, 1] * 2000, [2, 3] * 2000) == []


class Counted(int):
    """A number that counts how often it is looked up."""

    lookups = 0

    def __hash__(self) -> int:
        Counted.lookups += 1
        return super().__hash__()


def test_items_that_become_unique_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subsequence, "MOST_ROUNDS", 4)
    monkeypatch.setattr(Counted, "lookups", 0)
    left = [Counted(item) for item in (1, 0, *(item for at in range(2, 300) for item in (at, at - 1)))]
    right = [Counted(-1)]
    for first, second in zip(left[::2], left[1::2]):
        right += [first, second, Counted(-1)]
    pairs = common_subsequence(left, right)
    assert len(pairs) > 0.5 * len(left)
    assert all(left[one] == right[other] for one, other in pairs)
    assert Counted.lookups < 5 * 4 * (len(left) + len(right))
