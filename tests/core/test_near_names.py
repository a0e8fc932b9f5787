"""Near names: names similar to a misspelled word."""

from __future__ import annotations

from trex.core.near_names import did_you_mean, near_names

NAMES = ("Name", "type", "latency.avg_time", "latency.pct_time", "total_footprint_bytes")


def test_a_slip_of_the_finger_finds_its_name():
    assert near_names("latency.avgtime", NAMES)[0] == "latency.avg_time"


def test_case_does_not_matter():
    assert near_names("NAME", NAMES) == ("Name",)


def test_a_part_of_a_name_finds_the_names_that_hold_it():
    assert set(near_names("latency", NAMES)) == {"latency.avg_time", "latency.pct_time"}


def test_nothing_near_is_nothing():
    assert near_names("zzzz", NAMES) == ()
    assert near_names("", NAMES) == ()


def test_a_very_long_word_is_no_work():
    assert near_names("x" * 1_000_000, NAMES) == ()


def test_the_question_or_what_to_say_otherwise():
    assert did_you_mean("typ", NAMES) == "did you mean type?"
    assert did_you_mean("zzzz", NAMES, "look it up") == "look it up"
