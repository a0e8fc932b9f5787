"""Numbers as text with significant digits only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.core.significant import significant


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (99.4, 2, "99"),
        (99.96, 2, "100"),
        (100.0, 2, "100"),
        (123.4, 2, "120"),
        (12345.6, 4, "12,350"),
        (0.862183, 4, "0.8622"),
        (0.000123, 2, "0.00012"),
        (0.0999, 2, "0.1"),
        (-1.25e-3, 3, "-0.00125"),
        (0.0, 3, "0"),
        (float("nan"), 3, "nan"),
    ],
)
def test_digits(value: float, digits: int, text: str) -> None:
    assert significant(value, digits) == text


@given(st.floats(-1e12, 1e12), st.integers(1, 6))
def test_it_is_what_rounding_gives_and_has_no_exponent(value: float, digits: int) -> None:
    text = significant(value, digits)
    assert "e" not in text
    assert float(text.replace(",", "")) == float(f"{value:.{digits}g}")
