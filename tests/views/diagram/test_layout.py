"""Whatever the graph: boxes keep apart, wires keep off boxes."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from trex.views.diagram.cells import Cell, Link
from trex.views.diagram.layout import Layout, lay_out


def chain(count):
    return [Cell(120, 40)] * count, [Link(i, i + 1, i) for i in range(count - 1)]


def residual(count):
    cells, links = chain(count)
    return cells, links + [Link(i, i + 3, i) for i in range(0, count - 3, 3)]


def unet(count):
    cells, links = chain(count)
    return cells, links + [Link(i, count - 1 - i, i) for i in range(0, count // 2 - 1, 2)]


def combs(count):
    """Two values that are read again and again all the way down, next to a chain whose steps have companions."""
    cells, links = chain(count)
    return cells, links + [Link(i % 2, i, 1000 + i % 2) for i in range(18, count, 9)]


def fan(count):
    cells = [Cell(120, 40)] * (count + 2)
    return cells, [Link(0, i, 0) for i in range(1, count + 1)] + [Link(i, count + 1, i) for i in range(1, count + 1)]


def loose(count):
    return [Cell(100, 30)] * count, []


def tangle(seed, count=60):
    source = random.Random(seed)
    cells = [
        Cell(2 * source.randint(20, 140), source.randint(20, 90), source.random() < 0.15, source.randint(0, 2), 150.0)
        for _ in range(count)
    ]
    links = []
    for target in range(1, count):
        for _ in range(source.randint(0, 3)):
            far = source.random() < 0.15
            start = source.randrange(target) if far else max(0, target - source.randint(1, 4))
            links.append(Link(start, target, start * 2 + source.randint(0, 1)))
    for _ in range(4):
        end = source.randrange(count)
        links.append(Link(source.randrange(end, count), end, 10_000 + end, is_back=True))
    return cells, links


GRAPHS = {
    "one": ([Cell(100, 30)], []),
    "self": ([Cell(100, 30)], [Link(0, 0, 0, is_back=True)]),
    "chain": chain(30),
    "residual": residual(40),
    "unet": unet(80),
    "combs": combs(90),
    "fan": fan(40),
    "loose": loose(30),
    **{f"tangle {seed}": tangle(seed) for seed in range(12)},
}
every_graph = pytest.mark.parametrize("cells,links", GRAPHS.values(), ids=GRAPHS)


def corners(layout: Layout, cells, i):
    return layout.x[i], layout.y[i], layout.x[i] + cells[i].width, layout.y[i] + cells[i].height


@every_graph
def test_boxes_do_not_overlap_and_lie_within_the_drawing(cells, links):
    layout = lay_out(cells, links)
    boxes = sorted((corners(layout, cells, i) for i in range(len(cells))), key=lambda box: box[1])
    for i, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0 and top >= 0 and right <= layout.width and bottom <= layout.height
        for other in boxes[i + 1 :]:
            if other[1] >= bottom:
                break
            assert other[0] >= right + 5 or other[2] <= left - 5


def points(path):
    here = path[0]
    yield here
    for segment in path[1:]:
        end = segment[-2:]
        one, two = (segment[:2], segment[2:4]) if len(segment) == 6 else (here, end)
        for step in range(1, 11):
            s = step / 10
            r = 1 - s
            yield tuple(
                r**3 * a + 3 * r * r * s * b + 3 * r * s * s * c + s**3 * d for a, b, c, d in zip(here, one, two, end)
            )
        here = end


@every_graph
def test_wires_touch_only_their_own_boxes_and_start_and_end_there(cells, links):
    layout = lay_out(cells, links)
    boxes = [corners(layout, cells, i) for i in range(len(cells))]
    for link, path in zip(links, layout.paths):
        source, target = boxes[link.source], boxes[link.target]
        assert path[0][1] == source[3] and source[0] <= path[0][0] <= source[2]
        assert path[-1][-1] == target[1] and target[0] <= path[-1][-2] <= target[2]
        for x, y in points(path):
            assert 0 <= x <= layout.width and 0 <= y <= layout.height
            inside = [b for b in boxes if b[0] + 0.1 < x < b[2] - 0.1 and b[1] + 0.1 < y < b[3] - 0.1]
            assert not inside


@every_graph
def test_forward_wires_never_go_up(cells, links):
    layout = lay_out(cells, links)
    for link, path in zip(links, layout.paths):
        if link.is_forward:
            assert all(lower[1] >= upper[1] - 0.01 for upper, lower in pairwise(points(path)))
            assert layout.ranks[link.source] < layout.ranks[link.target]


def test_the_same_graph_gives_the_same_layout():
    cells, links = tangle(3)
    assert lay_out(cells, links) == lay_out(cells, links)


def test_a_chain_is_a_straight_column_even_beside_residuals():
    cells, links = residual(40)
    layout = lay_out(cells, links)
    assert len({layout.x[i] + cells[i].width / 2 for i in range(40)}) == 1
    for link, path in zip(links, layout.paths):
        if link.target == link.source + 1:
            assert len({segment[-2] for segment in path}) == 1
    assert layout.width < 300


def test_a_value_leaves_its_box_on_the_side_where_its_readers_are():
    cells = [Cell(200, 40)] * 3
    layout = lay_out(cells, [Link(0, 1, 7), Link(1, 2, 8), Link(0, 2, 7)])
    straight, passing = layout.paths[0][0][0], layout.paths[2][0][0]
    assert straight == layout.x[0] + 100
    assert layout.x[0] < passing < layout.x[0] + 20
    port = layout.ports[0, 7]
    assert (port.x, port.offset) == (straight, 0)


def test_no_wire_runs_through_the_words_of_its_own_box():
    """A reader straight below and one on the right: the second wire leaves on the right unless words are there."""
    links = [Link(0, 1, 7), Link(1, 3, 8), Link(3, 4, 9), Link(0, 2, 7), Link(2, 4, 10)]

    def offsets(**words):
        layout = lay_out([Cell(200, 40, **words)] + [Cell(200, 40)] * 4, links)
        assert layout.x[0] == layout.x[1] < layout.x[2]
        return layout.paths[3][0][0] - layout.paths[0][0][0], layout.ports[0, 7]

    assert offsets()[0] > 80
    aside, _ = offsets(label_rows=1, label_width=80.0)
    assert aside > 80
    aside, _ = offsets(label_rows=1, label_width=150.0)
    assert aside == 0


def test_wires_pass_on_the_left_of_words():
    cells, links = residual(40)
    layout = lay_out([replace(cell, label_rows=1, label_width=150.0) for cell in cells], links)
    for link, path in zip(links, layout.paths):
        if link.target > link.source + 1:
            assert all(x <= layout.x[0] + 60 for x, _ in points(path))


def test_pieces_that_do_not_touch_follow_one_another_down():
    cells, _ = loose(200)
    layout = lay_out(cells, [])
    assert layout.ranks == tuple(range(200))
    assert layout.width < 150


def test_a_wide_fan_is_broken_into_rows():
    cells, links = fan(100)
    layout = lay_out(cells, links)
    rows = [layout.ranks.count(rank) for rank in set(layout.ranks)]
    assert max(rows) <= 10


def test_an_input_stands_beside_its_late_reader():
    cells, links = chain(20)
    cells = [*cells[:15], Cell(80, 30, is_minor=True), *cells[15:]]
    links = [Link(i + (i >= 15), i + 1 + (i + 1 >= 15), i) for i in range(19)] + [Link(15, 16, 99)]
    layout = lay_out(cells, links)
    assert layout.ranks[15] == layout.ranks[16] - 1


def test_what_is_connected_to_nothing_stands_aside():
    """An input and a cell without links on the first row: the input stands above its reader."""
    cells = [Cell(120, 30), Cell(80, 30, is_minor=True), Cell(150, 40), Cell(150, 40)]
    layout = lay_out(cells, [Link(1, 2, 1), Link(2, 3, 2)])
    assert layout.ranks == (0, 0, 1, 2)
    middle = [layout.x[i] + cells[i].width / 2 for i in range(4)]
    assert middle[2] == middle[3] < layout.x[0]
    assert abs(middle[1] - middle[2]) < 0.1 and len(layout.paths[0]) == 2


def test_a_forward_link_must_run_forward():
    with pytest.raises(ValueError, match="is_back"):
        lay_out([Cell(1, 1)] * 2, [Link(1, 0, 0)])
    assert lay_out([], []).width == 0
