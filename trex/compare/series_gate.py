"""Conditions and Series → Judged: the gate applied to every engine that is compared with the base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trex.compare.gate import Condition, Judged, judge
from trex.compare.series import Series


def judge_all(series: Series, conditions: Sequence[Sequence[Condition]]) -> tuple[Judged, ...]:
    """Every other engine of a series against its base. conditions: one list for each of them, in their order."""
    if len(series.comparisons) == 1:
        return judge(series.comparisons[0], conditions[0])
    found: list[Judged] = []
    for name, comparison, asked in zip(series.names[1:], series.comparisons, conditions, strict=True):
        for each in judge(comparison, asked):
            words, subject = f"{name}: {each.words}", f"{name}: {each.subject}"
            found.append(replace(each, engine=name, words=words, subject=subject))
    return tuple(found)
