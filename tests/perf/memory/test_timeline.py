"""Bytes along the layers: drawn by hand, and against sums made one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trex.perf.memory.timeline import Timeline

#  layer   0 1 2 3 4
#  a 10    ▪ ▪ ▪ ▪ ·
#  b  4    · ▪ ▪ · ·
#  c  7    · · · ▪ ▪
#  sum    10 14 14 17 7
DRAWN = Timeline([0, 1, 3], [3, 2, 4], [10, 4, 7], 5)


def test_live_bytes_and_peak() -> None:
    assert DRAWN.live_bytes.tolist() == [10, 14, 14, 17, 7]
    assert DRAWN.peak_bytes == 17
    assert DRAWN.peak_position == 3
    assert DRAWN.alive_at(3) == [0, 2]
    assert DRAWN.sum_bytes == 21


def test_the_peak_without_one() -> None:
    assert DRAWN.peak_without(0) == 7  # 0 4 4 7 7
    assert DRAWN.peak_without(2) == 14  # 10 14 14 10 0


def test_the_peak_may_come_back() -> None:
    #  a 5  ▪ ▪ · ·      b 5  · · ▪ ▪      c 1 ▪ · · ▪ (two values)
    timeline = Timeline([0, 2, 0, 3], [1, 3, 0, 3], [5, 5, 1, 1], 4)
    assert timeline.live_bytes.tolist() == [6, 5, 5, 6]
    assert timeline.peak_without(0) == 6


def test_nothing_to_hold() -> None:
    empty = Timeline([], [], [], 0)
    assert empty.peak_bytes == 0
    assert empty.peak_position is None
    assert empty.peak_with([]) == 0
    idle = Timeline([], [], [], 3)
    assert idle.live_bytes.tolist() == [0, 0, 0]
    assert idle.peak_position == 0


def test_absurd_sizes_stay_exact() -> None:
    huge = 2**200 + 1
    timeline = Timeline([0, 1], [1, 2], [huge, 3], 3)
    assert timeline.live_bytes.tolist() == [huge, huge + 3, 3]
    assert timeline.peak_bytes == huge + 3
    assert timeline.peak_without(0) == 3


@st.composite
def timelines(draw: st.DrawFn) -> Timeline:
    layers = draw(st.integers(1, 12))
    spans = draw(
        st.lists(st.tuples(st.integers(0, layers - 1), st.integers(0, layers - 1), st.integers(0, 50)), max_size=12)
    )
    ends = [sorted(span[:2]) for span in spans]
    return Timeline([first for first, _ in ends], [last for _, last in ends], [span[2] for span in spans], layers)


def slowly(timeline: Timeline, sizes: list[int]) -> list[int]:
    spans = list(zip(timeline.firsts, timeline.lasts, sizes))
    return [sum(size for first, last, size in spans if first <= i <= last) for i in range(timeline.layers)]


@given(timelines())
def test_sums_are_those_made_one_by_one(timeline: Timeline) -> None:
    sizes = list(timeline.sizes)
    assert timeline.live_bytes.tolist() == slowly(timeline, sizes)


@given(timelines(), st.integers(0, 50))
def test_other_sizes_give_the_peak_that_they_would(timeline: Timeline, smaller: int) -> None:
    assert timeline.peak_position is not None
    for index in timeline.alive_at(timeline.peak_position):
        sizes = list(timeline.sizes)
        sizes[index] = min(smaller, sizes[index])
        expected = max(slowly(timeline, sizes))
        assert timeline.peak_with(sizes) == expected
        sizes[index] = 0
        assert timeline.peak_without(index) == max(slowly(timeline, sizes))
