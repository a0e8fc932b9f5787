"""Frames: each holds the boxes of its group and no other, they nest or keep apart, and wires go from box to box."""

from __future__ import annotations

import random
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.views.diagram.test_layout import GRAPHS, chain, points, residual
from trex.views.diagram.cells import Cell, Link
from trex.views.diagram.layout import lay_out
from trex.views.diagram.nested import lay_out_groups

# Whole runs: too long for the check between two edits.
pytestmark = pytest.mark.slow


def grouped(cells, links, group_of, parents):
    layout, frames = lay_out_groups(cells, links, group_of, parents)
    boxes = [(layout.x[i], layout.y[i], layout.x[i] + c.width, layout.y[i] + c.height) for i, c in enumerate(cells)]
    edges = [(f.x, f.y, f.x + f.width, f.y + f.height) for f in frames]
    return layout, boxes, edges


def holds(outer, inner):
    return outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def apart(one, other):
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def around(group, parents):
    while group is not None:
        yield group
        group = parents[group]


def check(cells, links, group_of, parents):
    layout, boxes, frames = grouped(cells, links, group_of, parents)
    whole = (0, 0, layout.width, layout.height)
    for box, other in combinations(boxes, 2):
        assert apart(box, other)
    for number, frame in enumerate(frames):
        assert holds(whole, frame)
        for other in range(number):
            if other in around(parents[number], parents):
                assert holds(frames[other], frame)
            else:
                assert apart(frames[other], frame)
    for box, group in zip(boxes, group_of):
        inside = set(around(group, parents))
        assert holds(whole, box)
        for number, frame in enumerate(frames):
            assert holds(frame, box) if number in inside else apart(frame, box)
    for link, path in zip(links, layout.paths):
        source, target = boxes[link.source], boxes[link.target]
        assert path[0][1] == pytest.approx(source[3]) and source[0] <= path[0][0] <= source[2]
        assert path[-1][-1] == pytest.approx(target[1]) and target[0] <= path[-1][-2] <= target[2]
        near = set(around(group_of[link.source], parents)) | set(around(group_of[link.target], parents))
        for x, y in points(path):
            assert 0 <= x <= layout.width and 0 <= y <= layout.height
            for box in boxes:
                assert not (box[0] + 0.1 < x < box[2] - 0.1 and box[1] + 0.1 < y < box[3] - 0.1)
            for number, frame in enumerate(frames):
                # A wire runs through the frames of its own boxes only.
                if number not in near:
                    assert not (frame[0] + 0.1 < x < frame[2] - 0.1 and frame[1] + 0.1 < y < frame[3] - 0.1)
    assert layout.ports.keys() == {(link.source, link.net) for link in links}
    for (cell, _), port in layout.ports.items():
        assert boxes[cell][0] <= port.x <= boxes[cell][2] and port.y == pytest.approx(boxes[cell][3])


def in_stretches(count: int, seed: int, depth: int = 3) -> tuple[list[int | None], list[int | None]]:
    """Groups of consecutive cells, nested at random."""
    source = random.Random(seed)
    parents: list[int | None] = []
    group_of: list[int | None] = [None] * count

    def split(first, end, parent, left):
        at = first
        while at < end:
            length = min(end - at, source.randint(1, max(2, (end - first) // 2)))
            if source.random() < 0.6 and left:
                parents.append(parent)
                group = len(parents) - 1
                group_of[at : at + length] = [group] * length
                split(at, at + length, group, left - 1)
            at += length

    split(0, count, None, depth)
    used = {group for item in group_of for group in around(item, parents)}
    index = {old: new for new, old in enumerate(sorted(used))}
    return (
        [None if item is None else index[item] for item in group_of],
        [None if parents[old] is None else index[parents[old]] for old in sorted(used)],
    )


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("seed", range(2))
def test_stretches_of_any_graph(name, seed):
    cells, links = GRAPHS[name]
    check(cells, links, *in_stretches(len(cells), seed))


@st.composite
def groupings(draw, count):
    """Any cells in any groups, whatever the wires: those of one group may be far apart, with wires out and back in."""
    parents = []
    for number in range(draw(st.integers(1, 6))):
        parents.append(draw(st.none() | st.integers(0, number - 1)) if number else None)
    group_of = draw(st.lists(st.none() | st.integers(0, len(parents) - 1), min_size=count, max_size=count))
    # A group without cells is none.
    for number in range(len(parents)):
        group_of[number] = number
    return group_of, parents


@settings(deadline=None, max_examples=25)
@given(st.data(), st.sampled_from([name for name, graph in GRAPHS.items() if len(graph[0]) >= 30]))
def test_any_groups_of_any_graph(data, name):
    cells, links = GRAPHS[name]
    check(cells, links, *data.draw(groupings(len(cells))))


def test_without_groups_nothing_changes():
    cells, links = residual(40)
    assert lay_out_groups(cells, links, [None] * 40, []) == (lay_out(cells, links), ())


def test_chains_stay_straight_through_frames():
    cells, links = chain(12)
    layout, _, _ = grouped(cells, links, [None, None, *[0] * 3, *[1] * 2, *[2] * 3, None, None], [None, None, 1])
    assert len({layout.x[i] + cell.width / 2 for i, cell in enumerate(cells)}) == 1
    for path in layout.paths:
        assert len({segment[-2] for segment in path}) == 1 and len(path) == 2


def test_wires_that_lead_onwards_never_go_up():
    cells, links = residual(40)
    layout, _, _ = grouped(cells, links, *in_stretches(40, 1))
    for path in layout.paths:
        assert all(lower[1] >= upper[1] - 0.01 for upper, lower in pairwise(points(path)))


def test_a_value_enters_and_leaves_a_frame_once():
    cells = [Cell(120, 40)] * 6
    links = [Link(0, target, 0) for target in (1, 2, 3)] + [Link(1, target, 1) for target in (4, 5)]
    layout, _, frames = grouped(cells, links, [None, 0, 0, 0, None, None], [None])
    (_, top, _, bottom) = frames[0]
    entering = {path_x_at(path, top) for path in layout.paths[:3]}
    leaving = {path_x_at(path, bottom) for path in layout.paths[3:]}
    assert len(entering) == len(leaving) == 1


def path_x_at(path, y):
    for (_, upper), (x, lower) in pairwise([(path[0][0], path[0][1]), *(segment[-2:] for segment in path[1:])]):
        if upper <= y <= lower:
            return round(x, 3)
    raise AssertionError(y)


def test_groups_are_read_in_the_order_of_the_wires():
    # The first cell's group reads what the second cell writes: the second stands above.
    cells = [Cell(120, 40)] * 4
    links = [Link(0, 3, 0), Link(1, 2, 1), Link(2, 3, 2)]
    layout, _, _ = grouped(cells, links, [0, None, None, 0], [None])
    assert layout.y[1] < layout.y[2] < layout.y[3]
