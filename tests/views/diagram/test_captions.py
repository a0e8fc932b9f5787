"""Captions stand on the side of their wire where there is room."""

from __future__ import annotations

from trex.views.diagram.captions import GAP, Caption, kept_apart

NEIGHBOR = Caption(100.0, 50.0, "a neighbor", "#000000")
LEFT = Caption(NEIGHBOR.span[1] + 2.0, 50.0, "words on the left", "#000000", is_left=True)
WIDTH = 1000.0


def lie_apart(captions: list[Caption]) -> bool:
    spans = sorted(caption.span for caption in captions)
    return all(spans[i][1] <= spans[i + 1][0] for i in range(len(spans) - 1))


def test_words_on_a_neighbors_words_go_to_the_other_side_of_their_wire():
    assert not lie_apart([LEFT, NEIGHBOR])
    moved, stays = kept_apart([LEFT, NEIGHBOR], WIDTH)
    assert stays == NEIGHBOR and lie_apart([moved, stays])
    assert not moved.is_left and moved.x == LEFT.x + 2 * GAP
    assert (moved.text, moved.y, moved.source) == (LEFT.text, LEFT.y, LEFT.source)


def test_words_with_room_stay():
    far = Caption(LEFT.span[0] - 50.0, 50.0, "far", "#000000")
    above = Caption(NEIGHBOR.x, 37.0, NEIGHBOR.text, "#000000")
    assert kept_apart([LEFT, far, above], WIDTH) == [LEFT, far, above]


def test_words_do_not_go_where_others_are_or_the_picture_ends():
    right = Caption(LEFT.x + 20, 50.0, "on the right", "#000000")
    assert kept_apart([LEFT, NEIGHBOR, right], WIDTH) == [LEFT, NEIGHBOR, right]
    assert kept_apart([LEFT, NEIGHBOR], LEFT.x + 20) == [LEFT, NEIGHBOR]


def test_a_row_of_many():
    pairs = [
        Caption(item.x + 400 * i, item.y, item.text, item.color, item.is_left)
        for i in range(500)
        for item in (NEIGHBOR, LEFT)
    ]
    assert lie_apart(kept_apart(pairs, 1e6))
