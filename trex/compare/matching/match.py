"""Match: layers of two plans that do the same work. Alignment: all matches of two plans."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from trex.core.note import Note
from trex.plan.engine_plan import EnginePlan

LEAST_SHARE = 0.5
"""Engines with fewer matched layers may be of different models."""
SAME_MODEL_SHARE = 0.25
"""Engines with fewer matched layers are of different models: of the shared engines, pairs of one model match 78 % or
more, ResNet18 and ResNet50 41 to 56 %, other networks at most 21 %.
"""


@dataclass(frozen=True, slots=True)
class Match:
    """Layers of the left and of the right plan that do the same work, many to many if their fusions differ.

    left, right: indexes in ``plan.layers``, ascending. One of them is empty for an unmatched layer.
    why: the evidence in words (``same ONNX nodes``). confidence: 0 to 1; 1.0 for an unmatched layer.
    origins: names of the ONNX nodes that both sides contain.
    is_ambiguous: the files don't show whether a small layer was fused into its neighbor or removed.
    has_swapped_add: the add of two GEMMs is fused into one of them on the left and into the other on the right.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    why: str
    confidence: float
    origins: tuple[str, ...] = ()
    is_ambiguous: bool = False
    has_swapped_add: bool = False

    @property
    def is_matched(self) -> bool:
        return bool(self.left and self.right)


@dataclass(frozen=True)
class Alignment:
    """matches: every layer of both plans in exactly one match, in the left's execution order. An unmatched layer of
    the right follows the match that precedes it there. notes: warnings, such as few matched layers.
    """

    left: EnginePlan
    right: EnginePlan
    matches: tuple[Match, ...]
    notes: tuple[Note, ...] = ()

    @cached_property
    def match_of_left(self) -> dict[int, Match]:
        return {index: match for match in self.matches for index in match.left}

    @cached_property
    def match_of_right(self) -> dict[int, Match]:
        return {index: match for match in self.matches for index in match.right}

    @property
    def matched_share(self) -> float:
        """Share of both plans' layers that are matched, 0 to 1; NaN for two empty plans."""
        total = len(self.left.working_layers) + len(self.right.working_layers)
        matched = sum(len(match.left) + len(match.right) for match in self.matches if match.is_matched)
        return matched / total if total else float("nan")

    @property
    def sentence(self) -> str:
        """``Layers matched: 82 %.``"""
        share = f"Layers matched: {100.0 * self.matched_share:.0f} %."
        return share if self.matched_share >= LEAST_SHARE else f"{share} The engines may be of different models."
