"""The tuner's answer first: the fastest route and what it gains."""

from __future__ import annotations

import pytest

from tests.tuning_text import TUNING
from trex.core.tuning_log import TuningLog
from trex.ingest.tuning_jsonl import read_tuning_log
from trex.views.tuning import tuning_document


def test_the_fastest_route_is_said_first() -> None:
    (content,) = tuning_document(read_tuning_log(TUNING.encode(), "t.jsonl")).sections
    assert content.statements == (
        "3 build routes, 2 measured, 1 crashed.",
        "Fastest: -a=1, 2.0000 → 1.5000 ms (−25.0 %): trtexec --setBuildRoute='…' builds it.",
    )
    assert [row[0] for row in content.tables[0].rows] == [1, 0, 2]


def test_no_gain_is_said() -> None:
    log = read_tuning_log(TUNING.replace("1.5}", "2.5}").encode(), "t.jsonl")
    assert "No route is faster than -a=0, 2.0000 ms." in tuning_document(log).sections[0].statements


def test_a_run_without_times_has_counts_only() -> None:
    log = read_tuning_log("\n".join(TUNING.splitlines()[3:]).encode(), "t.jsonl")
    assert tuning_document(log).sections[0].statements == ("1 build route, 0 measured, 1 crashed.",)


def test_the_default_route_is_not_looked_for_once_more_by_each_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """80,000 routes took minutes."""
    asked: list[TuningLog] = []
    monkeypatch.setattr(TuningLog, "baseline", property(asked.append))
    tuning_document(read_tuning_log((TUNING + "\n".join(TUNING.splitlines()[1:2] * 50)).encode(), "t.jsonl"))
    assert len(asked) < 5
