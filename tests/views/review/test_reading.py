"""LintResult → groups by savings, sentences, and values in words."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from trex.views.review.reading import (
    COUNTED,
    FIRST,
    LARGE,
    SMALL,
    UNKNOWN,
    evidence_text,
    few,
    group_of,
    statements,
    unchecked_text,
    value_text,
)
from trex.views.review.tables import lint_content

from tests import factories
from tests.factories import layer, times
from trex.core.registry import Plug
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.lint import lint
from trex.rules.lint_result import LintResult
from trex.rules.rule import RULES, Rule


def linted(monkeypatch: pytest.MonkeyPatch, ms: float | None = 1.0) -> LintResult:
    def check(engine: Any, limits: Any) -> Any:
        yield Finding("large", (0,), engine.savings([0]))
        yield Finding("counted", (0,), engine.savings([0], 0.5), confidence=0.5)
        yield Finding("small", (1,), engine.savings([1], 0.001))
        yield Finding("unknown", (1, 99))
        yield Unchecked("no log", "give one", (0, 1))
        yield Unchecked("no log", "give one", (2,))

    def first(engine: Any, limits: Any) -> Any:
        yield Finding("clocks")

    plugs = {
        "b": Plug("b", ModuleType("b"), Rule("BB001", "title", Severity.WARNING, check)),
        "a": Plug("a", ModuleType("a"), Rule("AA001", "title", Severity.NOTE, first, is_first=True)),
    }
    monkeypatch.setitem(RULES.__dict__, "_found", (plugs, ()))
    plan = EnginePlan(factories.engine(*(layer(name) for name in "abc")))
    plan.times = times(plan.layers, ms, ms, ms)
    return lint(Performance(plan))


def test_findings_are_in_groups_by_savings(monkeypatch: pytest.MonkeyPatch) -> None:
    found = linted(monkeypatch)
    groups = [(finding.message, group_of(finding)) for finding in found.findings]
    assert groups == [("clocks", FIRST), ("large", LARGE), ("small", SMALL), ("counted", COUNTED), ("unknown", UNKNOWN)]
    large, counted = found.findings[1], found.findings[3]
    assert large.savings_ms == 1.0 and large.share_pct == pytest.approx(100 / 3)
    assert counted.savings_ms == 0.0 and counted.savings_alone_ms == 0.5
    assert found.findings[4].layer_names == ("b",)  # a layer that does not exist is left out
    assert statements(found)[0] == "5 findings: 4 warnings, 1 note; 2 rules ran."
    assert "at most 1.0010 of 3.0000 ms (33.4 %)" in statements(found)[1]


def test_without_times_savings_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    found = linted(monkeypatch, None)
    assert {group_of(finding) for finding in found.findings} == {FIRST, UNKNOWN}
    assert found.total_ms is None and found.savings_ms is None
    assert "no layer times" in statements(found)[1]
    assert found.as_dict()["findings"][1]["savings_ms"] is None


def test_the_same_reasons_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    (unchecked,) = linted(monkeypatch).unchecked
    assert unchecked_text(unchecked) == "BB001: no log (3 layers); give one"


def test_the_report_shows_what_limits_first(monkeypatch: pytest.MonkeyPatch) -> None:
    content = lint_content(linted(monkeypatch), most=2)
    assert [table.title for table in content.tables] == [FIRST, "Findings: the first 2 of 4", "Can't check"]
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
