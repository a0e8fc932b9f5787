"""Findings and suppressions → what is told, what is not, and Notes on suppressions that no longer hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from datetime import date
from fnmatch import fnmatchcase, translate

from trex.core.configuration import Suppression
from trex.core.counted import counted
from trex.core.note import Note
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import Finding
from trex.rules.rule import RULES, Rule

Found = tuple[str, Rule, Finding]


def fits(pattern: str, name: str, rule: Rule) -> bool:
    """Whether a code, a name or a glob means this rule; case does not matter for codes."""
    return fnmatchcase(rule.code.lower(), pattern.lower()) or fnmatchcase(name, pattern.lower())


def without_suppressed(
    found: Sequence[Found], suppressions: Sequence[Suppression], seen: Inspected, today: date
) -> tuple[list[Found], list[tuple[Found, str]], tuple[Note, ...]]:
    """(told, (not told, why), notes). A finding is not told when all layers that it is about are suppressed.

    When some are, it is told of the others: their names and time are left out, and the message says so. A suppression
    that has expired suppresses nothing: the note says so where it would have. One whose rule does not exist is told, as
    it is most likely misspelled.
    """
    told: list[Found] = []
    hidden: list[tuple[Found, str]] = []
    covers = [_Cover(each, seen) for each in suppressions]
    expired = [0] * len(suppressions)
    for each in found:
        covered = [(place, layers) for place, cover in enumerate(covers) if (layers := cover(each)) is not None]
        holding = [(place, layers) for place, layers in covered if not _is_over(suppressions[place], today)]
        whole = [place for place, _ in holding if covers[place].is_of_all]
        left_out = {index for _, layers in holding for index in layers}
        reasons = "; ".join(dict.fromkeys(suppressions[place].reason for place, _ in holding))
        about = each[2].about or each[2].layers
        if whole:
            hidden.append((each, suppressions[whole[0]].reason))
        elif left_out and left_out.issuperset(about):
            hidden.append((each, reasons))
        else:
            told.append((each[0], each[1], _without(each[2], left_out, reasons)) if left_out else each)
            for place in {place for place, _ in covered} - {place for place, _ in holding}:
                expired[place] += 1
    notes = [_expired(suppressions[place], number) for place, number in enumerate(expired) if number]
    notes += [_unknown(each) for each in suppressions if not _is_of_a_rule(each.rule)]
    return told, hidden, tuple(notes)


def _without(finding: Finding, left_out: Set[int], reasons: str) -> Finding:
    """The finding at its other layers."""
    number, whole = len(left_out), len(finding.layers)
    words = f"{number} of its {counted(whole, 'layer')} {'is' if number == 1 else 'are'} suppressed"
    return replace(
        finding,
        message=f"{finding.message}; {words}: {reasons}",
        layers=tuple(index for index in finding.layers if index not in left_out),
        at_stake={index: ms for index, ms in finding.at_stake.items() if index not in left_out},
    )


def matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Whether a name is meant by one of these globs, or is one of them: brackets in it mean something in a glob."""
    names, pattern = frozenset(patterns), re.compile("|".join(map(translate, patterns)))
    return lambda name: name in names or pattern.match(name) is not None


class _Cover:
    """Which layers of a finding are covered; patterns are compiled once and each layer's name is matched once."""

    def __init__(self, suppression: Suppression, seen: Inspected) -> None:
        self.rule, self.seen = suppression.rule, seen
        self.is_of_all = "*" in suppression.layers
        self.is_named = matcher(suppression.layers)
        self.known: dict[int, bool] = {}

    def __call__(self, found: Found) -> tuple[int, ...] | None:
        """Indexes of the layers that are covered; None where nothing of the finding is."""
        name, rule, finding = found
        if not fits(self.rule, name, rule):
            return None
        if self.is_of_all:
            return finding.layers
        return tuple(filter(self._is_covered, finding.layers)) or None

    def _is_covered(self, index: int) -> bool:
        answer = self.known.get(index)
        if answer is None:
            place = self.seen.place_of.get(index)
            name = "" if place is None else self.seen.layers[place].name
            answer = self.known[index] = self.is_named(name)
        return answer


def _is_over(suppression: Suppression, today: date) -> bool:
    return suppression.expires is not None and today > suppression.expires


def _is_of_a_rule(pattern: str) -> bool:
    return any(fits(pattern, plug.name, plug.value) for plug in RULES.values())


def _expired(suppression: Suppression, number: int) -> Note:
    return Note(
        "suppression-expired",
        f"the suppression of {suppression.rule} ({suppression.reason}) expired on {suppression.expires}: "
        f"{counted(number, 'finding is', 'findings are')} told again",
        "mend what is found, or say a later day and why",
        suppression.where,
    )


def _unknown(suppression: Suppression) -> Note:
    hint = "trex rules lists the rules"
    return Note("suppression-without-rule", f"no rule is called {suppression.rule!r}", hint, suppression.where)
