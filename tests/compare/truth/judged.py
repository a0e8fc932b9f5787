"""Scenario → Judged: how much of the truth about its pairs of engines ``trex.compare`` finds."""

from __future__ import annotations

from dataclasses import dataclass

from tests.compare.truth import changes as made
from tests.compare.truth.pair import Group, Pair, Score, distance_of, score_of, share_of
from tests.compare.truth.scenarios import pairs_of
from trex.compare.plan_diff import PlanDiff


@dataclass(frozen=True)
class Judged:
    """score: of all pairs of engines together. distances: of the causes told from the true ones, for each. left_open:
    the parts of the time that changed of which the files do not tell the cause.
    """

    score: Score
    distances: tuple[float, ...]
    left_open: tuple[float, ...]


def judged(change: str, told: str, blocks: int, seeds: int) -> Judged:
    score, distances, left_open = Score(0, 0, 0), [], []
    for _, make in pairs_of(change, told, blocks, seeds):
        pair = make()
        one, distance = judged_pair(pair)
        score += one
        distances.append(distance)
        left_open.append(share_of(made.UNEXPLAINED, pair.causes))
    return Judged(score, tuple(distances), tuple(left_open))


def judged_pair(pair: Pair) -> tuple[Score, float]:
    """(correspondence, distance of the causes)."""
    found = PlanDiff(pair.left, pair.right)
    return score_of(groups_of(found), pair.groups), distance_of(causes_of(found), pair.causes)


def groups_of(found: PlanDiff) -> list[Group]:
    return [(match.left, match.right) for match in found.alignment.matches]


def causes_of(found: PlanDiff) -> dict[str, float]:
    told: dict[str, float] = {}
    for change in found.changes:
        told[change.cause.value] = told.get(change.cause.value, 0.0) + change.difference_ms
    return told
