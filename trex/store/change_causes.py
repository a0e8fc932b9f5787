"""HistoryEvent → ChangeCauses: the runs before and after a change, compared layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.compare.plan_diff import PlanDiff
from trex.core.errors import TrexError
from trex.core.steps import in_steps
from trex.store.history import HistoryEvent

if TYPE_CHECKING:
    from trex.store.run_store import RunStore

_WITHOUT_LAYERS = ("build-time",)


@dataclass(frozen=True)
class ChangeCauses:
    """diff: the middle one of the last runs before the change against the middle one of the first runs after it, with
    the others as repetitions; None if they can't be read. reason: why their layers can't be compared; "" if they can.
    """

    event: HistoryEvent
    base: str
    new: str
    diff: PlanDiff | None = None
    reason: str = ""


def causes_of(store: RunStore, events: Sequence[HistoryEvent]) -> tuple[ChangeCauses, ...]:
    """Of each event that layers can explain."""
    explained = [event for event in events if event.series.metric.name not in _WITHOUT_LAYERS]
    return tuple(_causes(store, event) for event in in_steps("change", explained))


def _causes(store: RunStore, event: HistoryEvent) -> ChangeCauses:
    before, after = event.series.sides(event.change)
    base, new = before[0], after[0]
    try:
        sides = [[store.plan(run_id) for run_id in ids] for ids in (before, after)]
    except TrexError as error:
        return ChangeCauses(event, base, new, reason=error.message)
    left, right = sides
    diff = PlanDiff(left[0], right[0], None, None, left[1:], right[1:])
    reason = next((f"{note.message} ({note.code})" for note in diff.layer_doubts), "")
    return ChangeCauses(event, base, new, diff, reason)
