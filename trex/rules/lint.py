"""Plan → Review: every rule's findings, priced so that no time counts twice, and what could not be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from trex.core.collector import collector_paused
from trex.core.configuration import LintConfiguration, LintSettings, Suppression
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Finding, Severity
from trex.rules.rule import RULES, Rule
from trex.rules.suppression import fits, without_suppressed


@dataclass(frozen=True, slots=True)
class Priced:
    """A finding in its review. counted_ms: its part of the review's total: what no finding before it has counted.

    rule: the plug's name. suppressed: the reason why it is not to be told, "" for none.
    """

    rule: str
    code: str
    title: str
    severity: Severity
    finding: Finding
    counted_ms: float
    is_first: bool = False
    suppressed: str = ""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """What a rule cannot tell of this engine."""

    rule: str
    code: str
    answer: CannotTell


@dataclass(frozen=True, slots=True)
class FailedRule:
    """A rule that raised; the others went on. error: type and message."""

    rule: str
    code: str
    error: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Which rules run and how. select, ignore: codes, names or globs; nothing selected means all.

    limits: {rule's name or code: {limit: number}}. suppressions: what is not to be told. today: the day on which
    suppressions are judged, None for this one. settings: name of the file that says some of this, "" for none.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    limits: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    suppressions: tuple[Suppression, ...] = ()
    today: date | None = None
    settings: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """findings: what limits all others first, then by counted time, severity and confidence.

    total_ms: of the engine's layers; at_stake_ms: of all findings together, each layer's time at most once.
    rules: names of those that ran. suppressed: findings that are not to be told, each with the reason; their time is in
    no total. notes: on suppressions that no longer hold. choice: what was asked for.
    """

    findings: tuple[Priced, ...]
    unanswered: tuple[Unanswered, ...]
    failed: tuple[FailedRule, ...]
    total_ms: float
    at_stake_ms: float
    rules: tuple[str, ...]
    performance: Performance
    suppressed: tuple[Priced, ...] = ()
    notes: tuple[Note, ...] = ()
    choice: Choice = field(default_factory=Choice)


def review(performance: Performance, choice: Choice | None = None, baseline: EnginePlan | None = None) -> Review:
    """Runs the chosen rules over a plan. A rule that raises is told and the others go on.

    Raises TrexError for a selection that no rule answers, and for a limit that its rule has not.
    """
    with collector_paused():  # what is made here is kept, and a large plan is walked through by every collection
        return _review(performance, choice or Choice(), baseline)


def _review(performance: Performance, choice: Choice, baseline: EnginePlan | None) -> Review:
    inspected = Inspected(performance, baseline)
    found: list[tuple[str, Rule, Finding]] = []
    unanswered: list[Unanswered] = []
    failed: list[FailedRule] = []
    chosen = chosen_rules(choice)
    for name, rule in chosen:
        try:
            for answer in rule.check(inspected, limits_of(name, rule, choice)):
                if isinstance(answer, CannotTell):
                    unanswered.append(Unanswered(name, rule.code, answer))
                else:
                    found.append((name, rule, answer))
        except TrexError:
            raise
        except Exception as error:  # a rule's own mistake must not hide what the others find
            failed.append(FailedRule(name, rule.code, f"{type(error).__name__}: {error}"))
    told, hidden, notes = without_suppressed(found, choice.suppressions, inspected, choice.today or date.today())
    findings, at_stake_ms = priced(told, inspected)
    reasons = {id(each[2]): why for each, why in hidden}
    suppressed = tuple(
        replace(each, counted_ms=0.0, suppressed=reasons[id(each.finding)])
        for each in priced([each for each, _ in hidden], inspected)[0]
    )
    return Review(
        findings,
        tuple(unanswered),
        tuple(failed),
        inspected.total_ms,
        at_stake_ms,
        tuple(name for name, _ in chosen),
        performance,
        suppressed,
        notes,
        choice,
    )


def configured(configuration: LintConfiguration, choice: Choice, performance: Performance) -> Choice:
    """The choice on top of what a configuration says for the device: it selects instead, ignores and limits more.

    Raises TrexError with the file's address for a pattern of it that fits no rule.
    """
    device = performance.device
    found = configuration.for_device(
        "" if device is None else device.name, None if device is None else device.compute_capability
    )
    settings = found.settings.with_more(LintSettings(choice.select, choice.ignore, choice.limits))
    for pattern in (*found.settings.select, *found.settings.ignore):
        _check_is_known(pattern, configuration.where)
    suppressions = (*found.suppressions, *choice.suppressions)
    return replace(
        choice,
        select=settings.select,
        ignore=settings.ignore,
        limits=settings.limits,
        suppressions=suppressions,
        settings=configuration.file_name,
    )


def chosen_rules(choice: Choice) -> list[tuple[str, Rule]]:
    """(name, rule) of the rules that run, by code. Raises TrexError for a pattern that fits none."""
    every = [(plug.name, plug.value) for plug in RULES.values()]
    for pattern in (*choice.select, *choice.ignore):
        _check_is_known(pattern)
    keys = {key for name, rule in every for key in (name, rule.code.lower())}
    for key in choice.limits:
        if key.lower().replace("_", "-") not in keys:
            raise TrexError(f"no rule is called {key!r}, whose limit is set", "trex rules lists them and their limits")
    kept = [
        (name, rule)
        for name, rule in every
        if (not choice.select or any(fits(pattern, name, rule) for pattern in choice.select))
        and not any(fits(pattern, name, rule) for pattern in choice.ignore)
    ]
    return sorted(kept, key=lambda each: (not each[1].is_first, each[1].code))


def _check_is_known(pattern: str, where: str = "") -> None:
    """Raises TrexError for a code, name or glob that fits no rule."""
    plugs = RULES.values()
    if not any(fits(pattern, plug.name, plug.value) for plug in plugs):
        from trex.core.near_names import did_you_mean

        known = [*(plug.value.code for plug in plugs), *(plug.name for plug in plugs)]
        hint = did_you_mean(pattern, known, "trex rules lists them")
        raise TrexError(f"no rule is called {pattern!r}", hint, where)


def limits_of(name: str, rule: Rule, choice: Choice) -> dict[str, float]:
    """The rule's limits as set, by code in any case or by name, else its own. Raises TrexError for one it has not."""
    given = {
        limit: value
        for key in sorted(choice.limits, key=str.islower)  # its name, which goes before its code, is in lower case
        if key.upper() == rule.code or key.replace("_", "-") == name
        for limit, value in choice.limits[key].items()
    }
    for key in given:
        if key not in rule.limits:
            known = ", ".join(rule.limits) or "it has none"
            raise TrexError(f"the rule {name} has no limit {key!r}", f"its limits: {known}")
    return {key: given.get(key, limit.default) for key, limit in rule.limits.items()}


