"""Match: layers of two plans that do the same work; Alignment: all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from trex.core.note import Note
from trex.plan.engine_plan import EnginePlan


@dataclass(frozen=True, slots=True)
class Match:
    """Layers on the left and on the right that correspond, many to many where fusions differ.

    left, right: places in ``plan.layers``, ascending; one of them is empty for what only the other side has.
    origins: names of the ONNX nodes they share. why: the witnesses in words (``ONNX origins``, ``output tensor``).
    confidence: 0 to 1, how sure it is that they correspond; 1.0 for what only one side has and nothing could match.
    is_proven: False where a small layer was joined that the other side's kernel may have taken in, or that may as well
    have been removed: the files do not tell which. is_turned: two products are summed up in the other of the two.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    why: str
    confidence: float
    origins: tuple[str, ...] = ()
    is_proven: bool = True
    is_turned: bool = False

    @property
    def is_matched(self) -> bool:
        return bool(self.left and self.right)


@dataclass(frozen=True)
class Alignment:
    """matches: every working layer of both plans in exactly one, in the left's execution order; what only the right
    side has stands where it belongs. notes: what a reader must know, as that most of the engines did not match.
    """

    left: EnginePlan
    right: EnginePlan
    matches: tuple[Match, ...]
    notes: tuple[Note, ...] = ()

    @cached_property
    def match_of_left(self) -> dict[int, Match]:
        return {place: match for match in self.matches for place in match.left}

    @cached_property
    def match_of_right(self) -> dict[int, Match]:
        return {place: match for match in self.matches for place in match.right}

    def left_ms(self, match: Match) -> float | None:
        """Sum of the left layers' average times, None when one is not known; 0 for a match without left layers."""
        return _sum_ms(self.left, match.left)

    def right_ms(self, match: Match) -> float | None:
        return _sum_ms(self.right, match.right)

    @property
    def matched_share(self) -> float:
        """Part of both plans' layers that found a counterpart, 0 to 1; NaN for two empty plans."""
        total = len(self.left.layers) + len(self.right.layers)
        found = sum(len(match.left) + len(match.right) for match in self.matches if match.is_matched)
        return found / total if total else float("nan")


def _sum_ms(plan: EnginePlan, places: tuple[int, ...]) -> float | None:
    total = 0.0
    for place in places:
        time = plan.times[place]
        if time is None or time.average_ms is None:
            return None
        total += time.average_ms
    return total
