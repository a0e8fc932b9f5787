"""Markdown: a table whatever the cells hold."""

from __future__ import annotations

import pandas as pd

from trex.export.frames.markdown import render


def lines(frame: pd.DataFrame) -> list[str]:
    return render(frame).decode().splitlines()


def test_a_table():
    frame = pd.DataFrame({"Name": ["conv", "pool"], "t": [0.123456789, float("nan")], "n": [1, 2]})
    assert lines(frame) == [
        "| Name | t | n |",
        "| --- | --- | --- |",
        "| conv | 0.123457 | 1 |",
        "| pool |  | 2 |",
    ]


def test_cells_cannot_leave_their_place_or_become_markup():
    (_, _, row) = lines(pd.DataFrame({"Name": ["a|b\n| c <img> `x` *y* _z_ [l](u) \\| ~q~ \x1b"]}))
    assert row.replace("\\\\", "").replace("\\|", "").count("|") == 2
    for raw in ("<img>", " `x`", " *y*", " _z_", "[l]("):
        assert raw not in row
    assert "\\x1b" in row.replace("\\\\", "\\")
