"""Section: one part of what `trex perf` tells, as data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.registry import Registry
from trex.perf.performance import Performance
from trex.views.summary import Fact
from trex.views.table import Table


@dataclass(frozen=True, slots=True)
class Detail:
    """How much to tell. top: rows of rankings. explain: derivations of every figure are wanted."""

    top: int = 10
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Content:
    """statements: sentences for people, the most important first. derivations: (figure, how it comes about), filled
    when ``Detail.explain`` asks for them. data: further JSON-ready values for machines, units in their keys.
    """

    statements: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    tables: tuple[Table, ...] = ()
    derivations: tuple[tuple[str, str], ...] = ()
    notes: tuple[Note, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)

    def seen_from(self, folder: str) -> Content:
        """The same, addresses of notes told from ``folder``: for documents, which tell no folders of their writer's."""
        return replace(self, notes=tuple(note.seen_from(folder) for note in self.notes))


@dataclass(frozen=True, slots=True)
class Section:
    """order: place among the sections, 10 apart. make: gives None where there is nothing to tell of this plan."""

    title: str
    order: int
    make: Callable[[Performance, Detail], Content | None]


SECTIONS = Registry("trex.views.performance.sections", "SECTION")


def sections_of(performance: Performance, detail: Detail, names: Sequence[str] = ()) -> list[tuple[str, str, Content]]:
    """(name, title, content) of the chosen sections that have something to tell, in their order; all without names."""
    plugs = [SECTIONS.chosen(name) for name in names] if names else list(SECTIONS.values())
    made = [(plug.name, plug.value, _made(plug.value, performance, detail)) for plug in plugs]
    made.sort(key=lambda each: each[1].order)
    return [(name, section.title, content) for name, section, content in made if content is not None]


def _made(section: Section, performance: Performance, detail: Detail) -> Content | None:
    """What the section tells; where the data does not allow it, that, so that the other sections are still told."""
    try:
        return section.make(performance, detail)
    except TrexError as error:
        message = f"{section.title.lower()}: cannot be told: {error.message}"
        return Content(notes=(Note("no-performance-part", message, error.hint, error.where, "problem"),))
