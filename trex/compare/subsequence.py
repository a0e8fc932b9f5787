"""Two sequences → pairs of places of a common subsequence, longest where they are alike.

What occurs once on both sides in the same order divides the sequences ("patience"); between, Myers' greedy algorithm
("An O(ND) Difference Algorithm and Its Variations", 1986) finds the longest one in O((n + m) · d) for d differences; of
sequences that differ in more than so many places, alike items are paired in order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Sequence

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
    ends: list[int] = []
    last: list[int] = []
    previous: list[int] = []
    for number, (_, other) in enumerate(pairs):
        seat = bisect_left(ends, other)
        previous.append(last[seat - 1] if seat else -1)
        if seat == len(ends):
            ends.append(other)
            last.append(number)
        else:
            ends[seat], last[seat] = other, number
    found = []
    number = last[-1] if last else -1
    while number >= 0:
        found.append(pairs[number])
        number = previous[number]
    return found[::-1]


def _shortest_edit(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    n, m = len(left), len(right)
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    for differences in range(min(n + m, MOST_DIFFERENCES) + 1):
        trace.append(dict(reach))
        for diagonal in range(-differences, differences + 1, 2):
            down = diagonal == -differences or (
                diagonal != differences and reach.get(diagonal - 1, -1) < reach.get(diagonal + 1, -1)
            )
            x = reach.get(diagonal + 1, 0) if down else reach.get(diagonal - 1, 0) + 1
            y = x - diagonal
            while x < n and y < m and left[x] == right[y]:
                x, y = x + 1, y + 1
            reach[diagonal] = x
            if x >= n and y >= m:
                return _walked_back(trace, n, m)
    return _in_order(left, right)


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


def _in_order(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Each item with the next one alike behind the last pair."""
    places: dict[Hashable, deque[int]] = defaultdict(deque)
    for place, item in enumerate(right):
        places[item].append(place)
    found: list[tuple[int, int]] = []
    last = -1
    for place, item in enumerate(left):
        queue = places.get(item)
        while queue and queue[0] <= last:
            queue.popleft()
        if queue:
            last = queue.popleft()
            found.append((place, last))
    return found
