"""A general finding is left out where specific ones report its layers."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.factories import layer, t
from tests.rules.cases import analyzed
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Finding, Severity
from trex.rules.repetition import _better, _depth, without_repeated
from trex.rules.rule import RULES, Rule


def engine(*ms: float) -> AnalyzedEngine:
    return analyzed(*(layer(f"l{n}", "Convolution", [t(f"x{n}")], [t(f"y{n}")]) for n in range(4)), ms=ms)


def kept(engine: AnalyzedEngine, *reported: tuple[str, tuple[str, ...], Finding]) -> list[str]:
    items = [
        ("any", Rule(code, "title", Severity.WARNING, lambda *_: (), yields_to=patterns), finding)
        for code, patterns, finding in reported
    ]
    return [rule.code for _, rule, _ in without_repeated(items, engine)]


def about(*layers: int, savings: Mapping[int, float] | None = None) -> Finding:
    return Finding("message", layers, savings or {})


def test_what_others_report_is_left_out() -> None:
    timed = engine(1.0, 1.0, 1.0, 1.0)
    special, general = ("SPEC001", (), about(0, 1)), ("GEN001", ("SPEC*",), about(0, 1))
    assert kept(timed, general, special) == ["SPEC001"]
    assert kept(timed, general, ("OTHER001", (), about(0, 1))) == ["GEN001", "OTHER001"]
    assert kept(timed, ("GEN001", ("SPEC*",), about(0, 1, 2)), special) == ["GEN001", "SPEC001"]
    assert kept(timed, ("GEN001", ("SPEC*",), about()), special) == ["GEN001", "SPEC001"]  # about the engine


def test_savings_show_which_layers_a_finding_explains() -> None:
    timed = engine(1.0, 1.0, 1.0, 1.0)
    special = ("SPEC001", (), about(0, 1, 2, savings={0: 0.5}))
    assert kept(timed, ("GEN001", ("SPEC*",), about(0)), special) == ["SPEC001"]
    assert kept(timed, ("GEN001", ("SPEC*",), about(1)), special) == ["GEN001", "SPEC001"]


def test_a_percent_of_the_time_is_nothing_new_without_times_a_layer_is() -> None:
    special, general = ("SPEC001", (), about(0, 1)), ("GEN001", ("SPEC*",), about(0, 1, 2))
    assert kept(engine(1.0, 1.0, 0.01, 1.0), general, special) == ["SPEC001"]
    assert kept(engine(1.0, 1.0, 0.05, 1.0), general, special) == ["GEN001", "SPEC001"]
    assert kept(engine(), general, special) == ["GEN001", "SPEC001"]


def test_a_rule_yields_only_to_what_is_left() -> None:
    """The middle one yields to the first and is left out, so it takes nothing from the last."""
    timed = engine(1.0, 1.0, 1.0, 1.0)
    first = ("AA001", (), about(0))
    middle, last = ("BB001", ("AA001",), about(0)), ("AB001", ("BB*",), about(0))
    assert kept(timed, first, middle, last) == ["AA001", "AB001"]
    assert kept(timed, middle, last) == ["BB001"]


def test_rules_yield_in_no_circle() -> None:
    rules = {plug.value.code: plug.value for plug in RULES.values()}
    for code, rule in rules.items():
        assert 0 <= _depth(code, rules) < 8
        for pattern in rule.yields_to:
            assert any(pattern == other or pattern.endswith("*") for other in rules), (code, pattern)
    assert _better("REF005", rules) and not _better("PREC004", rules)


@pytest.mark.parametrize("ms", [(), (1.0, 1.0, 1.0, 1.0)])
def test_nothing_reported_is_nothing(ms: tuple[float, ...]) -> None:
    assert kept(engine(*ms)) == []
