"""Suppressions: what they cover, that they expire, and that their time is in no total."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from types import ModuleType
from typing import Any

import pytest

from tests.factories import engine, layer
from trex.core.configuration import LintConfiguration, LintSettings, Suppression
from trex.core.errors import TrexError
from trex.core.registry import Plug
from trex.engine_plan import load
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.finding import Finding, Severity
from trex.rules.lint import lint
from trex.rules.rule import RULES, Rule, RuleLimit

TODAY = date(2026, 5, 1)
NAMES = ("/head/conv1", "/head/conv[2]", "/tail/conv1")


@pytest.fixture
def performance() -> Performance:
    return Performance(EnginePlan(engine(*(layer(name) for name in NAMES))))


@pytest.fixture(autouse=True)
def rules(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    def check(seen: Any, limits: Any) -> Iterator[Finding]:
        yield Finding("head", (0, 1), {0: 1.0})
        yield Finding("tail", (2,))
        yield Finding("engine")

    rule = Rule("AA001", "title", Severity.WARNING, check, {"x": RuleLimit(1.0, "ms", "…")})
    monkeypatch.setitem(RULES.__dict__, "_loaded", ({"a-rule": Plug("a-rule", ModuleType("a"), rule)}, ()))
    yield lambda: None


def told(performance: Performance, *suppressions: Suppression) -> tuple[set[str], set[str]]:
    found = lint(performance, LintSettings(suppressions=suppressions), today=TODAY)
    assert all(each.suppressed for each in found.suppressed) and not any(each.suppressed for each in found.findings)
    return {each.message for each in found.findings}, {each.message for each in found.suppressed}


@pytest.mark.parametrize(
    ("layers", "hidden"),
    [
        (("*",), {"head", "tail", "engine"}),
        (("/head/*",), {"head"}),
        (("/head/conv1",), set()),  # it remains for its other layer
        (("/head/conv1", "/head/conv[2]"), {"head"}),  # a whole name is itself, brackets and all
        (("*conv1",), {"tail"}),
        (("/HEAD/*",), set()),
    ],
)
@pytest.mark.parametrize("rule", ["AA001", "aa*", "a-rule"])
def test_what_is_covered(performance: Performance, rule: str, layers: tuple[str, ...], hidden: set[str]) -> None:
    assert told(performance, Suppression(rule, "why", layers))[1] == hidden


def test_a_finding_remains_for_the_layers_that_are_left(performance: Performance) -> None:
    some = Suppression("AA001", "why", ("/head/conv1",))
    found = lint(performance, LintSettings(suppressions=(some,)), today=TODAY)
    partly = next(each for each in found.findings if each.message.startswith("head"))
    assert partly.message == "head; 1 of 2 layers is suppressed: why"
    assert partly.layers == (1,) and dict(partly.savings) == {} and not found.suppressed
    both = (some, Suppression("AA001", "too", ("/head/conv[2]",)))
    found = lint(performance, LintSettings(suppressions=both), today=TODAY)
    assert [each.suppressed for each in found.suppressed] == ["why; too"]


def test_neighbors_of_the_main_layers(performance: Performance, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(seen: Any, limits: Any) -> Iterator[Finding]:
        yield Finding("the add", (0, 2), {0: 1.0, 2: 1.0}, main_layers=(0,))

    rule = Rule("AA001", "title", Severity.WARNING, check)
    monkeypatch.setitem(RULES.__dict__, "_loaded", ({"a-rule": Plug("a-rule", ModuleType("a"), rule)}, ()))
    assert told(performance, Suppression("AA001", "why", ("/head/conv1",))) == (set(), {"the add"})
    assert told(performance, Suppression("AA001", "why", ("/tail/*",)))[0] == {
        "the add; 1 of 2 layers is suppressed: why"
    }


def test_a_suppressed_main_layer_is_none_of_what_remains(
    performance: Performance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a baseline without the suppressed layer has the finding too."""
    base = EnginePlan(engine(layer(NAMES[0])))

    def check(seen: Any, limits: Any) -> Iterator[Finding]:
        layers = (0,) if seen.plan is base else (0, 1)
        yield Finding("both", (*layers, 2), main_layers=layers)

    rule = Rule("AA001", "title", Severity.WARNING, check)
    monkeypatch.setitem(RULES.__dict__, "_loaded", ({"a-rule": Plug("a-rule", ModuleType("a"), rule)}, ()))
    settings = LintSettings(suppressions=(Suppression("AA001", "why", (NAMES[1],)),))
    (remains,) = lint(performance, settings, today=TODAY).findings
    assert remains.layers == (0, 2) and remains.main_layers == (0,)
    assert not lint(performance, settings, baseline=Performance(base), today=TODAY).findings


