"""The tool ``layers``: queries that could take minutes or fill the memory are refused before they run."""

from __future__ import annotations

import pytest

from trex.agents.tools.layers import refuse_costly
from trex.core.errors import TrexError


@pytest.mark.parametrize(
    "query",
    [
        "9**9**9 > `latency.avg_time`",
        "`layer.index` == 1 << 10**9",
        "Name.str.repeat(1000000000) == 'x'",
        "Name.str.pad(10**9) == 'x'",
        "Name.str.contains('(a+)+(b*)*c{9}')",
        "Name.str.contains('((a+))+$')",
        "x" * 600,
    ],
)
def test_costly_queries_are_refused(query: str) -> None:
    with pytest.raises(TrexError) as error:
        refuse_costly(query)
    assert error.value.hint


@pytest.mark.parametrize(
    "query",
    ["", "type == 'Reformat' and latency.pct_time > 1", "Name.str.contains('layer1.*conv')", "not (an", "1 = 2"],
)
def test_others_are_left_to_pandas(query: str) -> None:
    refuse_costly(query)
