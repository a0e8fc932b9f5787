"""Suppressions: what they cover, that they expire, and that their time is in no total."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from types import ModuleType
from typing import Any

import pytest

from tests.factories import engine, layer
from trex.core.configuration import LintConfiguration, LintSettings, Preset, Suppression
from trex.core.errors import TrexError
from trex.core.registry import Plug
from trex.perf.known_devices import find_device
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.finding import Finding, Severity
from trex.rules.review import Choice, configured, review
from trex.rules.rule import RULES, Limit, Rule

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

    rule = Rule("AA001", "title", Severity.WARNING, check, {"x": Limit(1.0, "ms", "…")})
    monkeypatch.setitem(RULES.__dict__, "_loaded", ({"a-rule": Plug("a-rule", ModuleType("a"), rule)}, ()))
    yield lambda: None


def told(performance: Performance, *suppressions: Suppression) -> tuple[set[str], set[str]]:
    found = review(performance, Choice(suppressions=suppressions, today=TODAY))
    assert all(each.suppressed for each in found.suppressed) and not any(each.suppressed for each in found.findings)
    return {each.finding.message for each in found.findings}, {each.finding.message for each in found.suppressed}


@pytest.mark.parametrize(
    ("layers", "hidden"),
    [
        (("*",), {"head", "tail", "engine"}),
        (("/head/*",), {"head"}),
        (("/head/conv1",), set()),  # it is told of its other layer
        (("/head/conv1", "/head/conv[2]"), {"head"}),  # a whole name is itself, brackets and all
        (("*conv1",), {"tail"}),
        (("/HEAD/*",), set()),
    ],
)
@pytest.mark.parametrize("rule", ["AA001", "aa*", "a-rule"])
def test_what_is_covered(performance: Performance, rule: str, layers: tuple[str, ...], hidden: set[str]) -> None:
    assert told(performance, Suppression(rule, "why", layers))[1] == hidden


def test_a_finding_is_told_of_the_layers_that_are_left(performance: Performance) -> None:
    some = Suppression("AA001", "why", ("/head/conv1",))
    found = review(performance, Choice(suppressions=(some,), today=TODAY))
    partly = next(each.finding for each in found.findings if each.finding.message.startswith("head"))
    assert partly.message == "head; 1 of its 2 layers is suppressed: why"
    assert partly.layers == (1,) and dict(partly.at_stake) == {} and not found.suppressed
    both = (some, Suppression("AA001", "too", ("/head/conv[2]",)))
    found = review(performance, Choice(suppressions=both, today=TODAY))
    assert [each.suppressed for each in found.suppressed] == ["why; too"]


def test_layers_beside_those_that_a_finding_is_about(performance: Performance, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(seen: Any, limits: Any) -> Iterator[Finding]:
        yield Finding("the add", (0, 2), {0: 1.0, 2: 1.0}, about=(0,))

    rule = Rule("AA001", "title", Severity.WARNING, check)
    monkeypatch.setitem(RULES.__dict__, "_loaded", ({"a-rule": Plug("a-rule", ModuleType("a"), rule)}, ()))
    assert told(performance, Suppression("AA001", "why", ("/head/conv1",))) == (set(), {"the add"})
    assert told(performance, Suppression("AA001", "why", ("/tail/*",)))[0] == {
        "the add; 1 of its 2 layers is suppressed: why"
    }


def test_another_rules_findings_are_told(performance: Performance) -> None:
    found = review(performance, Choice(suppressions=(Suppression("BB001", "why", where="x.toml:3"),), today=TODAY))
    assert len(found.findings) == 3 and not found.suppressed
    (note,) = found.notes
    assert note.code == "suppression-without-rule" and note.where == "x.toml:3"


def test_the_last_day_is_the_last(performance: Performance) -> None:
    assert told(performance, Suppression("AA001", "why", expires=TODAY))[0] == set()
    choice = Choice(suppressions=(Suppression("AA001", "why", ("/tail/*",), date(2026, 4, 30), "x.toml:3"),))
    found = review(performance, Choice(suppressions=choice.suppressions, today=TODAY))
    assert len(found.findings) == 3 and not found.suppressed
    (note,) = found.notes
    assert note.code == "suppression-expired" and "1 finding is told again" in note.message
    assert "2026-04-30" in note.message and note.where == "x.toml:3"


def test_one_that_expired_does_not_undo_another(performance: Performance) -> None:
    over = Suppression("AA001", "old", expires=date(2020, 1, 1))
    found = review(performance, Choice(suppressions=(over, Suppression("AA001", "new")), today=TODAY))
    assert {each.suppressed for each in found.suppressed} == {"new"} and not found.notes and not found.findings


def test_a_configuration_is_below_the_choice(performance: Performance) -> None:
    configuration = LintConfiguration(
        LintSettings(("AA*",), ("a-*",), {"AA001": {"x": 2.0}}),
        (Preset("a100", LintSettings(ignore=("aa001",))),),
        (Suppression("AA001", "why"),),
    )
    on_a100 = Performance(performance.plan, find_device("A100 80GB PCIe"))
    choice = configured(configuration, Choice(("a-rule",), ("E",), {"a-rule": {"x": 3.0}}), on_a100)
    assert choice.select == ("a-rule",) and choice.ignore == ("a-*", "aa001", "E")
    assert choice.limits == {"AA001": {"x": 2.0}, "a-rule": {"x": 3.0}}
    assert configured(configuration, Choice(), performance).ignore == ("a-*",)
    with pytest.raises(TrexError, match="no rule is called 'B\\*'") as wrong:
        configured(LintConfiguration(LintSettings(("B*",)), where="x/trex.toml"), Choice(), performance)
    assert wrong.value.where == "x/trex.toml"


def test_limits_of_a_rule_that_does_not_exist(performance: Performance) -> None:
    with pytest.raises(TrexError, match="no rule is called 'AA002'"):
        review(performance, Choice(limits={"AA002": {"x": 1.0}}))
    assert len(review(performance, Choice(limits={"aa001": {"x": 1.0}})).findings) == 3
