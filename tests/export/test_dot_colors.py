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
        ("grey80", "#cccccc"),
        ("gray0", "#000000"),
        ("gray100", "#ffffff"),
        ("lightblue2", "#add8e6"),
        ("/svg/navy", "#000080"),
        ("#76B900", "#76b900"),
        ("#76b900ff", "#76b900"),
        ("#fa0", "#ffaa00"),
        ("red:blue", "#ff0000"),
        ("red;0.3:blue", "#ff0000"),
        ("transparent", "#ffffff"),
        ("0.0 1.0 1.0", "#ff0000"),
        ("0.5,0,0.2", "#333333"),
    ],
)
def test_colors(word, rgb):
    assert rgb_of(word) == rgb


@pytest.mark.parametrize("word", ["", "nothing", "#12", "#xyzxyz", "gray101", "2 0 0", "1 1", '"><script>', "url(x)"])
def test_what_is_no_color(word):
    assert rgb_of(word) is None
