"""Places at which wires end at large cells: neighbors are arranged and stand as these places want it."""

from __future__ import annotations

from trex.views.diagram.cells import BOTTOM, TOP, Cell, Link
from trex.views.diagram.grid import make_grid, mind_ports
from trex.views.diagram.layout import lay_out


def test_what_leaves_on_the_left_stands_on_the_left():
    cells = [Cell(300, 200), *[Cell(40, 20)] * 3]
    links = [Link(0, 1, 0, leave=290.0), Link(0, 2, 1, leave=10.0), Link(0, 3, 2, leave=150.0)]
    layout = lay_out(cells, links)
    assert layout.x[2] < layout.x[3] < layout.x[1]
    starts = [path[0][0] for path in layout.paths]
    assert [start - layout.x[0] for start in starts] == [290.0, 10.0, 150.0]


def test_wires_between_large_cells_do_not_cross_on_the_way():
    # Three values go from one frame to another, past a box in between.
    cells = [Cell(400, 100), Cell(100, 40), Cell(400, 100)]
    links = [
        Link(0, 1, 9, leave=390.0),
        *(Link(0, 2, net, leave=100.0 * (3 - net), enter=100.0 * (3 - net)) for net in range(3)),
        Link(1, 2, 8, enter=390.0),
    ]
    layout = lay_out(cells, links)
    middle = [path[1][0] for path in layout.paths[1:4]]
    assert middle == sorted(middle, reverse=True)
    starts = [path[0][0] for path in layout.paths[1:4]]
    assert starts == sorted(starts, reverse=True)


def test_a_box_stands_below_the_place_where_its_wire_leaves():
    cells = [Cell(300, 100), Cell(40, 20), Cell(40, 20)]
    layout = lay_out(cells, [Link(0, 1, 0, leave=50.0), Link(0, 2, 1, leave=250.0)])
    for link, path in zip((1, 2), layout.paths):
        assert abs(layout.x[link] + 20 - path[0][0]) < 1
    assert layout.axis == layout.x[0] + 150


def test_ports_lie_above_and_below_all_others():
    cells = [Cell(6, 0, is_minor=True, pin=TOP), *[Cell(80, 30)] * 4, Cell(6, 0, is_minor=True, pin=BOTTOM)]
    links = [Link(0, 3, 0), Link(1, 2, 1), Link(2, 5, 2)]
    layout = lay_out(cells, links)
    assert layout.ranks[0] == 0 and layout.ranks[5] == max(layout.ranks)
    assert all(0 < rank < layout.ranks[5] for rank in layout.ranks[1:5])
    assert layout.ranks[3] == 1


def test_without_fixed_places_nothing_is_minded():
    cells, links = [Cell(80, 30)] * 3, [Link(0, 1, 0), Link(0, 2, 1)]
    grid = make_grid(cells, links, [0, 1, 1])
    mind_ports(grid, cells, links)
    assert grid.parts == {} and grid.shifts == {}