def priced(found: Sequence[tuple[str, Rule, Finding]], inspected: Inspected) -> tuple[tuple[Priced, ...], float]:
    """The findings in order, and what they hold together: of each layer at most its own time, counted by the first.

    The surest and dearest finding counts first: by confidence times milliseconds.
    """
    left: dict[int, float] = {}
    order = sorted(found, key=lambda each: -(each[2].confidence * each[2].at_stake_ms))
    counted: dict[int, float] = {}
    for _, _, finding in order:
        sum_ms = 0.0
        for index, stake in finding.at_stake.items():
            place = inspected.place_of.get(index)
            if place is None:
                continue
            room = left.setdefault(index, max(0.0, float(inspected.times_ms[place])))
            part = min(room, max(0.0, stake))
            left[index] = room - part
            sum_ms += part
        counted[id(finding)] = sum_ms
    result = [
        Priced(
            name,
            rule.code,
            rule.title,
            rule.severity if finding.severity is None else finding.severity,
            finding,
            counted[id(finding)],
            rule.is_first,
        )
        for name, rule, finding in found
    ]
    result.sort(
        key=lambda each: (
            not each.is_first,
            -each.counted_ms,
            -each.finding.at_stake_ms,
            -each.severity,
            -each.finding.confidence,
            each.code,
            each.finding.layers,
        )
    )
    return tuple(result), sum(counted.values())
