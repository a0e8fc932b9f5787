"""Graphviz's words for colors → ``#rrggbb``."""

from __future__ import annotations

import pytest

from trex.export.dot_colors import rgb_of


@pytest.mark.parametrize(
    ("word", "rgb"),
    [
        ("red", "#ff0000"),
        (" Pale Green".replace(" ", ""), "#98fb98"),
        ("gray", "#808080"),
        ("lightgrey", "#d3d3d3"),
        ("grey80", "#808080"),
        ("lightblue2", "#add8e6"),
        ("#76B900", "#76b900"),
        ("#76b900ff", "#76b900"),
        ("#fa0", "#ffaa00"),
    ],
)
def test_colors(word, rgb):
    assert rgb_of(word) == rgb


@pytest.mark.parametrize("word", ["", "nothing", "#12", "#xyzxyz", "0.5 0 0.2", "1 1", '"><script>', "url(x)"])
def test_what_is_no_color(word):
    assert rgb_of(word) is None
