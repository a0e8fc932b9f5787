"""Which times the gate of a sweep shows next to its results."""

from __future__ import annotations

import pytest

from tests.compare.predicted import measured
from trex.compare.condition import read_condition
from trex.compare.gate import judge
from trex.compare.plan_diff import PlanDiff
from trex.core.note import Note
from trex.plan.engine_plan import EnginePlan
from trex.plan.time_notes import TIMES_CONTRADICT
from trex.store.sweep_gate import GatedRun, SweepGate
from trex.views.document import Table, Text
from trex.views.sweep_gate import gate_document


def doubted(code: str) -> PlanDiff:
    base, new = measured(1.0), measured(1.3, seed=2)
    note = Note(code, "wrong", severity="problem")
    return PlanDiff(base, EnginePlan(new.engine, new.layer_times, new.query_times, new.metadata, notes=(note,)))


@pytest.mark.parametrize("conditions", [[], ["memory>+3%"], ["compute>+3%"]])
def test_times_that_cannot_be_trusted_are_no_slowdown(conditions: list[str]) -> None:
    """Whatever is judged, the row says why; without a part of the layers the time of the whole engine stays."""
    read = [*map(read_condition, conditions)]
    diffs = {code: doubted(code) for code in (TIMES_CONTRADICT, "truncated")}
    gated = tuple(GatedRun(code, None, None, diff, judge(diff, read)) for code, diff in diffs.items())
    (text, table), *_ = (part.blocks for part in gate_document("ci", SweepGate("b", "a", gated)).sections)
    assert isinstance(text, Text) and isinstance(table, Table)
    rows = {row[0]: row for row in table.rows}
    assert rows[TIMES_CONTRADICT][2:5] == (None, None, None)
    assert rows["truncated"][4] == pytest.approx(30.0, abs=1.0)
    for code, row in rows.items():
        assert str(row[5]).count(code) == 1
    assert text.lines[1:] == (f"Largest slowdown: truncated +{rows['truncated'][4]:.1f} %.",)
