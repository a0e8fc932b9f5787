"""Charts of per-query times: which queries their figures are of."""

from __future__ import annotations

import pytest

from trex.views.charts.time import query_lines
from trex.views.plot import Lines


@pytest.mark.parametrize(("warm_up_rows", "note"), [(None, "may include queries of the warm-up"), (0, ""), (2, "")])
def test_a_chart_says_that_it_may_include_the_warm_up(warm_up_rows: int | None, note: str) -> None:
    plot = query_lines([9.0, 9.0, *[1.0] * 98], warm_up_rows=warm_up_rows)
    assert isinstance(plot, Lines)
    assert plot.note == note and bool(plot.bands) is bool(warm_up_rows)
    assert max(plot.levels.values()) == pytest.approx(1.0 if warm_up_rows else 9.0, abs=0.1)


def test_both_remarks_are_in_one_note() -> None:
    plot = query_lines([1.0, float("nan")])
    assert isinstance(plot, Lines)
    assert plot.note == "1 query without a time left out, may include queries of the warm-up"
