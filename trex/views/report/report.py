"""Report: everything that is told of one engine, in order, as data; each item is made when a reader asks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from trex.core.registry import Registry
from trex.views.chart import Subject
from trex.views.performance.section import Content
from trex.views.plot import Empty, Plot
from trex.views.summary import Summary

SCHEMA = "trex.report/1"


@dataclass(frozen=True, slots=True)
class LayerTable:
    """The table of all layers: readers that can page, sort and filter show it so."""


@dataclass(frozen=True, slots=True)
class GraphPicture:
    """The engine's graph: readers that can show the viewer do so."""


Shown = Plot | LayerTable | GraphPicture | Empty


@dataclass(frozen=True, slots=True)
class Item:
    """name: the item's own within its part, as in an address. explanation: what it shows and how to read it."""

    name: str
    title: str
    make: Callable[[], Shown]
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """content: sentences, facts, tables and notes. items: charts and what else is shown rather than told."""

    name: str
    title: str
    content: Content = field(default_factory=Content)
    items: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class PartMaker:
    """order: place among the parts, 10 apart. make: None where there is nothing to tell of this engine."""

    title: str
    order: int
    make: Callable[[Subject], Part | None]


@dataclass(frozen=True, slots=True)
class Report:
    """title: the engine's name. summary: facts, tables and caveats that come first. subject: what all is made from."""

    title: str
    summary: Summary
    parts: tuple[Part, ...]
    subject: Subject

    def items(self) -> Iterator[tuple[Part, Item]]:
        return ((part, item) for part in self.parts for item in part.items)


PARTS = Registry("trex.views.report.parts", "PART")
