"""Plan → LintResult: runs the rules and ranks their findings, so that no layer's time counts twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import date

from trex.core.collector import collector_paused
from trex.core.configuration import LintConfiguration, LintSettings
from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.printable import clipped
from trex.core.steps import in_steps
from trex.perf.performance import Performance
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.diagnosis import diagnose
from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.documentation import rule_sections
from trex.rules.finding import Finding, Unchecked
from trex.rules.lint_result import NAME_CHARS, Diagnosis, FailedRule, LintResult, RankedFinding
from trex.rules.repetition import without_repeated
from trex.rules.rule import RULES, Rule, matches
from trex.rules.suppression import ReportedFinding, severity_of, without_known, without_suppressed
from trex.rules.wording import PREDICT_HINT, PROFILE_HINT


def lint(
    performance: Performance,
    settings: LintSettings | None = None,
    configuration: LintConfiguration | None = None,
    baseline: Performance | None = None,
    today: date | None = None,
) -> LintResult:
    """Runs the selected rules over a plan. A rule that raises is listed as failed and the others go on.

    settings: what the call asks for, on top of the configuration's settings: it replaces what they select, and adds to
    what they ignore, limit and suppress. baseline: of another plan of the same model, whose
    findings are suppressed; on the same GPU if its own is unknown. today: the day on which suppressions may have
    expired, None for this one. Raises TrexError for a selection that matches no rule, with the file's address where it
    is the configuration's, and for a limit that a rule does not have.
    """
    configuration = configuration or LintConfiguration()
    own = configuration.settings
    for pattern in (*own.select, *own.ignore):
        _check_is_known(pattern, configuration.where)
    with collector_paused():  # what is built here is kept, and every collection would walk through a large plan
        whole = own.with_more(settings or LintSettings())
        today = today or date.today()
        known = None
        if baseline is not None:
            if baseline.device is None:
                baseline = Performance(baseline.plan, performance.device)
            known = _lint(AnalyzedEngine(baseline), whole, "", today)
        return _lint(AnalyzedEngine(performance), whole, configuration.file_name, today, known)


def _lint(
    engine: AnalyzedEngine,
    settings: LintSettings,
    settings_file: str,
    today: date,
    baseline: LintResult | None = None,
) -> LintResult:
    reported: list[ReportedFinding] = []
    unchecked: dict[tuple[str, str, str], Unchecked] = {}
    failed = [FailedRule(plug.name, plug.name, f"it cannot be loaded: {plug.reason}") for plug in RULES.broken]
    is_predicted = engine.plan.provenance.has_predicted_times or (engine.is_for_rtx and not engine.is_timed)
    selected = selected_rules(settings)
    for name, rule in in_steps("rule", selected):
        if is_predicted and rule.needs_measurement:
            continue
        try:
            for answer in rule.check(engine, limits_of(name, rule, settings)):
                if isinstance(answer, Finding):
                    reported.append((name, rule, answer))
                    continue
                if answer.hint == PROFILE_HINT and engine.is_for_rtx:
                    answer = replace(answer, hint=PREDICT_HINT)
                key = (name, answer.reason, answer.hint)
                before = unchecked[key].layers if key in unchecked else ()
                unchecked[key] = replace(answer, layers=(*before, *answer.layers), rule=name, code=rule.code)
        except TrexError:
            raise
        except Exception as error:  # a bug in one rule must not hide what the others find
            failed.append(FailedRule(name, rule.code, f"{type(error).__name__}: {error}"))
    reported = without_repeated(reported, engine)
    kept, hidden, notes = without_suppressed(reported, settings.suppressions, engine, today)
    if baseline is not None:
        kept, known = without_known(kept, baseline, engine)
        hidden += known
        notes += _of_another_gpu(engine.performance, baseline.performance)
    findings = ranked(kept, engine)
    reasons = {id(finding): reason for (_, _, finding), reason in hidden}
    return LintResult(
        performance=engine.performance,
        findings=findings,
        unchecked=tuple(unchecked.values()),
        failed=tuple(failed),
        total_ms=engine.performance.prices.total_ms,
        total_kind=engine.performance.prices.kind,
        savings_ms=None if not engine.is_timed else sum(finding.savings_ms or 0.0 for finding in findings),
        rules={name: rule.code for name, rule in selected},
        suppressed=ranked([item for item, _ in hidden], engine, reasons),
        notes=(*notes, *(engine.performance.prices.notes if findings else ())),
        settings=settings,
        settings_file=settings_file,
        diagnosis=_diagnosis(engine, findings, selected, len(hidden)),
    )


def _of_another_gpu(performance: Performance, baseline: Performance) -> tuple[Note, ...]:
    """A Note if the baseline's GPU is another one."""
    if performance.device is None or baseline.device is None or performance.device.name == baseline.device.name:
        return ()
    message = (
        f"the GPU of the baseline is {baseline.device.name}, of this engine {performance.device.name}: each is judged "
        "by its own, so some findings may be new for this reason alone"
    )
    return (Note("baseline-of-another-gpu", message, "--device NAME judges both by one GPU"),)


def _diagnosis(
    engine: AnalyzedEngine, findings: Sequence[RankedFinding], selected: Sequence[tuple[str, Rule]], hidden: int
) -> Diagnosis | None:
    """hidden: number of suppressed findings, without which no engine is healthy."""
    if len(selected) < len(selected_rules(LintSettings())):
        return None
    diagnosis = diagnose(DiagnosisFacts(engine, findings))
    if diagnosis is None or not hidden:
        return diagnosis
    apart = f"Apart from {counted(hidden, 'suppressed finding')}: "
    return replace(diagnosis, text=apart + diagnosis.text, is_healthy=False)


