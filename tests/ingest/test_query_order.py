"""Queries that a script has sorted or shuffled are put in order; two runs in one file are not mixed."""

from __future__ import annotations

import json
from random import Random

import pytest

from trex.ingest.timing_json import read_timing

ROWS = [{"startComputeMs": 2.0 * row, "endComputeMs": 2.0 * row + 1.0, "computeMs": 1.0 + row % 3} for row in range(60)]


@pytest.mark.parametrize(
    ("rows", "codes"),
    [
        (ROWS, []),
        (sorted(ROWS, key=lambda row: row["computeMs"]), ["timing-reordered"]),  # two steps back
        (Random(0).sample(ROWS, len(ROWS)), ["timing-reordered"]),
        (ROWS[::-1], ["timing-reordered"]),
        ([*ROWS, *ROWS], []),
        ([{**row, "endComputeMs": row["startComputeMs"] + 5.0} for row in ROWS[::-1]], []),
        ([{**row, "startComputeMs": None} for row in ROWS[::-1]], ["timing-unreadable-column"]),
    ],
    ids=["as they ran", "few values", "shuffled", "reversed", "two runs", "streams", "unknown"],
)
def test_shuffled_queries_are_put_in_order(rows: list[dict[str, float]], codes: list[str]) -> None:
    times = read_timing(json.dumps(rows).encode())
    assert [note.code for note in times.notes] == codes
    starts = [row["startComputeMs"] for row in (ROWS if codes == ["timing-reordered"] else rows)]
    if "startComputeMs" in times.columns:
        assert list(times.columns["startComputeMs"]) == starts
        assert list(times.columns["computeMs"]) == [1.0 + start / 2.0 % 3 for start in starts]
