"""LintResult → Document: the headline, findings, and what could not be checked or is suppressed."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from tests import factories
from tests.factories import layer, times
from trex.core.configuration import LintSettings, Suppression
from trex.core.registry import Plug
from trex.export.document import RenderStyle, render_document
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.finding import Finding, Severity, Unchecked
from trex.rules.lint import lint
from trex.rules.lint_result import LintResult
from trex.rules.rule import RULES, Rule
from trex.views.document import Document
from trex.views.findings import details_of, few, savings_text, value_text
from trex.views.lint import headline, lint_document, top_findings


def linted(monkeypatch: pytest.MonkeyPatch, ms: float | None = 1.0, settings: LintSettings | None = None) -> LintResult:
    def check(engine: Any, limits: Any) -> Any:
        yield Finding("large", (0,), engine.savings([0]))
        yield Finding("counted", (0,), engine.savings([0], 0.5), confidence=0.5)
        yield Finding("small", (1,), engine.savings([1], 0.001))
        yield Finding("unknown", (1, 99))
        yield Unchecked("no log", "add one", (0, 1))
        yield Unchecked("no log", "add one", (2,))

    def first(engine: Any, limits: Any) -> Any:
        yield Finding("clocks", severity=Severity.ERROR)

    plugs = {
        "b": Plug("b", ModuleType("b"), Rule("BB001", "title", Severity.WARNING, check)),
        "a": Plug("a", ModuleType("a"), Rule("AA001", "title", Severity.NOTE, first, is_first=True)),
    }
    monkeypatch.setitem(RULES.__dict__, "_loaded", (plugs, ()))
    plan = EnginePlan(factories.engine(*(layer(name) for name in "abc")))
    plan.times = times(plan.working_layers, ms, ms, ms)
    return lint(Performance(plan), settings or LintSettings())


def test_top_findings_show_the_likely_savings_first(monkeypatch: pytest.MonkeyPatch) -> None:
    table = top_findings(linted(monkeypatch))
    assert [column.key for column in table.columns] == ["finding", "code", "likely_savings_ms", "savings_ms"]
    assert [column.meaning for column in table.columns[2:]] == [
        "likely savings in layer time",
        "savings at most, in layer time",
    ]


def text_of(document: Document) -> str:
    return render_document(document, "text", RenderStyle(verbose=False)).decode()


def test_the_headline_and_savings(monkeypatch: pytest.MonkeyPatch) -> None:
    result = linted(monkeypatch)
    assert headline(result) == "3 findings (1 error), likely savings 1.00 of 3.00 ms layer time"
    savings = {finding.message: savings_text(finding) for finding in result.findings}
    assert list(savings) == ["clocks", "large", "small", "counted", "unknown"]
    assert savings["large"] == "save ≤ 1.00 ms" and savings["small"] == "save ≤ 0.001 ms"
    assert savings["counted"] == "≤ 0.50 ms, counted above"
    assert savings["clocks"] == savings["unknown"] == ""
    assert result.findings[-1].layer_names == ("b",), "a layer that does not exist is left out"


@pytest.mark.parametrize(
    ("reported", "words"),
    [
        ([], "no findings (1 rule)"),
        ([Finding("note", (0,), severity=Severity.NOTE)], "1 finding, minor"),
        ([Finding("note", (0,), severity=Severity.NOTE), Finding("small", (0,), {0: 0.001})], "2 findings, all minor"),
        ([Finding("unlikely", (0,), {0: 0.06}, confidence=0.4)], "1 finding, minor"),
        ([Finding("likely", (0,), {0: 0.06}, confidence=0.6)], "1 finding, likely savings 0.036 of 3.00 ms layer time"),
        ([Finding("unpriced", (0,))], "1 finding"),
    ],
)
def test_the_headline_counts_what_is_shown(
    monkeypatch: pytest.MonkeyPatch, reported: list[Finding], words: str
) -> None:
    rule = Rule("BB001", "title", Severity.WARNING, lambda engine, limits: reported)
    monkeypatch.setitem(RULES.__dict__, "_loaded", ({"b": Plug("b", ModuleType("b"), rule)}, ()))
    plan = EnginePlan(factories.engine(*(layer(name) for name in "abc")))
    plan.times = times(plan.working_layers, 1.0, 1.0, 1.0)
    assert headline(lint(Performance(plan))) == words


def test_without_times_savings_are_unknown_not_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    document = lint_document(linted(monkeypatch, None))
    assert document.subtitle == "5 findings (1 error)"
    (sentence,) = document.section("findings").statements
    assert sentence.startswith("Not measured")
    assert document.section("findings").data["savings_ms"] is None and " 0 ms" not in text_of(document)


def test_equal_reasons_are_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    section = lint_document(linted(monkeypatch)).section("unchecked")
    assert section.is_folded and section.statements == ("1 point (-v lists them): no log",)
    assert section.tables[0].rows == (("BB001", "no log", 3, "add one"),)
    assert section.data["unchecked"][0]["layers"] == 3


def test_suppressed_findings_are_counted_and_listed_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    result = linted(monkeypatch, settings=LintSettings(suppressions=(Suppression("BB001", "known"),)))
    assert "Suppressed: 4 findings (--show-suppressed lists them)" in text_of(lint_document(result))
    document = lint_document(result, shows_suppressed=True)
    assert len(document.section("suppressed").tables[0].rows) == 4 and "unknown" in text_of(document)
    assert [item["suppressed"] for item in document.section("suppressed").data["suppressed"]] == ["known"] * 4


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [(None, "ms", "–"), (float("nan"), "ms", "–"), (1.5, "ms", "1.5000 ms"), (2048, "bytes", "2.0 KiB"),
     (12.34, "%", "12.3 %"), (12.34, "pct", "12.3 %"), (1234567, "", "1,234,567"), (True, "", "True"),
     (0.123456, "", "0.1235"), ("FP16", "", "FP16"), (3, "layers", "3 layers")],
)  # fmt: skip
def test_values_read_well(value: Any, unit: str, words: str) -> None:
    assert value_text(value, unit) == words


def test_alternatives_and_further_steps_have_their_words(monkeypatch: pytest.MonkeyPatch) -> None:
    finding = Finding("slow", (0,), fix=("do this", "that", "then compare"))
    rule = Rule("BB001", "title", Severity.WARNING, lambda engine, limits: [finding])
    monkeypatch.setitem(RULES.__dict__, "_loaded", ({"b": Plug("b", ModuleType("b"), rule)}, ()))
    (ranked,) = lint(Performance(EnginePlan(factories.engine(layer("a"))))).findings
    assert list(details_of(ranked, explain=False)) == [("Fix", "do this"), ("Or", "that"), ("Then", "compare")]


def test_few_names() -> None:
    assert few([]) == "" and few(["a", "b", "c"]) == "a, b, c" and few("abcde", 2) == "a, b and 3 more"
