"""Differences as text."""

from __future__ import annotations

import pytest

from trex.core.signed import signed, with_minus


@pytest.mark.parametrize("value, text", [(1.25, "+1.2"), (-38.16, "−38.2"), (-0.01, "+0.0"), (0.0, "+0.0")])
def test_a_difference_has_its_sign(value, text):
    assert signed(value) == text


def test_decimals_and_exponents():
    assert signed(-0.00456, 4) == "−0.0046"
    assert with_minus("-1e-05") == "−1e-05" and with_minus("1e-05") == "1e-05"
