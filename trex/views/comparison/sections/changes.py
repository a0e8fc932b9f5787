"""Changes: what changed in the layers that changed most, and how layers were matched."""

from __future__ import annotations

from collections import Counter

from trex.compare.causes import Change
from trex.compare.layer_words import io_formats, io_types
from trex.compare.plan_diff import PlanDiff
from trex.core.counted import counted
from trex.views.comparison.sections.layers import first_of, largest_changes, name_of
from trex.views.document import Detail, Fact, Facts, Section, SectionPlug, section


def make(comparison: PlanDiff, detail: Detail) -> Section | None:
    facts = tuple(_fact(comparison, change) for change in largest_changes(comparison)[: detail.top])
    if not facts:
        return None
    evidence = Counter(change.match.why for change in comparison.changes).most_common()
    return section(
        blocks=(Facts(facts, "What changed in the layers", is_folded=True),),
        derivations=tuple((why, counted(count, "group")) for why, count in evidence) if detail.explain else (),
    )


def _fact(comparison: PlanDiff, change: Change) -> Fact:
    """What changed in one group of layers, a line each."""
    left, right = comparison.layers_of(change)
    types = _both(first_of(left, io_types), first_of(right, io_types))
    formats = _both(first_of(left, io_formats), first_of(right, io_formats))
    return Fact(name_of(left, right), "\n".join(dict.fromkeys(filter(None, (change.words, types, formats)))))


def _both(left: str, right: str) -> str:
    if not left and not right:
        return ""
    return left if left == right else f"{left or '–'} → {right or '–'}"


SECTION = SectionPlug("Changes", 45, make, is_folded=True)
