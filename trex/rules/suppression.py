"""Findings and suppressions → what is told, what is not, and Notes on suppressions that no longer hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from fnmatch import fnmatchcase, translate

from trex.core.configuration import Suppression
from trex.core.counted import counted
from trex.core.note import Note
from trex.rules.finding import Finding
from trex.rules.inspected import Inspected
from trex.rules.rule import RULES, Rule

Found = tuple[str, Rule, Finding]


def fits(pattern: str, name: str, rule: Rule) -> bool:
    """Whether a code, a name or a glob means this rule; case does not matter for codes."""
    return fnmatchcase(rule.code.lower(), pattern.lower()) or fnmatchcase(name, pattern.lower())


def without_suppressed(
    found: Sequence[Found], suppressions: Sequence[Suppression], seen: Inspected, today: date
) -> tuple[list[Found], list[tuple[Found, str]], tuple[Note, ...]]:
    """(told, (not told, why), notes). The first suppression that covers a finding counts.

    One that has expired suppresses nothing: the note says so where it would have. One whose rule does not exist is
    told, as it is most likely misspelt.
    """
    told: list[Found] = []
    hidden: list[tuple[Found, str]] = []
    covers = [_Cover(each, seen) for each in suppressions]
    expired = [0] * len(suppressions)
    for each in found:
        covering = [place for place, cover in enumerate(covers) if cover(each)]
        holding = [place for place in covering if not _is_over(suppressions[place], today)]
        if holding:
            hidden.append((each, suppressions[holding[0]].reason))
            continue
        told.append(each)
        for place in covering:
            expired[place] += 1
    notes = [_expired(suppressions[place], number) for place, number in enumerate(expired) if number]
    notes += [_unknown(each) for each in suppressions if not _is_of_a_rule(each.rule)]
    return told, hidden, tuple(notes)


class _Cover:
    """Whether a finding is covered; patterns are compiled once and each layer's name is matched once."""

    def __init__(self, suppression: Suppression, seen: Inspected) -> None:
        self.rule, self.seen = suppression.rule, seen
        self.names = frozenset(suppression.layers)
        self.is_of_all = "*" in self.names
        self.pattern = re.compile("|".join(map(translate, suppression.layers)))
        self.known: dict[int, bool] = {}

    def __call__(self, found: Found) -> bool:
        name, rule, finding = found
        if not fits(self.rule, name, rule):
            return False
        return self.is_of_all or (bool(finding.layers) and all(map(self._is_named, finding.layers)))

    def _is_named(self, index: int) -> bool:
        answer = self.known.get(index)
        if answer is None:
            place = self.seen.place_of.get(index)
            name = "" if place is None else self.seen.layers[place].name
            # Names of layers hold brackets, which mean something in a glob: a whole name is itself.
            answer = self.known[index] = name in self.names or self.pattern.match(name) is not None
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