def selected_rules(settings: LintSettings) -> list[tuple[str, Rule]]:
    """(name, rule) of the rules to run, by code. Raises TrexError for a pattern that matches none."""
    rules = [(plug.name, plug.value) for plug in RULES.values()]
    for pattern in (*settings.select, *settings.ignore):
        _check_is_known(pattern)
    keys = {key for name, rule in rules for key in (name, rule.code.lower())}
    for key in settings.limits:
        if _plain_key(key) not in keys:
            raise TrexError(f"no rule is called {key!r}, whose limit is set", "trex rules lists them and their limits")
    by_default = not settings.select
    kept = [
        (name, rule)
        for name, rule in rules
        if ((by_default and not rule.is_experimental) or any(matches(wanted, name, rule) for wanted in settings.select))
        and not any(matches(pattern, name, rule) for pattern in settings.ignore)
    ]
    return sorted(kept, key=lambda item: (not item[1].is_first, item[1].code))


def _plain_key(key: str) -> str:
    return key.lower().replace("_", "-")


def _check_is_known(pattern: str, where: str = "") -> None:
    """Raises TrexError for a code, name or glob that matches no rule."""
    plugs = RULES.values()
    if not any(matches(pattern, plug.name, plug.value) for plug in plugs):
        from trex.core.near_names import did_you_mean

        known = [*(plug.value.code for plug in plugs), *(plug.name for plug in plugs)]
        raise TrexError(f"no rule is called {pattern!r}", did_you_mean(pattern, known, "trex rules lists them"), where)


def limits_of(name: str, rule: Rule, settings: LintSettings) -> dict[str, float]:
    """The rule's limits as set, by code or name in any case, else its own. Raises TrexError for an unknown limit."""
    given = {
        limit: value
        for key in sorted(settings.limits, key=lambda key: _plain_key(key) == name)  # the name wins over the code
        if _plain_key(key) in (name, rule.code.lower())
        for limit, value in settings.limits[key].items()
    }
    for key in given:
        if key not in rule.limits:
            known = ", ".join(rule.limits) or "it has none"
            raise TrexError(f"the rule {name} has no limit {key!r}", f"its limits: {known}")
    return {key: given.get(key, limit.default) for key, limit in rule.limits.items()}


def ranked(
    reported: Sequence[ReportedFinding], engine: AnalyzedEngine, reasons: Mapping[int, str] | None = None
) -> tuple[RankedFinding, ...]:
    """The findings in order, each with its savings in prices (``Performance.prices``).

    Findings claim time in turn: those that come first, then by confidence times milliseconds. What two of them save of
    one layer is mostly the same time (bytes that one calls written and the other added): the later one saves only what
    it claims beyond the former. reasons: {id of a finding: why it is suppressed}; then none has savings of its own.
    """
    priced = [
        (name, rule, replace(finding, savings=engine.priced(finding.savings))) for name, rule, finding in reported
    ]
    claimed: dict[int, float] = {}
    savings: dict[int, float] = {}
    for _, _, finding in sorted(
        priced, key=lambda item: (not _is_first(item), -(item[2].confidence * sum(item[2].savings.values())))
    ):
        savings[id(finding)] = 0.0
        for index, ms in finding.savings.items():
            before = claimed.get(index, 0.0)
            if ms > before:
                claimed[index] = ms
                savings[id(finding)] += ms - before
    order = sorted(
        priced,
        key=lambda item: (
            not _is_first(item),
            -max(item[2].confidence * savings[id(item[2])], item[2].about_ms),
            -savings[id(item[2])],
            -sum(item[2].savings.values()),
            -severity_of(item),
            -item[2].confidence,
            item[1].code,
            item[2].layers,
        ),
    )
    words = {id(after[2]): (reasons or {}).get(id(before[2]), "") for before, after in zip(reported, priced)}
    return tuple(
        _ranked(item, engine, savings[id(item[2])] if reasons is None else 0.0, words[id(item[2])]) for item in order
    )


def _ranked(item: ReportedFinding, engine: AnalyzedEngine, savings_ms: float, suppressed: str) -> RankedFinding:
    name, rule, finding = item
    total_ms = engine.performance.prices.total_ms if engine.is_timed else None
    is_known = total_ms is not None and bool(finding.savings)
    layers = tuple(index for index in finding.layers if index in engine.position_of)
    sections = rule_sections(RULES[name].doc) if name in RULES else {}
    given = {entry.name: getattr(finding, entry.name) for entry in fields(finding)}
    given |= {"layers": layers, "severity": severity_of(item), "is_first": _is_first(item)}
    given["tensors"] = tuple(clipped(name, NAME_CHARS) for name in finding.tensors)
    return RankedFinding(
        **given,
        code=rule.code,
        rule=name,
        title=rule.title,
        savings_ms=savings_ms if is_known else None,
        savings_alone_ms=sum(finding.savings.values()) if is_known else None,
        likely_savings_ms=finding.confidence * savings_ms if is_known else None,
        share_pct=100 * savings_ms / total_ms if is_known and total_ms is not None else None,
        layer_names=tuple(clipped(engine.layers[engine.position_of[index]].name, NAME_CHARS) for index in layers),
        why=sections.get("Why it matters", ""),
        does_not_apply=sections.get("Does not apply", ""),
        suppressed=suppressed,
    )


def _is_first(item: ReportedFinding) -> bool:
    _, rule, finding = item
    return rule.is_first or finding.is_first
