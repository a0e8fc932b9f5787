"""Rows, passages and the order within rows."""

from __future__ import annotations

from trex.views.diagram.cells import Cell, Link
from trex.views.diagram.grid import LONGEST_THROUGH, _crossings, make_grid, order_rows

BOX = Cell(100, 30)


def total_crossings(grid):
    place = [0] * len(grid.row_of)
    for items in grid.rows:
        for position, item in enumerate(items):
            place[item] = position
    return sum(_crossings(grid, row, place) for row in range(len(grid.rows) - 1))


def test_one_value_with_several_readers_shares_its_passages():
    links = [Link(0, 1, 7), Link(1, 2, 8), Link(2, 3, 9), Link(0, 2, 7), Link(0, 3, 7)]
    grid = make_grid([BOX] * 4, links, [0, 1, 2, 3])
    assert grid.chains == {(0, 7): [4, 5]}
    assert [len(items) for items in grid.rows] == [1, 2, 2, 1]
    assert grid.uppers[2] == [1, 4]


def test_very_long_links_are_not_passed_through_rows():
    count = LONGEST_THROUGH + 10
    links = [Link(i, i + 1, i) for i in range(count - 1)] + [Link(0, count - 1, 99), Link(5, 2, 98, is_back=True)]
    grid = make_grid([BOX] * count, links, list(range(count)))
    assert not grid.chains
    assert grid.long_links == [count - 1] and grid.back_links == [count]


def test_passages_stay_few_when_all_links_are_longish():
    count = 400
    links = [Link(i, i + 1, i) for i in range(count - 1)] + [Link(i, i + 12, 1000 + i) for i in range(count - 12)]
    grid = make_grid([BOX] * count, links, list(range(count)))
    assert len(grid.row_of) <= 3 * count + 64


def test_ordering_removes_crossings_that_need_not_be():
    # 0 and 1 above 2 and 3, listed crosswise
    links = [Link(0, 3, 0), Link(1, 2, 1)]
    grid = make_grid([BOX] * 4, links, [0, 0, 1, 1])
    assert total_crossings(grid) == 1
    order_rows(grid)
    assert total_crossings(grid) == 0


def test_unconnected_cells_stand_last():
    links = [Link(0, 2, 0)]
    grid = make_grid([BOX] * 3, links, [0, 1, 1])
    order_rows(grid)
    assert grid.rows[1] == [2, 1]
