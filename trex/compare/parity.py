"""Two plans → Parity: whether both were measured alike, and what each unlikeness means for their times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from trex.compare.run_facts import FACTS, RunFacts, Weight, plain_key
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan


@dataclass(frozen=True, slots=True)
class Difference:
    """what: the fact. left, right: its values as people read them, None where a side does not tell. meaning: what it
    does to a comparison of times. is_essential: without it nobody can say that two runs were alike.
    """

    what: str
    left: str | None
    right: str | None
    weight: Weight
    meaning: str
    is_essential: bool = False

    @property
    def words(self) -> str:
        return f"{self.what}: {self.left or 'unknown'} against {self.right or 'unknown'}"


@dataclass(frozen=True)
class Parity:
    """differences: the gravest first, in the order of the facts. alike: facts that both sides tell alike, in words."""

    differences: tuple[Difference, ...]
    alike: tuple[str, ...]

    def of(self, *weights: Weight) -> tuple[Difference, ...]:
        return tuple(each for each in self.differences if each.weight in weights)

    @cached_property
    def refusals(self) -> tuple[Difference, ...]:
        """What ``--strict`` refuses: grave differences, and essential facts that are unknown."""
        unknown = (each for each in self.of(Weight.UNKNOWN) if each.is_essential)
        return (*self.of(Weight.GRAVE), *unknown)

    @property
    def is_alike(self) -> bool | None:
        """False with a grave difference; None when an essential fact is unknown."""
        if self.of(Weight.GRAVE):
            return False
        return None if self.refusals else True


def parity_of(left: Performance, right: Performance) -> Parity:
    """Compares what the files of both runs tell; nothing raises. What one side does not tell is unknown, not alike."""
    sides = RunFacts(left), RunFacts(right)
    found: list[Difference] = []
    alike: list[str] = []
    for fact in FACTS:
        values = fact.read(sides[0]), fact.read(sides[1])
        told = [None if value is None else fact.words(value) for value in values]
        if None in values:
            who = "neither side tells it" if values == (None, None) else "only one side tells it"
            found.append(Difference(fact.what, told[0], told[1], Weight.UNKNOWN, who, fact.is_essential))
        elif fact.equal(*values):
            alike.append(f"{fact.what}: {told[0]}")
        else:
            found.append(Difference(fact.what, told[0], told[1], fact.weight, fact.meaning, fact.is_essential))
    found.extend(_build_options(sides[0].plan, sides[1].plan))
    order = list(Weight)
    found.sort(key=lambda each: order.index(each.weight))
    return Parity(tuple(found), tuple(alike))


def _build_options(left: EnginePlan, right: EnginePlan) -> Iterator[Difference]:
    """Options of the builds that both logs print and that differ; paths and what only says how to report are none."""
    mine, theirs = ({plain_key(key): (key, value) for key, value in plan.builder_cfg.items()} for plan in (left, right))
    for key, (name, value) in mine.items():
        other = theirs.get(key, (name, None))[1]
        if key in _NO_CHOICE or other is None or str(value) == str(other):
            continue
        meaning = "what the builder was allowed to use" if key == "precision" else "the engines were built differently"
        yield Difference(f"build option {name}", str(value), str(other), Weight.CHOICE, meaning)
    for key, (name, value) in {**theirs, **mine}.items():
        if key in _ALWAYS_TOLD and (key in mine) != (key in theirs):
            known = str(value)
            sides = (known, None) if key in mine else (None, known)
            yield Difference(f"build option {name}", sides[0], sides[1], Weight.UNKNOWN, "only one side tells it")


_NO_CHOICE = frozenset(
    {
        "model",
        "output",
        "saveengine",
        "loadengine",
        "timingcachefile",
        "profilingverbosity",
        "format",
        "tempfilecontrols",
    }
)
_ALWAYS_TOLD = frozenset({"precision"})
