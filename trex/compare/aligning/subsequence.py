"""Two sequences → pairs of places of a common subsequence, longest where they are alike.

What occurs once on both sides in the same order divides the sequences ("patience"); between, Myers' greedy algorithm
("An O(ND) Difference Algorithm and Its Variations", 1986) finds the longest one in O((n + m) · d) for d differences; of
sequences that differ in more places than are tried, it goes on from the farthest of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

MOST_DIFFERENCES = 300


def common_subsequence(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """(place left, place right) of items that are equal, ascending on both sides."""
    found: list[tuple[int, int]] = []
    pending = [(0, len(left), 0, len(right))]
    while pending:
        low, high, their_low, their_high = pending.pop()
        while low < high and their_low < their_high and left[low] == right[their_low]:
            found.append((low, their_low))
            low, their_low = low + 1, their_low + 1
        while low < high and their_low < their_high and left[high - 1] == right[their_high - 1]:
            high, their_high = high - 1, their_high - 1
            found.append((high, their_high))
        if low == high or their_low == their_high:
            continue
        landmarks = _landmarks(left[low:high], right[their_low:their_high])
        if not landmarks:
            inner = _shortest_edit(left[low:high], right[their_low:their_high])
            found += [(low + one, their_low + other) for one, other in inner]
            continue
        at, their_at = low, their_low
        for one, other in landmarks:
            found.append((low + one, their_low + other))
            pending.append((at, low + one, their_at, their_low + other))
            at, their_at = low + one + 1, their_low + other + 1
        pending.append((at, high, their_at, their_high))
    return sorted(found)


def _landmarks(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Items that both sides have once, the longest run of them that is in the same order."""
    mine, theirs = Counter(left), Counter(right)
    place_of = {item: place for place, item in enumerate(right) if theirs[item] == 1}
    pairs = [(place, place_of[item]) for place, item in enumerate(left) if mine[item] == 1 and item in place_of]
    return [pairs[number] for number in ascending([other for _, other in pairs])]


def ascending(values: Sequence[int]) -> list[int]:
    """Places of the longest run of values that ascend, in O(n log n)."""
    ends: list[int] = []
    last: list[int] = []
    previous: list[int] = []
    for number, value in enumerate(values):
        seat = bisect_left(ends, value)
        previous.append(last[seat - 1] if seat else -1)
        if seat == len(ends):
            ends.append(value)
            last.append(number)
        else:
            ends[seat], last[seat] = value, number
    found = []
    number = last[-1] if last else -1
    while number >= 0:
        found.append(number)
        number = previous[number]
    return found[::-1]


def _shortest_edit(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Longest where the sides differ in up to ``MOST_DIFFERENCES`` places; beyond them the path that came farthest is
    taken, and what is behind its end is another such problem.
    """
    found: list[tuple[int, int]] = []
    at, their_at = 0, 0
    while at < len(left) and their_at < len(right):
        pairs, end, their_end = _greedy(left, right, at, their_at)
        found += pairs
        at, their_at = end, their_end
    return found


def _greedy(
    left: Sequence[Hashable], right: Sequence[Hashable], at: int, their_at: int
) -> tuple[list[tuple[int, int]], int, int]:
    """(pairs, the places where they end) of the farthest path from two places with so many differences."""
    n, m = len(left) - at, len(right) - their_at
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    for differences in range(min(n + m, MOST_DIFFERENCES) + 1):
        trace.append(dict(reach))
        for diagonal in range(-differences, differences + 1, 2):
            if not -m <= diagonal <= n:
                continue
            down = diagonal == -differences or (
                diagonal != differences and reach.get(diagonal - 1, -1) < reach.get(diagonal + 1, -1)
            )
            x = reach.get(diagonal + 1, 0) if down else reach.get(diagonal - 1, 0) + 1
            y = x - diagonal
            while x < n and y < m and left[at + x] == right[their_at + y]:
                x, y = x + 1, y + 1
            reach[diagonal] = x
            if x >= n and y >= m:
                return _shifted(_walked_back(trace, n, m), at, their_at), len(left), len(right)
    inside = ((x, diagonal) for diagonal, x in reach.items() if 0 <= x <= n and 0 <= x - diagonal <= m)
    x, diagonal = max(inside, key=lambda each: 2 * each[0] - each[1], default=(n, n - m))
    pairs = _walked_back(trace, x, x - diagonal)
    return _shifted(pairs, at, their_at), at + max(x, 1), their_at + max(x - diagonal, 1)


def _shifted(pairs: list[tuple[int, int]], at: int, their_at: int) -> list[tuple[int, int]]:
    return [(at + one, their_at + other) for one, other in pairs]


def _walked_back(trace: Sequence[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for differences in range(len(trace) - 1, -1, -1):
        reach = trace[differences]
        diagonal = x - y
        down = diagonal == -differences or (
            diagonal != differences and reach.get(diagonal - 1, -1) < reach.get(diagonal + 1, -1)
        )
        before = diagonal + 1 if down else diagonal - 1
        start_x = reach.get(before, 0)
        start_y = start_x - before
        while x > max(start_x, 0) and y > max(start_y, 0):
            x, y = x - 1, y - 1
            found.append((x, y))
        x, y = start_x, start_y
    return found[::-1]


def best_pairs(left: int, right: int, score: Callable[[int, int], float]) -> list[tuple[int, int]]:
    """Pairs in the same order on both sides of which the scores add up to the most (Needleman and Wunsch, 1970).

    score: of a place on the left and one on the right, 0.0 where they are no pair. Takes ``left`` · ``right`` steps.
    """
    best = [[0.0] * (right + 1)]
    for one in range(left):
        above, row = best[-1], [0.0]
        for other in range(right):
            given = score(one, other)
            most = max(above[other + 1], row[other])
            row.append(max(most, above[other] + given) if given > 0.0 else most)
        best.append(row)
    found = []
    one, other = left, right
    while one and other:
        if best[one][other] == best[one - 1][other]:
            one -= 1
        elif best[one][other] == best[one][other - 1]:
            other -= 1
        else:
            one, other = one - 1, other - 1
            found.append((one, other))
    return found[::-1]
