"""Report: everything that is told of one engine, in order, as data; each item is made when a reader asks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from trex.core.note import Note
from trex.core.registry import Registry
from trex.views.chart import Subject
from trex.views.plot import Empty, Plot
from trex.views.summary import Summary
from trex.views.table import Table

SCHEMA = "trex.report/1"


@dataclass(frozen=True, slots=True)
class Text:
    """Paragraphs for people; no markup."""

    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LayerTable:
    """The table of all layers: readers that can page, sort and filter show it so."""

    subject: Subject


@dataclass(frozen=True, slots=True)
class GraphPicture:
    """The engine's graph: readers that can show the viewer do so."""

    subject: Subject


Shown = Plot | Table | Text | LayerTable | GraphPicture | Empty


@dataclass(frozen=True, slots=True)
class Item:
    """name: the item's own within its part, as in an address. explanation: what it shows and how to read it."""

    name: str
    title: str
    make: Callable[[], Shown]
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """name, title, items of one part; statements: what it says in sentences, the most important first."""

    name: str
    title: str
    items: tuple[Item, ...]
    statements: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class PartMaker:
    """order: place among the parts, 10 apart. make: None where there is nothing to tell of this engine."""

    title: str
    order: int
    make: Callable[[Subject], Part | None]


@dataclass(frozen=True, slots=True)
class Report:
    """title: the engine's name. summary: facts, tables and caveats that come first."""

    title: str
    summary: Summary
    parts: tuple[Part, ...]
    notes: tuple[Note, ...]
    subject: Subject

    def items(self) -> Iterator[tuple[Part, Item]]:
        return ((part, item) for part in self.parts for item in part.items)


PARTS = Registry("trex.views.report.parts", "PART")
