"""Rows, passages and the order within rows."""

from __future__ import annotations

import random
from itertools import permutations, product

from trex.views.diagram.cells import Cell, Link
from trex.views.diagram.grid import LONGEST_THROUGH, _crossings, make_grid, order_rows

BOX = Cell(100, 30)


def total_crossings(grid):
    index = [0] * len(grid.row_of)
    for items in grid.rows:
        for position, item in enumerate(items):
            index[item] = position
    return sum(_crossings(grid, row, index) for row in range(len(grid.rows) - 1))


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


def arranged(grid, rows):
    index = [0] * len(grid.row_of)
    for items in rows:
        for position, item in enumerate(items):
            index[item] = position
    kept, grid.rows = grid.rows, [list(items) for items in rows]
    count = sum(_crossings(grid, gap, index) for gap in range(len(rows) - 1))
    grid.rows = kept
    return count


def test_few_more_crossings_than_in_the_best_of_all_arrangements():
    source = random.Random(11)
    result = best = 0
    for _ in range(30):
        links = [
            Link(3 * row + source.randrange(3), 3 * row + 3 + source.randrange(3), number)
            for row in range(2)
            for number in range(6)
        ]
        grid = make_grid([BOX] * 9, links, [0, 0, 0, 1, 1, 1, 2, 2, 2])
        best += min(arranged(grid, rows) for rows in product(*(list(permutations(items)) for items in grid.rows)))
        order_rows(grid)
        result += total_crossings(grid)
    assert best <= result <= 1.1 * best


def test_rows_beyond_a_single_cell_do_not_matter():
    """Two diamonds one below the other: the same arrangement as each alone."""
    tangled = [Link(0, 4, 0), Link(0, 3, 0), Link(1, 3, 1), Link(2, 5, 2), Link(1, 5, 1)]
    ranks = [0, 0, 0, 1, 1, 1]
    alone = make_grid([BOX] * 6, tangled, ranks)
    order_rows(alone)
    twice = [*tangled, *(Link(3 + i, 6, 9 + i) for i in range(3))]
    twice += [Link(6, 7 + i, 20) for i in range(3)]
    twice += [Link(link.source + 7, link.target + 7, link.net + 30) for link in tangled]
    both = make_grid([BOX] * 13, twice, [*ranks, 2, *(rank + 3 for rank in ranks)])
    order_rows(both)
    assert total_crossings(both) == 2 * total_crossings(alone)
