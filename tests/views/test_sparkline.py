"""Lines of blocks."""

from __future__ import annotations

from trex.views.sparkline import sparkline


def test_long_series_keep_their_shape() -> None:
    assert sparkline([0.0] * 50 + [1.0] * 50, 10) == "▁▁▁▁▁█████"
    assert sparkline(range(8)) == "▁▂▃▄▅▆▇█"


def test_a_spike_is_no_level() -> None:
    values = [1.0] * 99
    values[50] = 9.0
    assert set(sparkline(values, 9)) == {"▁"}
