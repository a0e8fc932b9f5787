"""Highlights: numbers by range, and never the text of an engine."""

from __future__ import annotations

import math

import pandas as pd

from trex.jupyter.highlights import FASTER, SLOWER, Highlights, speedup_ranges


def painted(values: list[object], ranges: dict) -> str:
    colors = Highlights(ranges)
    frame = pd.DataFrame({"s": pd.Series(values, dtype=object)})
    return colors.painted(frame.to_html(formatters={"s": colors.formatter("s")}))


def test_the_limits_themselves_are_not_beyond() -> None:
    html = painted([1.25, 1.0, 0.75, 1.26, 0.74], speedup_ranges("s", 0.25))
    assert html.count(f"rgba({FASTER['r']},") == html.count(f"rgba({SLOWER['r']},") == 1


def test_equal_numbers_and_ranges_that_are_off() -> None:
    color = {"r": 1, "g": 2, "b": 3, "a": 1}
    on = {"s": {"active": True, "equals": {"active": True, "value": 2, "color": color}}}
    assert painted([2, 3], on).count("rgba(1,2,3,1)") == 1
    off = {"s": {"active": True, "equals": {"active": False, "value": 2, "color": color}}}
    assert "rgba" not in painted([2, 3], off)
    assert not Highlights({"s": {"active": False}}).has("s")


def test_text_and_what_is_unknown_stay_as_they_are() -> None:
    html = painted(["<i>9\ue000", None, math.nan, 9.0], speedup_ranges("s", 0.1))
    assert html.count("rgba(") == 1 and "&lt;i&gt;9\ue000" in html and "NaN" in html
