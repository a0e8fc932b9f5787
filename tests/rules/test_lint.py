"""Lint: which rules run, what their findings save together, and that one failing rule hides no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from tests import factories
from tests.perf.round_device import round_device
from tests.rules.cases import analyzed
from tests.simulated_examples import SIMULATED
from trex.core.configuration import LintConfiguration, LintSettings
from trex.core.errors import TrexError
from trex.core.registry import BrokenPlug, Plug
from trex.engine_plan import load
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Finding, Severity, Unchecked
from trex.rules.lint import lint
from trex.rules.lint_result import NAME_CHARS
from trex.rules.rule import RULES, Rule, RuleLimit
from trex.rules.similar import fold_similar
from trex.rules.wording import PREDICT_HINT, PROFILE_HINT
from trex.views.lint import failed_text


@pytest.fixture
def performance() -> Performance:
    return Performance(load(str(SIMULATED / "resnet18-int8")))


def test_rules_that_judge_a_measurement_do_not_run_on_predicted_times(rules: Callable[..., None]) -> None:
    asked = []

    def check(engine: AnalyzedEngine, limits: object) -> Iterator[Finding]:
        asked.append(engine)
        return iter(())

    rules(run=Rule("ABC001", "run", Severity.NOTE, check, needs_measurement=True))
    lint(Performance(load(str(SIMULATED / "resnet18-int8"))))
    assert not asked
    lint(analyzed(ms=()).performance)
    assert asked
    asked.clear()
    lint(analyzed(factories.layer("g", "gemm", tactic="__myelin_CASK_STUB")).performance)
    assert not asked


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Puts these rules in place of all."""

    def put(**made: Rule) -> None:
        plugs = {
            name.replace("_", "-"): Plug(name.replace("_", "-"), ModuleType(name), rule) for name, rule in made.items()
        }
        monkeypatch.setitem(RULES.__dict__, "_loaded", (plugs, ()))

    yield put


def rule(code: str, check: Callable[..., Any], **more: Any) -> Rule:
    return Rule(code, code.lower(), Severity.WARNING, check, **more)


def at(indexes: tuple[int, ...], part: float, confidence: float = 1.0) -> Callable[..., Any]:
    def check(engine: AnalyzedEngine, limits: dict[str, float]) -> Iterator[Finding]:
        yield Finding(
            "found",
            indexes,
            engine.savings([engine.position_of[index] for index in indexes], part),
            confidence=confidence,
        )

    return check


def test_no_time_counts_twice(rules: Any, performance: Performance) -> None:
    times = performance.prices.ms
    a, b, c = (int(position) for position in times.argsort()[::-1][:3])  # so that the first finding is the largest
    assert [performance.plan.working_layers[position].index for position in (a, b, c)] == [a, b, c]
    rules(
        first=rule("AA001", at((a, b), 0.75)),
        second=rule("BB001", at((b, c), 0.5)),
        third=rule("CC001", at((b,), 1.0, 0.1)),
    )
    found = lint(performance)
    one, two, three = (
        next(each for each in found.findings if each.code == code) for code in ("AA001", "BB001", "CC001")
    )
    assert one.savings_ms == pytest.approx(0.75 * (times[a] + times[b]))
    assert two.savings_ms == pytest.approx(0.5 * times[c])  # what it saves of b, the first saves already
    assert three.savings_ms == pytest.approx(0.25 * times[b])
    assert found.savings_ms == pytest.approx(0.75 * times[a] + times[b] + 0.5 * times[c])
    assert (found.savings_ms or 0) <= (found.total_ms or 0)


def test_a_rule_that_raises_is_listed_and_the_others_go_on(rules: Any, performance: Performance) -> None:
    def broken(engine: AnalyzedEngine, limits: dict[str, float]) -> Iterator[Finding]:
        yield Finding("before it broke")
        raise ZeroDivisionError("oh")

    rules(broken=rule("AA001", broken), sound=rule("BB001", at((0,), 1.0)))
    found = lint(performance)
    assert [(each.rule, each.error) for each in found.failed] == [("broken", "ZeroDivisionError: oh")]
    assert {each.code for each in found.findings} == {"AA001", "BB001"}


