"""Section: one part of what `trex compare` tells, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trex.compare.plan_diff import PlanDiff
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.registry import Registry
from trex.views.performance.section import Content, Detail


@dataclass(frozen=True, slots=True)
class Section:
    """order: place among the sections, 10 apart. make: gives None where there is nothing to tell of these engines."""

    title: str
    order: int
    make: Callable[[PlanDiff, Detail], Content | None]


SECTIONS = Registry("trex.views.comparison.sections", "SECTION")


def sections_of(comparison: PlanDiff, detail: Detail) -> list[tuple[str, str, Content]]:
    """(name, title, content) of the sections that have something to tell, in their order."""
    plugs = sorted(SECTIONS.values(), key=lambda plug: plug.value.order)
    made = [(plug.name, plug.value.title, _made(plug.value, comparison, detail)) for plug in plugs]
    return [(name, title, content) for name, title, content in made if content is not None]


def _made(section: Section, comparison: PlanDiff, detail: Detail) -> Content | None:
    """What the section tells; where the data does not allow it, that, so that the other sections are still told."""
    try:
        return section.make(comparison, detail)
    except TrexError as error:
        message = f"{section.title.lower()}: cannot be told: {error.message}"
        return Content(notes=(Note("no-comparison-part", message, error.hint, error.where, "problem"),))
