"""Rows: the longest path decides, companions and side branches stand by their readers."""

from __future__ import annotations

from trex.views.diagram.cells import Cell, Link
from trex.views.diagram.ranks import MAX_PER_ROW, parts_of, rank_cells, trunk_of

BOX, SMALL = Cell(100, 30), Cell(60, 20, is_minor=True)


def link(source, target):
    return Link(source, target, source)


def test_longest_path_decides():
    links = [link(0, 1), link(1, 2), link(0, 2)]
    assert rank_cells([BOX] * 3, links) == [0, 1, 2]


def test_a_side_branch_stays_with_what_ran_before_it():
    # 0 → 1 → 3 → 4 and 0 → 2 → 4, with 2 run straight after 1
    links = [link(0, 1), link(0, 2), link(1, 3), link(3, 4), link(2, 4)]
    assert rank_cells([BOX] * 5, links) == [0, 1, 1, 2, 3]
    # the same, with the side branch run late
    links = [link(0, 1), link(1, 2), link(0, 3), link(2, 4), link(3, 4)]
    assert rank_cells([BOX] * 5, links) == [0, 1, 2, 2, 3]


def test_a_source_goes_down_to_its_reader():
    links = [link(0, 1), link(1, 2), link(2, 4), link(3, 4)]
    assert rank_cells([BOX] * 5, links) == [0, 1, 2, 2, 3]


def test_an_input_may_stand_above_the_first_layer():
    assert rank_cells([SMALL, BOX], [link(0, 1)]) == [0, 1]


def test_back_links_decide_nothing():
    assert rank_cells([BOX] * 2, [link(0, 1), Link(1, 0, 5, is_back=True)]) == [0, 1]


def test_rows_of_a_fan_are_limited_and_their_reader_comes_after_all():
    count = 3 * MAX_PER_ROW
    links = [link(0, i) for i in range(1, count + 1)] + [link(i, count + 1) for i in range(1, count + 1)]
    ranks = rank_cells([BOX] * (count + 2), links)
    assert max(ranks.count(rank) for rank in set(ranks)) == MAX_PER_ROW
    assert ranks[-1] == max(ranks[:-1]) + 1


def test_parts_ignore_companions():
    cells = [SMALL, BOX, BOX, BOX]
    parts = parts_of(cells, [link(0, 1), link(0, 3), link(1, 2)])
    assert parts == [0, 1, 1, 3]


def test_trunk_is_the_longest_path():
    links = [link(0, 1), link(0, 2), link(1, 3), link(3, 4), link(2, 4)]
    cells = [BOX] * 5
    assert trunk_of(cells, links, rank_cells(cells, links)) == [True, True, False, True, True]
