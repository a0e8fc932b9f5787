"""Names reused over time become generations."""

from __future__ import annotations

from tests.factories import chain, layer
from trex.plan.generations import generations_of


def pieces(*layers, provided=()):
    generations = generations_of(chain(*layers), frozenset(provided))
    return [(g.name, g.number, g.writers, g.readers, g.carried_readers) for g in generations]


def test_a_reader_takes_the_latest_earlier_writer():
    generations = pieces(
        layer("a", inputs=["x"], outputs=["t"]),
        layer("b", inputs=["t"], outputs=["u"]),
        layer("c", inputs=["u"], outputs=["t"]),
        layer("d", inputs=["t"], outputs=["y"]),
    )
    assert ("t", 0, (0,), (1,), ()) in generations
    assert ("t", 1, (2,), (3,), ()) in generations


def test_writers_without_a_reader_between_them_are_all_kept():
    generations = pieces(
        layer("then", inputs=["x"], outputs=["y"]),
        layer("else", inputs=["x"], outputs=["y"]),
        layer("after", inputs=["y"], outputs=["z"]),
    )
    assert ("y", 0, (0, 1), (2,), ()) in generations


def test_in_place_work_reads_the_old_value_and_starts_a_new_one():
    generations = pieces(layer("a", inputs=[], outputs=["t"]), layer("b", inputs=["t"], outputs=["t"]))
    assert generations == [("t", 0, (0,), (1,), ()), ("t", 1, (1,), (), ())]


def test_reading_before_any_writer_is_carried_from_the_last_one():
    generations = pieces(
        layer("a", inputs=["state"], outputs=["u"]),
        layer("b", inputs=["u"], outputs=["state"]),
        layer("c", inputs=["state"], outputs=["v"]),
        layer("d", inputs=["v"], outputs=["state"]),
    )
    assert ("state", 0, (1,), (2,), ()) in generations
    assert ("state", 1, (3,), (), (0,)) in generations


def test_a_provided_name_is_not_carried():
    generations = pieces(
        layer("a", inputs=["x"], outputs=["u"]), layer("b", inputs=["u"], outputs=["x"]), provided=["x"]
    )
    assert ("x", 0, (), (0,), ()) in generations
    assert ("x", 1, (1,), (), ()) in generations


def test_a_tensor_read_or_written_twice_by_a_layer_counts_once():
    generations = pieces(layer("a", inputs=["x", "x"], outputs=["t", "t"]))
    assert generations == [("x", 0, (), (0,), ()), ("t", 0, (0,), (), ())]
