"""Globs of layer names, whose brackets are often no sets of characters."""

from __future__ import annotations

import pytest

from trex.core.name_globs import matcher

NAMES = (
    "{ForeignNode[/enc/MatMul.../enc/Add_3]}",
    "(Unnamed Layer* 3) [TopK]",
    "conv [profile 1]",
    "[[a]",
    "a]b[c",
    "[!a]",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_fits_itself_and_no_other(name: str) -> None:
    fits = matcher([name])
    assert [other for other in NAMES if fits(other)] == [name]


@pytest.mark.parametrize(
    ("glob", "name", "is_fit"),
    [
        ("{ForeignNode[*]}", NAMES[0], True),
        ("*[TopK]", NAMES[1], True),
        ("conv_[0-3]", "conv_2", True),
        ("conv_[0-3]", "conv_7", False),
        ("conv", "conv_2", False),
    ],
)
def test_brackets_are_sets_or_themselves(glob: str, name: str, is_fit: bool) -> None:
    assert matcher([glob])(name) is matcher(["x", glob])(name) is is_fit


def test_no_glob_fits_nothing() -> None:
    assert not matcher([])("")
