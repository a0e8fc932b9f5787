"""Pair: two engines, which of their layers correspond, and what of the difference in time each change made."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tests.compare.truth import changes as made
from tests.compare.truth.changes import Change, Changed
from tests.compare.truth.draft import END, Copy, Draft
from tests.compare.truth.spelling import Spelled, Speller, times_of
from tests.compare.truth.untold import Group, Side, left_open
from trex.plan.engine_plan import EnginePlan

PLAIN = Spelled()


@dataclass(frozen=True)
class Pair:
    """groups: (places left, places right) of layers that hold the same operations, or that convert the same result for
    the same reader; every layer is in one, and one side is empty for what the other lacks. causes: {words: ms},
    right less left, which add up to the difference of the sums of the layers; unexplained is what the files leave open.
    """

    left: EnginePlan
    right: EnginePlan
    groups: tuple[Group, ...]
    causes: dict[str, float]

    def swapped(self) -> Pair:
        groups = tuple((right, left) for left, right in self.groups)
        return Pair(self.right, self.left, groups, {words: -ms for words, ms in self.causes.items()})


def pair_of(
    base: Draft,
    steps: Sequence[Change],
    left: Spelled = PLAIN,
    right: Spelled = PLAIN,
    seed: int = 0,
    apart: bool = True,
) -> Pair:
    """The engine ``base`` and what the changes, one after another, make of it. apart: no change touches what another
    has touched, so that each layer's difference has one cause.
    """
    random = Random(f"pair {seed}")
    stages: list[Changed] = []
    draft = base
    for step in steps:
        taken = frozenset[int]().union(*(stage.touched for stage in stages)) if apart else made.NONE
        stages.append(step(draft, random, taken))
        draft = stages[-1].draft
    times = (times_of(base, left.noise, f"left {seed}"), times_of(draft, right.noise, f"right {seed}"))
    groups, operations = _groups(base, draft)
    spellers = Speller(base, left), Speller(draft, right)
    plans = spellers[0].plan(times[0]), spellers[1].plan(times[1])
    sides = Side(base, spellers[0]), Side(draft, spellers[1])
    causes: dict[str, list[float]] = defaultdict(list)
    spent = _stage_times(base, stages, operations)
    open_ = left_open(groups, sides)
    for number, (mine, theirs) in enumerate(groups):
        difference = math.fsum(times[1][place] for place in theirs) - math.fsum(times[0][place] for place in mine)
        members = operations.get(number)
        if members is None:
            causes[_of_copies(base, draft, (mine, theirs))].append(difference)
            continue
        effects = [
            (stage.cause, spent[at + 1][number] - spent[at][number])
            for at, stage in enumerate(stages)
            if not stage.touched.isdisjoint(members)
        ]
        if number in open_ and all(cause in (made.FUSION, made.LAYERS) for cause, _ in effects):
            causes[made.UNEXPLAINED].append(difference)
            continue
        rest = difference - math.fsum(ms for _, ms in effects)
        for cause, ms in effects:
            causes[cause].append(ms)
        main = max(effects, key=lambda effect: abs(effect[1]))[0] if effects else made.SAME
        causes[main].append(rest)
    if left.only_names or right.only_names:
        told = made.FUSION, made.LAYERS, made.REFORMATS, made.ATTENTION
        causes = {cause: causes[cause] for cause in told} | {
            made.UNEXPLAINED: [ms for cause, each in causes.items() if cause not in told for ms in each]
        }
    return Pair(*plans, tuple(groups), {cause: math.fsum(each) for cause, each in causes.items()})


def _groups(left: Draft, right: Draft) -> tuple[list[Group], dict[int, frozenset[int]]]:
    """(groups, {number of a group of kernels: its operations}): kernels hang together by the operations they share."""
    parent: dict[int, int] = {}

    def root(number: int) -> int:
        parent.setdefault(number, number)
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    for draft in (left, right):
        for kernel in draft.kernels:
            for number in kernel.operations:
                parent[root(number)] = root(kernel.operations[0])
    members: dict[tuple[object, ...], tuple[list[int], list[int]]] = {}
    operations: dict[tuple[object, ...], set[int]] = defaultdict(set)
    for side, draft in enumerate((left, right)):
        for place, step in enumerate(draft.steps):
            key: tuple[object, ...]
            if isinstance(step, Copy):
                key = (
                    "copy",
                    step.source if step.reader != END else END,
                    step.reader if step.reader == END else root(step.reader),
                )
            else:
                key = ("kernel", root(step.operations[0]))
                operations[key].update(step.operations)
            members.setdefault(key, ([], []))[side].append(place)
    number_of = {key: number for number, key in enumerate(members)}
    groups = [(tuple(mine), tuple(theirs)) for mine, theirs in members.values()]
    return groups, {number_of[key]: frozenset(each) for key, each in operations.items()}


def _stage_times(
    base: Draft, stages: Sequence[Changed], operations: dict[int, frozenset[int]]
) -> list[dict[int, float]]:
    """After each change: {number of a group: time of its kernels by the formula}."""
    owner = {number: group for group, members in operations.items() for number in members}
    found = []
    for draft in (base, *(stage.draft for stage in stages)):
        spent: dict[int, float] = defaultdict(float)
        for kernel in draft.kernels:
            spent[owner[kernel.operations[0]]] += draft.ms(kernel)
        found.append(spent)
    return found


def _of_copies(left: Draft, right: Draft, group: Group) -> str:
    mine, theirs = (
        [draft.steps[place] for place in places] for draft, places in zip((left, right), group, strict=True)
    )
    if len(mine) != len(theirs):
        return made.REFORMATS
    if left.network.image != right.network.image:
        return made.SHAPES
    kinds = [Counter((each.before, each.after) for each in side) for side in (mine, theirs)]  # type: ignore[union-attr]
    types = [Counter((each.before[0], each.after[0]) for each in side) for side in (mine, theirs)]  # type: ignore[union-attr]
    return made.SAME if kinds[0] == kinds[1] else made.TACTIC if types[0] == types[1] else made.PRECISION


@dataclass(frozen=True)
class Score:
    """Of layer pairs, one on each side: told is right with ``precision``, and what is right is told with ``recall``."""

    hits: int
    told: int
    true: int

    @property
    def precision(self) -> float:
        return self.hits / self.told if self.told else 1.0

    @property
    def recall(self) -> float:
        return self.hits / self.true if self.true else 1.0

    def __add__(self, other: Score) -> Score:
        return Score(self.hits + other.hits, self.told + other.told, self.true + other.true)


def score_of(told: Sequence[Group], true: Sequence[Group]) -> Score:
    """Each group stands for all pairs of a layer on the left and one on the right."""
    pairs = [{(one, other) for left, right in groups for one in left for other in right} for groups in (told, true)]
    return Score(len(pairs[0] & pairs[1]), len(pairs[0]), len(pairs[1]))


def distance_of(told: dict[str, float], true: dict[str, float]) -> float:
    """Σ |told − true| over the causes, in parts of Σ |true|: both the ms that a cause lacks and those it has too many
    count, and causes that cancel one another do not make it smaller or larger.
    """
    keys = told.keys() | true.keys()
    total = math.fsum(abs(ms) for ms in true.values())
    wrong = math.fsum(abs(told.get(key, 0.0) - true.get(key, 0.0)) for key in keys)
    return wrong / total if total > 0.0 else (0.0 if wrong == 0.0 else math.inf)


def share_of(cause: str, true: dict[str, float]) -> float:
    """What one cause has of Σ |true|, 0 to 1."""
    total = math.fsum(abs(ms) for ms in true.values())
    return abs(true.get(cause, 0.0)) / total if total > 0.0 else 0.0