def test_a_rule_that_cannot_be_loaded_is_listed(performance: Performance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULES.__dict__, "_loaded", ({}, (BrokenPlug("theirs", "no module x"),)))
    (failed,) = lint(performance).failed
    assert failed_text(failed) == "the rule theirs failed: it cannot be loaded: no module x"


def test_unchecked_is_an_answer(rules: Any, performance: Performance) -> None:
    rules(asked=rule("AA001", lambda engine, limits: [Unchecked("no profile", "profile it")]))
    (answer,) = lint(performance).unchecked
    assert answer.code == "AA001" and answer.reason == "no profile"


def test_what_is_unchecked_for_one_reason_is_one_answer(rules: Any, performance: Performance) -> None:
    rules(
        asked=rule("AA001", lambda engine, limits: [Unchecked("why", "how", (layer,)) for layer in (1, 2)]),
        again=rule("BB001", lambda engine, limits: [Unchecked("why", PROFILE_HINT)]),
    )
    assert [(each.rule, each.layers) for each in lint(performance).unchecked] == [("asked", (1, 2)), ("again", ())]
    assert [each.hint for each in lint(performance).unchecked] == ["how", PROFILE_HINT]
    for_rtx = analyzed(factories.layer("g", "gemm", tactic="__myelin_CASK_STUB")).performance
    assert [each.hint for each in lint(for_rtx).unchecked] == ["how", PREDICT_HINT]


def test_a_wrong_pattern_of_the_configuration_has_its_address(rules: Any, performance: Performance) -> None:
    rules(conv_a=rule("CONV001", at((0,), 1.0)))
    own = LintConfiguration(LintSettings(select=("CNV*",)), where="trex.toml:3")
    with pytest.raises(TrexError, match="no rule is called") as caught:
        lint(performance, configuration=own)
    assert caught.value.where == "trex.toml:3"


def test_what_the_baseline_has_too_is_suppressed(rules: Any, performance: Performance) -> None:
    rules(a=rule("AA001", at((1,), 0.5)), b=rule("BB001", at((2,), 0.5)))
    found = lint(performance, baseline=performance)
    assert found.findings == () and {each.code for each in found.suppressed} == {"AA001", "BB001"}
    assert all(each.suppressed and not each.savings_ms for each in found.suppressed)
    assert found.savings_ms == 0.0


@pytest.mark.parametrize("layers", [(), (1,)])
def test_what_is_more_severe_than_in_the_baseline_is_new(
    rules: Any, performance: Performance, layers: tuple[int, ...]
) -> None:
    """As are other words without layers; not other numbers."""

    def says(message: str, severity: Severity) -> Callable[..., Any]:
        of_baseline = Finding("is off by 1.5 %", layers, severity=Severity.WARNING)
        return lambda engine, limits: [
            of_baseline if engine.plan is base else Finding(message, layers, severity=severity)
        ]

    base = load(str(SIMULATED / "resnet18-int8"))
    rules(
        a=rule("AA001", says("is off by 23 %", Severity.WARNING)),
        b=rule("BB001", says("is off by 23 %", Severity.ERROR)),
        c=rule("CC001", says("is missing", Severity.NOTE)),
    )
    found = lint(performance, baseline=Performance(base))
    assert {each.code for each in found.findings} == ({"BB001"} if layers else {"BB001", "CC001"})


@pytest.mark.parametrize(
    ("of_baseline", "of_engine", "is_new"),
    [
        (((0, 1), (0,)), ((1,), ()), True),  # the second layer was only a neighbor
        (((0, 1), (0,)), ((0, 1), (0,)), False),
        (((0, 1), ()), ((1,), ()), False),  # all were main layers
        (((0,), ()), ((2,), ()), True),  # another layer of the same name
        (((2,), ()), ((2, 1), (2,)), False),
    ],
)
def test_known_is_what_the_baseline_reports_at_the_same_main_layers(
    rules: Any, of_baseline: tuple[Any, Any], of_engine: tuple[Any, Any], is_new: bool
) -> None:
    base, new = (analyzed(*map(factories.layer, ("a", "b", "a"))).performance for _ in range(2))

    def check(engine: AnalyzedEngine, limits: object) -> Iterator[Finding]:
        layers, main_layers = of_baseline if engine.plan is base.plan else of_engine
        yield Finding("is slow", layers, main_layers=main_layers)

    rules(a=rule("AA001", check))
    result = lint(new, baseline=base)
    assert (len(result.findings), len(result.suppressed)) == ((1, 0) if is_new else (0, 1))


