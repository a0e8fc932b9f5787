"""EnginePlan → why its times are not to be believed, or which of its layers are missing: texts for all views of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trex.core.printable import clipped
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan

if TYPE_CHECKING:
    from trex.compare.plan_diff import PlanDiff

_FACT_CHARS = 160


def problems_of(plan: EnginePlan) -> tuple[str, ...]:
    """Texts of the problems that no gate passes: times that are contradicted, layers that are lost."""
    performance = Performance(plan)
    kinds = (
        ("times can't be trusted", performance.contradicted),
        ("layers are missing", performance.lost),
        ("layer times can't be trusted", performance.wrong_layer_times),
    )
    return tuple(f"{words} ({note.code}): {note.message}" for words, notes in kinds for note in notes)


def doubt_words(doubted: Performance | PlanDiff) -> str:
    """``times in doubt``, ``layers missing`` or ``layer times in doubt``; "" if none."""
    if doubted.contradicted:
        return "times in doubt"
    return "layers missing" if doubted.lost else "layer times in doubt" if doubted.wrong_layer_times else ""


def doubtful(title: str, words: str) -> str:
    """``title · times in doubt``; the title alone without words."""
    return f"{title} · {words}" if words else title


def doubt_of(plan: EnginePlan) -> str:
    """The first of them as a fact of a picture; "" without any."""
    return clipped(next(iter(problems_of(plan)), ""), _FACT_CHARS)
