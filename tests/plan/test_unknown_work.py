"""Predictions of layers of unknown work: noted wherever the engine is read, unless the record is none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.factories import engine
from trex.core.metadata import Metadata
from trex.plan.engine_plan import EnginePlan
from trex.plan.unknown_work import UNKNOWN_WORK, UnknownWork, unknown_work_record


def codes(section: Any, mark: str = "simulated") -> list[str]:
    plan = EnginePlan(engine(), metadata=Metadata(**{mark: True}, extra={mark: section}))
    return [note.code for note in plan.notes if note.code == UNKNOWN_WORK]


@pytest.mark.parametrize("mark", ["simulated", "built_on_cpu"])
def test_what_is_written_is_noted(mark: str) -> None:
    assert codes({"unknown_work": unknown_work_record(UnknownWork(2, 1 / 3))}, mark) == [UNKNOWN_WORK]
    assert "2 layers of unknown work (33 % of the predicted time)" in UnknownWork(2, 1 / 3).note.message


@pytest.mark.parametrize(
    "record", [None, 1, [], {}, {"layers": 0, "share": 0.1}, {"layers": True, "share": 0.1}, {"layers": 1, "share": 2},
               {"layers": 1, "share": float("nan")}, {"layers": 1, "share": "1"}],
)  # fmt: skip
def test_what_is_no_record_is_not_read(record: Any) -> None:
    assert unknown_work_record(None) == {} and codes({}) == codes({"unknown_work": record}) == codes(3) == []