@pytest.mark.parametrize(
    ("gpu", "is_new", "notes"),
    [(Device("Other"), True, ["baseline-of-another-gpu"]), (round_device(), False, []), (None, False, [])],
)
def test_the_baseline_is_judged_on_its_own_gpu(rules: Any, gpu: Device | None, is_new: bool, notes: list[str]) -> None:
    """On that of the engine where it names none."""

    def check(engine: AnalyzedEngine, limits: object) -> Iterator[Finding]:
        if engine.performance.device is not None and engine.performance.device.name == "Round":
            yield Finding("is slow", (0,))

    rules(a=rule("AA001", check))
    plan = analyzed(factories.layer("a")).plan
    result = lint(Performance(plan, round_device()), baseline=Performance(plan, gpu))
    assert bool(result.findings) is is_new and [note.code for note in result.notes] == notes


def test_names_in_findings_are_clipped(rules: Any) -> None:
    """Many findings may concern one layer of a long name; its index identifies it."""
    rules(a=rule("AA001", lambda engine, limits: [Finding("is slow", (0,), tensors=("t" * 5000,))]))
    (found,) = lint(analyzed(factories.layer("a" * 5000)).performance).findings
    assert found.layers == (0,) and [*map(len, (*found.layer_names, *found.tensors))] == [NAME_CHARS, NAME_CHARS]


def test_of_equal_savings_the_more_severe_and_then_the_surer_is_first(rules: Any, performance: Performance) -> None:
    def says(*findings: Finding) -> Callable[..., Any]:
        return lambda engine, limits: findings

    rules(
        a=rule("AA001", says(Finding("x", severity=Severity.NOTE, confidence=0.9))),
        b=rule("BB001", says(Finding("x", severity=Severity.ERROR, confidence=0.1))),
        c=rule("CC001", says(Finding("x", severity=Severity.NOTE, confidence=1.0))),
    )
    found = lint(performance).findings
    assert [each.code for each in found] == ["BB001", "CC001", "AA001"]
    assert all(each.savings_ms is None and each.share_pct is None and each.why == "" for each in found)


def test_layers_that_are_not_in_the_engine_are_left_out(rules: Any, performance: Performance) -> None:
    rules(a=rule("AA001", lambda engine, limits: [Finding("x", (1, 999_999))]))
    (finding,) = lint(performance).findings
    assert finding.layers == (1,) and finding.layer_names == (performance.plan.working_layers[1].name,)


def test_a_finding_says_why_its_rule_matters(performance: Performance) -> None:
    found = lint(performance).findings
    assert found and all(each.why for each in found) and any(each.does_not_apply for each in found)


def test_rules_are_chosen_by_code_name_and_glob(rules: Any, performance: Performance) -> None:
    rules(
        conv_a=rule("CONV001", at((0,), 1.0)),
        conv_b=rule("CONV002", at((0,), 1.0)),
        other=rule("MEM001", at((0,), 1.0)),
    )
    assert tuple(lint(performance, LintSettings(select=("conv*",))).rules) == ("conv-a", "conv-b")
    assert tuple(lint(performance, LintSettings(select=("CONV001", "other"))).rules) == ("conv-a", "other")
    assert tuple(lint(performance, LintSettings(ignore=("conv-*",))).rules) == ("other",)
    with pytest.raises(TrexError, match="no rule is called 'CNV001'"):
        lint(performance, LintSettings(select=("CNV001",)))


def test_limits_are_the_rules_own_unless_set(rules: Any, performance: Performance) -> None:
    engine: list[dict[str, float]] = []

    def check(inspected: AnalyzedEngine, limits: dict[str, float]) -> list[Finding]:
        engine.append(dict(limits))
        return []

    rules(conv_a=rule("CONV001", check, limits={"share": RuleLimit(5.0, "%", "of the time")}))
    lint(performance)
    lint(performance, LintSettings(limits={"CONV001": {"share": 7.0}}))
    lint(performance, LintSettings(limits={"conv-a": {"share": 9.0}}))
    assert engine == [{"share": 5.0}, {"share": 7.0}, {"share": 9.0}]
    for name in ("conv_a", "Conv-A", "Conv001"):
        engine.clear()
        lint(performance, LintSettings(limits={name: {"share": 8.0}}))
        assert engine == [{"share": 8.0}]
    with pytest.raises(TrexError, match="no limit 'shar'") as caught:
        lint(performance, LintSettings(limits={"conv-a": {"shar": 9.0}}))
    assert caught.value.hint == "its limits: share"
    rules(conv_a=rule("CONV001", check))
    with pytest.raises(TrexError, match="no limit 'share'") as caught:
        lint(performance, LintSettings(limits={"conv-a": {"share": 9.0}}))
    assert caught.value.hint == "its limits: it has none"
    with pytest.raises(TrexError, match="no rule is called 'gone'"):
        lint(performance, LintSettings(limits={"gone": {"share": 9.0}}))


