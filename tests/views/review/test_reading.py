"""Review → reading: groups by cost, sentences, and values in words."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from tests.factories import engine, layer, times
from trex.core.registry import Plug
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.review import review
from trex.rules.rule import RULES, Rule
from trex.views.review.reading import (
    CHEAP,
    DEAR,
    FIRST,
    SHARED,
    UNPRICED,
    ReviewReading,
    evidence_text,
    few,
    read_review,
    value_text,
)
from trex.views.review.tables import review_content, unknown_text


def reading(monkeypatch: pytest.MonkeyPatch, ms: float | None = 1.0) -> ReviewReading:
    def check(seen: Any, limits: Any) -> Any:
        yield Finding("dear", (0,), seen.stake([0]))
        yield Finding("shared", (0,), seen.stake([0], 0.5), confidence=0.5)
        yield Finding("cheap", (1,), seen.stake([1], 0.001))
        yield Finding("unpriced", (1, 99))
        yield CannotTell("no log", "give one", (0, 1))
        yield CannotTell("no log", "give one", (2,))

    def first(seen: Any, limits: Any) -> Any:
        yield Finding("clocks")

    plugs = {
        "b": Plug("b", ModuleType("b"), Rule("BB001", "title", Severity.WARNING, check)),
        "a": Plug("a", ModuleType("a"), Rule("AA001", "title", Severity.NOTE, first, is_first=True)),
    }
    monkeypatch.setitem(RULES.__dict__, "_loaded", (plugs, ()))
    plan = EnginePlan(engine(*(layer(name) for name in "abc")))
    plan.times = times(plan.layers, ms, ms, ms)
    return read_review(review(Performance(plan)))


def test_findings_stand_in_groups_by_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    found = reading(monkeypatch)
    groups = [(each.message, each.group) for each in found.findings]
    assert groups == [("clocks", FIRST), ("dear", DEAR), ("cheap", CHEAP), ("shared", SHARED), ("unpriced", UNPRICED)]
    dear, shared = found.findings[1], found.findings[3]
    assert dear.counted_ms == 1.0 and dear.share_pct == pytest.approx(100 / 3)
    assert shared.counted_ms == 0.0 and shared.by_itself_ms == 0.5
    assert found.findings[4].layers == ("b",)  # a place that does not exist is left out
    assert found.statements[0] == "5 findings: 4 warnings, 1 note; 2 rules ran."
    assert found.statements[1].startswith("At stake: at most 1.0010 of 3.0000 ms (33.4 %)")


def test_without_times_there_is_no_price(monkeypatch: pytest.MonkeyPatch) -> None:
    found = reading(monkeypatch, None)
    assert {each.group for each in found.findings} == {FIRST, UNPRICED}
    assert found.total_ms is None and found.at_stake_ms is None
    assert "Nothing was timed" in found.statements[1]
    assert found.as_dict()["findings"][1]["counted_ms"] is None


def test_the_same_reasons_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    (unknown,) = reading(monkeypatch).unknown
    assert unknown_text(unknown) == "BB001: no log (3 layers); give one"


def test_the_report_tells_what_limits_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    content = review_content(reading(monkeypatch), most=2)
    assert [table.title for table in content.tables] == [FIRST, "Findings: the first 2 of 4", "Cannot tell"]
    assert [len(table.rows) for table in content.tables] == [1, 2, 1]


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [(None, "ms", "–"), (float("nan"), "ms", "–"), (1.5, "ms", "1.5000 ms"), (2048, "bytes", "2.0 KiB"),
     (12.34, "%", "12.3 %"), (12.34, "pct", "12.3 %"), (1234567, "", "1,234,567"), (True, "", "True"),
     (0.123456, "", "0.1235"), ("FP16", "", "FP16"), (3, "layers", "3 layers")],
)  # fmt: skip
def test_values_read_well(value: Any, unit: str, words: str) -> None:
    assert value_text(value, unit) == words
    assert evidence_text(Evidence("it", value, unit)) == f"it: {words}"


def test_few_names() -> None:
    assert few([]) == "" and few(["a", "b", "c"]) == "a, b, c" and few("abcde", 2) == "a, b and 3 more"