def test_another_rules_findings_remain(performance: Performance) -> None:
    found = lint(performance, LintSettings(suppressions=(Suppression("BB001", "why", where="x.toml:3"),)), today=TODAY)
    assert len(found.findings) == 3 and not found.suppressed
    (note,) = found.notes
    assert note.code == "suppression-without-rule" and note.where == "x.toml:3"


def test_the_last_day_is_the_last(performance: Performance) -> None:
    assert told(performance, Suppression("AA001", "why", expires=TODAY))[0] == set()
    over = Suppression("AA001", "why", ("/tail/*",), date(2026, 4, 30), "x.toml:3")
    found = lint(performance, LintSettings(suppressions=(over,)), today=TODAY)
    assert len(found.findings) == 3 and not found.suppressed
    (note,) = found.notes
    assert note.code == "suppression-expired" and "1 finding is reported again" in note.message
    assert "2026-04-30" in note.message and note.where == "x.toml:3"


def test_one_that_expired_does_not_undo_another(performance: Performance) -> None:
    over = Suppression("AA001", "old", expires=date(2020, 1, 1))
    found = lint(performance, LintSettings(suppressions=(over, Suppression("AA001", "new"))), today=TODAY)
    assert {each.suppressed for each in found.suppressed} == {"new"} and not found.notes and not found.findings


def test_a_call_adds_to_the_configuration(performance: Performance) -> None:
    configuration = LintConfiguration(
        LintSettings(("AA*",), (), {"AA001": {"x": 2.0}}, suppressions=(Suppression("AA001", "why"),)),
        "x/trex.toml",
    )
    settings = LintSettings(("a-rule",), ("aa001",), {"a-rule": {"x": 3.0}})
    result = lint(performance, settings, configuration)
    assert result.settings.select == ("a-rule",) and result.settings.ignore == ("aa001",)
    assert result.settings.limits == {"AA001": {"x": 2.0}, "a-rule": {"x": 3.0}}
    assert not result.rules and result.settings_file == "trex.toml"
    result = lint(performance, configuration=configuration)
    assert result.settings.ignore == () and len(result.suppressed) == 3 and not result.findings
    unknown = LintConfiguration(LintSettings(("B*",)), where="x/trex.toml")
    with pytest.raises(TrexError, match="no rule is called 'B\\*'") as wrong:
        lint(performance, configuration=unknown)
    assert wrong.value.where == "x/trex.toml"


def test_limits_of_a_rule_that_does_not_exist(performance: Performance) -> None:
    with pytest.raises(TrexError, match="no rule is called 'AA002'"):
        lint(performance, LintSettings(limits={"AA002": {"x": 1.0}}))
    assert len(lint(performance, LintSettings(limits={"aa001": {"x": 1.0}})).findings) == 3


def test_an_engine_is_not_healthy_for_what_is_suppressed() -> None:
    performance = Performance(load("example:resnet18-int8"))
    result = lint(performance, LintSettings(suppressions=(Suppression("*", "known"),)), today=TODAY)
    assert result.suppressed and result.diagnosis is not None and not result.diagnosis.is_healthy
    assert result.diagnosis.text.startswith("Apart from 3 suppressed findings: ")
