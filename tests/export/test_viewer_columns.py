"""Columns of the page's data: small, and nothing lost."""

from __future__ import annotations

import random

import pytest

from trex.export.viewer_columns import Strings, column, differences, front_coded, ragged, runs


def unshared(packed) -> list[str]:
    """As the page does it: lengths count UTF-16 units."""
    previous, texts = b"", []
    for shared, rest in zip(packed["shared"], packed["rest"]):
        previous = previous[: 2 * shared] + rest.encode("utf-16-le", "surrogatepass")
        texts.append(previous.decode("utf-16-le", "surrogatepass"))
    return texts


def test_alike_values_are_written_once():
    assert column([7, 7, 7, 7]) == {"all": 7, "n": 4}
    assert column([None] * 5) == {"all": None, "n": 5}
    assert column([7, 7, 7]) == [7, 7, 7] and column([7, 7, 7, 8]) == [7, 7, 7, 8] and column([]) == []


def test_differences_and_runs():
    assert differences([3, 4, 4, 1]) == [3, 1, 0, -3] and differences([]) == []
    assert runs([-1, -1, 5, 5, 5, -1]) == [2, -1, 3, 5, 1, -1] and runs([]) == []


def test_ragged_rows():
    assert ragged([[1, 2], [], [2]]) == {"count": [2, 0, 1], "flat": [1, 1, 0]}


@pytest.mark.parametrize("texts", [[], ["", ""], ["a", "ab", "abc"], ["🙂🙂", "🙂名", "x" * 5000, "x" * 4999 + "y"]])
def test_texts_share_beginnings(texts):
    assert unshared(front_coded(texts)) == texts


def test_strings_are_places_in_one_table_often_used_ones_first():
    strings = Strings()
    plain, steps = strings.column(), strings.column(differences=True)
    chance = random.Random(3)
    words = [chance.choice(["aa", "ab", "b", "", "🙂"]) for _ in range(60)] + ["rare", "a-rare"]
    plain.extend(words)
    steps.extend(reversed(words))
    table = unshared(strings.settle())
    assert [table[place] for place in plain] == words
    at, back = 0, []
    for step in steps:
        at += step
        back.append(table[at])
    assert back == words[::-1]
    assert table == ["", "aa", "ab", "b", "🙂", "a-rare", "rare"]
