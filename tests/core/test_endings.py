"""Endings: those of a regular expression at the end of a text, in linear time."""

from __future__ import annotations

import re

import pytest

from trex.core.endings import without_ending
from trex.plan.operations import _word
from trex.rules.operators import operator_word


@pytest.mark.parametrize(
    "name", ["Add_1", "conv1_2", "add", "a_1.2::3", "x[0]_1", "_1_1", "a_1b", "__", "1", "", "a._12", "a__1", "é_٣"]
)
def test_it_is_what_a_search_for_the_end_finds(name: str) -> None:
    ending = re.compile(r"(?:[_.:]+\d+|\[\d+\])+$")
    assert without_ending(name, re.compile(r"\d+[_.:]+|\]\d+\[")) == ending.sub("", name)


@pytest.mark.parametrize("piece", [".", "_", ":", "1", "._1", "[1]"])
def test_names_of_many_dots_take_no_time(piece: str) -> None:
    name = piece * 100_000 + "!"
    assert operator_word(name) and _word(name)
