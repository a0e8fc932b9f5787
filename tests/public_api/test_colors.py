"""The classic names of the colors."""

from __future__ import annotations

import re

from trex import colors


def test_the_classic_names_are_there() -> None:
    assert colors.NVDA_GREEN == "#76b900"
    assert colors.UNKNOWN_KEY_COLOR == "gray"
    assert len(colors.default_pallete) == 13
    assert isinstance(colors.GRID_COLOR, str)


def test_maps_know_what_newer_engines_bring() -> None:
    for name in ("BF16", "INT64", "BOOL", "E8M0", "FP8", "FP4", "INT4"):
        assert re.fullmatch("#[0-9a-fA-F]{6}", colors.precision_colormap[name]), name
    for name in ("gemm", "kgen", "fusion", "correlation", "signal", "wait", "shape_call", "Myelin", "TrainStation"):
        assert re.fullmatch("#[0-9a-fA-F]{6}", colors.layer_colormap[name]), name
    assert colors.layer_colormap["no such type"] == "gray"
