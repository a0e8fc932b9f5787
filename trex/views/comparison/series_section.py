"""SeriesSection: one part of what `trex compare` tells of a base and several others, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trex.compare.series import EngineSeries
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.registry import Registry
from trex.views.performance.section import Content, Detail


@dataclass(frozen=True, slots=True)
class SeriesSection:
    """order: place among the sections, 10 apart. make: gives None where there is nothing to tell of these engines.

    for_two: also told of two engines alone, behind what is told of any two.
    """

    title: str
    order: int
    make: Callable[[EngineSeries, Detail], Content | None]
    for_two: bool = False


SECTIONS = Registry("trex.views.comparison.series_sections", "SECTION")


def series_sections_of(series: EngineSeries, detail: Detail) -> list[tuple[str, str, Content]]:
    """(name, title, content) of the sections that have something to tell, in their order."""
    plugs = sorted(SECTIONS.values(), key=lambda plug: plug.value.order)
    chosen = [plug for plug in plugs if plug.value.for_two or len(series.comparisons) > 1]
    made = [(plug.name, plug.value.title, _made(plug.value, series, detail)) for plug in chosen]
    return [(name, title, content) for name, title, content in made if content is not None]


def _made(section: SeriesSection, series: EngineSeries, detail: Detail) -> Content | None:
    """What the section tells; where the data does not allow it, that, so that the other sections are still told."""
    try:
        return section.make(series, detail)
    except TrexError as error:
        message = f"{section.title.lower()}: cannot be told: {error.message}"
        return Content(notes=(Note("no-comparison-part", message, error.hint, error.where, "info"),))
