"""Wires are dark enough for thin lines on white."""

from __future__ import annotations

import pytest

from tests.factories import LABELS, t
from trex.views.diagram.colors import wire_color
from trex.views.palette import luminance


@pytest.mark.parametrize("label", LABELS)
def test_wires_show_on_white(label):
    assert luminance(wire_color(t("x", type=label))) <= 0.45


def test_precisions_that_matter_stay_apart():
    assert len({wire_color(t("x", type=label)) for label in ("FP32", "FP16", "BF16", "FP8", "INT8", "INT4")}) == 6
