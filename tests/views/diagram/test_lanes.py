"""Lanes: on the side where they cross less."""

from __future__ import annotations

from trex.views.diagram.cells import Cell, Link
from trex.views.diagram.grid import make_grid, order_rows
from trex.views.diagram.lanes import assign_lanes
from trex.views.diagram.placement import Placement


def lanes_of(links, ranks):
    cells = [Cell(100, 30)] * len(ranks)
    grid = make_grid(cells, links, ranks)
    order_rows(grid)
    placement = Placement(grid, cells, [False] * len(cells))
    return placement, assign_lanes(grid, links, placement)


def test_a_lane_is_on_the_side_where_its_reader_has_no_neighbor():
    # A chain of 40 with a second cell on row 30, read there and fed from row 0.
    links = [Link(i, i + 1, i) for i in range(39)] + [Link(40, 31, 90), Link(0, 40, 91)]
    placement, (lane,) = lanes_of(links, [*range(40), 30])
    chain, other = (placement.x[cell] for cell in (30, 40))
    assert chain != other
    assert (lane.x > chain) == (other > chain)


def test_two_values_read_in_turns_have_their_lanes_on_two_sides():
    links = [Link(i, i + 1, i) for i in range(99)] + [Link(i % 2, i, 1000 + i % 2) for i in range(20, 100, 7)]
    _, lanes = lanes_of(links, list(range(100)))
    assert sorted(lane.x > 0 for lane in lanes) == [False, True]
