"""Common subsequences of two sequences, as pairs of indexes.

Items that occur once on both sides divide the sequences ("patience diff"). In between, Myers' greedy algorithm ("An
O(ND) Difference Algorithm and Its Variations", 1986) finds the longest subsequence in O((n + m) · d) for d differences.
Beyond a limit of differences it continues from the farthest point.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

MOST_DIFFERENCES = 300
MOST_ROUNDS = 50
"""How often each item may be counted in the search for unique ones, on average."""


def common_subsequence(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """(index left, index right) of equal items, ascending on both sides."""
    pairs: list[tuple[int, int]] = []
    pending = [(0, len(left), 0, len(right))]
    room = MOST_ROUNDS * (len(left) + len(right))
    while pending:
        low, high, right_low, right_high = pending.pop()
        while low < high and right_low < right_high and left[low] == right[right_low]:
            pairs.append((low, right_low))
            low, right_low = low + 1, right_low + 1
        while low < high and right_low < right_high and left[high - 1] == right[right_high - 1]:
            high, right_high = high - 1, right_high - 1
            pairs.append((high, right_high))
        if low == high or right_low == right_high:
            continue
        room -= high - low + right_high - right_low
        unique = _unique_items(left[low:high], right[right_low:right_high]) if room >= 0 else []
        if not unique:
            inner = _shortest_edit(left[low:high], right[right_low:right_high])
            pairs += [(low + one, right_low + other) for one, other in inner]
            continue
        at, right_at = low, right_low
        for one, other in unique:
            pairs.append((low + one, right_low + other))
            pending.append((at, low + one, right_at, right_low + other))
            at, right_at = low + one + 1, right_low + other + 1
        pending.append((at, high, right_at, right_high))
    return sorted(pairs)


def _unique_items(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Items that occur once on each side, reduced to the longest run in the same order."""
    counts, right_counts = Counter(left), Counter(right)
    index_of = {item: index for index, item in enumerate(right) if right_counts[item] == 1}
    pairs = [(index, index_of[item]) for index, item in enumerate(left) if counts[item] == 1 and item in index_of]
    return [pairs[number] for number in ascending([other for _, other in pairs])]


def ascending(values: Sequence[int]) -> list[int]:
    """Indexes of the longest ascending subsequence, in O(n log n)."""
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
    chain = []
    number = last[-1] if last else -1
    while number >= 0:
        chain.append(number)
        number = previous[number]
    return chain[::-1]


def _shortest_edit(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """The longest subsequence if the sides differ in up to ``MOST_DIFFERENCES`` items; beyond them, the path that came
    farthest, and so on from its end.
    """
    pairs: list[tuple[int, int]] = []
    at, right_at = 0, 0
    while at < len(left) and right_at < len(right):
        found_pairs, at, right_at = _greedy(left, right, at, right_at)
        pairs += found_pairs
    return pairs


def _greedy(
    left: Sequence[Hashable], right: Sequence[Hashable], at: int, right_at: int
) -> tuple[list[tuple[int, int]], int, int]:
    """(pairs, the indexes where they end) of the farthest path within the limit of differences."""
    n, m = len(left) - at, len(right) - right_at
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
            while x < n and y < m and left[at + x] == right[right_at + y]:
                x, y = x + 1, y + 1
            reach[diagonal] = x
            if x >= n and y >= m:
                return _shifted(_walked_back(trace, n, m), at, right_at), len(left), len(right)
    inside = ((x, diagonal) for diagonal, x in reach.items() if 0 <= x <= n and 0 <= x - diagonal <= m)
    x, diagonal = max(inside, key=lambda end: 2 * end[0] - end[1], default=(n, n - m))
    pairs = _walked_back(trace, x, x - diagonal)
    return _shifted(pairs, at, right_at), at + max(x, 1), right_at + max(x - diagonal, 1)


def _shifted(pairs: list[tuple[int, int]], at: int, right_at: int) -> list[tuple[int, int]]:
    return [(at + one, right_at + other) for one, other in pairs]


def _walked_back(trace: Sequence[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
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
            pairs.append((x, y))
        x, y = start_x, start_y
    return pairs[::-1]


def best_pairs(left: int, right: int, score: Callable[[int, int], float]) -> list[tuple[int, int]]:
    """The pairs in order with the largest sum of scores (Needleman and Wunsch, 1970), in ``left`` · ``right`` steps.

    left, right: lengths. score: of an index on the left and one on the right; 0.0 if they are no pair.
    """
    best = [[0.0] * (right + 1)]
    for one in range(left):
        above, row = best[-1], [0.0]
        for other in range(right):
            given = score(one, other)
            most = max(above[other + 1], row[other])
            row.append(max(most, above[other] + given) if given > 0.0 else most)
        best.append(row)
    pairs = []
    one, other = left, right
    while one and other:
        if best[one][other] == best[one - 1][other]:
            one -= 1
        elif best[one][other] == best[one][other - 1]:
            other -= 1
        else:
            one, other = one - 1, other - 1
            pairs.append((one, other))
    return pairs[::-1]