def test_experimental_rules_run_only_where_they_are_selected(rules: Any, performance: Performance) -> None:
    rules(usual=rule("AA001", at((0,), 0.5)), rare=rule("BB001", at((1,), 0.5), is_experimental=True))

    def codes(*select: str, ignore: tuple[str, ...] = ()) -> list[str]:
        return sorted(lint(performance, LintSettings(select=select, ignore=ignore)).rules.values())

    assert codes() == ["AA001"] and codes(ignore=("AA001",)) == []
    assert codes("BB001") == ["BB001"] and codes("rare", "AA*") == codes("*") == ["AA001", "BB001"]


def test_what_limits_the_others_comes_first(rules: Any, performance: Performance) -> None:
    rules(
        dear=rule("AA001", at((1,), 1.0)),
        cheap=rule("BB001", at((0,), 0.1)),
        clocks=rule("ZZ001", lambda engine, limits: [Finding("unsteady")], is_first=True),
    )
    assert [each.code for each in lint(performance).findings] == ["ZZ001", "AA001", "BB001"]


def test_what_comes_first_claims_its_time_first(rules: Any, performance: Performance) -> None:
    """What is counted above is above: the larger finding saves what the first one leaves."""
    rules(large=rule("AA001", at((1,), 0.9)), flag=rule("BB001", at((1,), 0.4), is_first=True))
    first, second = lint(performance).findings
    assert (first.code, first.savings_ms) == ("BB001", first.savings_alone_ms)
    assert second.savings_ms == pytest.approx((second.savings_alone_ms or 0.0) - (first.savings_ms or 0.0))


def test_what_dominates_comes_first_priced_or_not(rules: Any, performance: Performance) -> None:
    whole = AnalyzedEngine(performance).total_ms

    def unpriced(share: float, **more: Any) -> Callable[..., Any]:
        return lambda engine, limits: [Finding(f"takes {share:.0%}", about_ms=share * whole, **more)]

    rules(
        cheap=rule("AA001", at((0,), 0.5)),
        dear=rule("BB001", at(tuple(layer.index for layer in performance.plan.working_layers), 0.3)),
        region=rule("CC001", unpriced(0.389)),
        small_region=rule("DD001", unpriced(1e-9)),
        transfers=rule("EE001", unpriced(3.19, is_first=True)),
    )
    findings = lint(performance).findings
    assert [each.code for each in findings] == ["EE001", "CC001", "BB001", "AA001", "DD001"]
    assert [each.is_first for each in findings] == [True, False, False, False, False]
    assert [each.code for each in fold_similar(findings)] == ["EE001", "CC001", "BB001", "AA001", "DD001"]


def test_likely_savings_rank_and_are_in_gpu_compute_time(rules: Any, performance: Performance) -> None:
    prices = performance.prices
    (a, b) = (int(position) for position in prices.ms.argsort()[::-1][:2])
    rules(bold=rule("AA001", at((a,), 1.0, 0.1)), sure=rule("BB001", at((b,), 1.0, 0.9)))
    result = lint(performance)
    assert [finding.code for finding in result.findings] == ["BB001", "AA001"]
    sure = result.findings[0]
    assert sure.savings_ms == pytest.approx(prices.ms[b]) and sure.likely_savings_ms == pytest.approx(
        0.9 * prices.ms[b]
    )
    assert sure.savings_ms < performance.plan.layer_ms[b]
    assert sure.share_pct == pytest.approx(100 * prices.ms[b] / prices.total_ms)
    assert (result.total_ms, result.total_kind) == (prices.total_ms, "GPU compute")
