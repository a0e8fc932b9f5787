"""Document: what a command found, as data: sections made of a few kinds of blocks, for every renderer.

A command builds one document; ``trex.export.documents`` has one renderer per format. Nothing here knows a format.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.registry import Registry
from trex.core.steps import in_steps
from trex.ingest.opening import split_address
from trex.views.table import Table

if TYPE_CHECKING:
    from trex.views.diagram.scene_view import SceneView
    from trex.views.plot import Empty, Plot

DERIVATIONS = "How these figures are computed"


@dataclass(frozen=True, slots=True)
class Fact:
    """One label and its value.

    text: the value for people, one line each. value: the value for programs; None when the text is the value.
    key: the name in JSON; made from the label when empty.
    """

    label: str
    text: str
    value: Any = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """Sentences, one per line. role: ``""`` for prose, ``command`` for lines to copy, ``hint`` for a next step."""

    lines: tuple[str, ...]
    role: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Labels and values. is_folded: details that pages fold away, such as how figures are computed."""

    facts: tuple[Fact, ...]
    title: str = ""
    is_folded: bool = False


@dataclass(frozen=True, slots=True)
class PlotBlock:
    """A chart. make: computes the plot when a renderer draws it. explanation: what it shows and how to read it.

    repeats: its numbers are in a table of the section, too: formats without pictures leave it out.
    """

    name: str
    title: str
    make: Callable[[], Plot | Empty]
    explanation: str = ""
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table of many rows that is computed when a renderer shows it; pages let people sort and filter it.

    noun: what a row is, in the plural. shown: how many of its columns are shown at first, 0 for all.
    example: of a filter, for people to copy. is_main: the document is about this table: a terminal shows it, too.
    sort: the column that pages sort by at first, the largest first; "" for the order of the rows.
    is_list: pages show it where it stands, with a field to search in; its rows select the layers that they name.
    """

    name: str
    title: str
    make: Callable[[], Table]
    noun: str = "rows"
    shown: int = 0
    example: str = ""
    is_main: bool = False
    sort: str = ""
    is_list: bool = False

    def first_columns(self) -> Table:
        """The table with the columns that are shown at first."""
        table = self.make()
        return table.with_columns([*range(len(table.columns))][: self.shown or None])


@dataclass(frozen=True, slots=True)
class LayerDetails:
    """Tables about layers. groups: columns ``layer.index``, ``title`` and ``left_out`` (rows that are not here).

    rows: the first column is the number of the row's group.
    """

    groups: Table
    rows: Table


@dataclass(frozen=True, slots=True)
class DetailsBlock:
    """What a page shows of the selected layer in its panel; other formats leave it out."""

    name: str
    title: str
    make: Callable[[], LayerDetails]


@dataclass(frozen=True, slots=True)
class SceneBlock:
    """Engine graphs to look at. make: computes one view, or two that stand side by side (base, new).

    matches: of two views, per group of matched layers the layer indexes in the base and in the new engine.
    """

    name: str
    title: str
    make: Callable[[], tuple[SceneView, ...]]
    matches: Callable[[], tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]] | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """Findings of lint rules, the most costly first.

    full: how many are shown with their details; the others follow as a table. explain: also how savings are computed
    and why the rules matter. shows_all: similar and minor findings are shown one by one. left_out: findings that are
    not here.
    """

    findings: tuple[Any, ...]
    title: str = ""
    full: int = 10
    explain: bool = False
    shows_all: bool = False
    left_out: int = 0


Block = Text | Facts | Table | PlotBlock | TableBlock | DetailsBlock | SceneBlock | Findings


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under one title. notes: about this section alone. data: more values for programs, units in their keys.

    is_folded: details; pages open the section on a click, a terminal shows its sentences unless asked for more.
    tab: the tab of the page that has it; where other sections have one, a section without stands above all tabs.
    """

    name: str = ""
    title: str = ""
    blocks: tuple[Block, ...] = ()
    notes: tuple[Note, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    is_folded: bool = False
    tab: str = ""

    @property
    def statements(self) -> tuple[str, ...]:
        """The sentences of its text blocks."""
        return tuple(
            line for block in self.blocks if isinstance(block, Text) and not block.role for line in block.lines
        )

    @property
    def commands(self) -> tuple[str, ...]:
        """The lines of its text blocks to copy."""
        return tuple(
            line for block in self.blocks if isinstance(block, Text) and block.role == "command" for line in block.lines
        )

    @property
    def facts(self) -> tuple[Fact, ...]:
        return tuple(fact for block in self._facts(False) for fact in block.facts)

    @property
    def derivations(self) -> tuple[tuple[str, str], ...]:
        """(figure, how it is computed) of its folded facts."""
        return tuple((fact.label, fact.text) for block in self._facts(True) for fact in block.facts)

    @property
    def tables(self) -> tuple[Table, ...]:
        return tuple(block for block in self.blocks if isinstance(block, Table))

    @property
    def plots(self) -> tuple[PlotBlock, ...]:
        return tuple(block for block in self.blocks if isinstance(block, PlotBlock))

    def _facts(self, is_folded: bool) -> Iterator[Facts]:
        return (block for block in self.blocks if isinstance(block, Facts) and block.is_folded is is_folded)


@dataclass(frozen=True, slots=True)
class Document:
    """What one command found.

    command: the command that makes such documents; its JSON follows ``trex schema COMMAND``. title: the engine, or what
    else it is about. subtitle: what identifies it. statement: what must be said first (simulated, not measured), or
    empty. notes: about all of it. folder: where the engine's files are, for shorter addresses.
    source: what it was made from, for the exporters.
    """

    command: str
    title: str
    statement: str = ""
    sections: tuple[Section, ...] = ()
    notes: tuple[Note, ...] = ()
    folder: str = ""
    source: Any = None
    subtitle: str = ""

    @property
    def schema(self) -> str:
        """The name and version of its JSON."""
        return f"trex.{self.command}/1"

    def section(self, name: str) -> Section:
        """A section by its name; an empty one when the document has none of that name."""
        return next((section for section in self.sections if section.name == name), Section(name))

    def seen_from(self, folder: str = "") -> Document:
        """The document with addresses of notes relative to a folder, its own unless named: for files others read."""
        folder = folder or self.folder
        return replace(
            self,
            sections=tuple(replace(part, notes=_relative(part.notes, folder)) for part in self.sections),
            notes=_relative(self.notes, folder),
        )


@dataclass(frozen=True, slots=True)
class Detail:
    """How much a document contains. top: rows of rankings. explain: how every figure is computed, too.

    is_short: folded sections will not be shown, so of those with ``applies`` only the titles are made.
    """

    top: int = 10
    explain: bool = False
    is_short: bool = False


@dataclass(frozen=True, slots=True)
class SectionPlug:
    """One section of a kind of document: one file. order: position among the sections, 10 apart.

    make: (subject, detail) → the section without its name and title, None when it does not apply to this subject.
    is_folded: as of ``Section``. applies: of a folded section that takes long, whether ``make`` would give one.
    """

    title: str
    order: int
    make: Callable[[Any, Detail], Section | None]
    is_folded: bool = False
    applies: Callable[[Any], bool] | None = None


def section(
    *,
    statements: Sequence[str] = (),
    facts: Sequence[Fact] = (),
    tables: Sequence[Table] = (),
    derivations: Sequence[tuple[str, str]] = (),
    blocks: Sequence[Block] = (),
    notes: Sequence[Note] = (),
    data: Mapping[str, Any] | None = None,
    name: str = "",
    title: str = "",
) -> Section:
    """A section of the usual order: sentences, facts, tables, other blocks, how figures are computed. Empty ones go."""
    usual: list[Block] = []
    if statements:
        usual.append(Text(tuple(statements)))
    if facts:
        usual.append(Facts(tuple(facts)))
    usual += tables
    usual += blocks
    if derivations:
        usual.append(Facts(tuple(Fact(figure, text) for figure, text in derivations), DERIVATIONS, is_folded=True))
    return Section(name, title, tuple(usual), tuple(notes), data or {})


def sections_of(registry: Registry, subject: Any, detail: Detail, names: Sequence[str] = ()) -> tuple[Section, ...]:
    """The registry's sections that apply to the subject, in their order; only the named ones when names are given.

    A section that the data does not allow becomes a Note, so that the others are still shown. Raises TrexError for a
    name that no section has.
    """
    plugs = [registry.chosen(name) for name in names] if names else list(registry.values())
    plugs.sort(key=lambda plug: plug.value.order)
    results = ((plug, _section(plug.value, subject, detail)) for plug in in_steps("section", plugs))
    return tuple(
        replace(section, name=plug.name, title=plug.value.title, is_folded=plug.value.is_folded)
        for plug, section in results
        if section
    )


def _section(plug: SectionPlug, subject: Any, detail: Detail) -> Section | None:
    try:
        if detail.is_short and plug.is_folded and plug.applies is not None:
            return Section(blocks=(Text(()),)) if plug.applies(subject) else None
        return plug.make(subject, detail)
    except TrexError as error:
        message = f"{plug.title}: not available: {error.message}"
        return Section(notes=(Note("section-failed", message, error.hint, error.where, "problem"),))


def headlines(sections: Sequence[Section]) -> Section:
    """The first sentence of each section as one section of facts: what a reader wants when there are many."""
    facts = tuple(Fact(section.title, section.statements[0]) for section in sections if section.statements)
    return Section("headlines", "", (Facts(facts),) if facts else ())


def limited(document: Document, limit: int) -> Document:
    """The document with at most so many rows in each table and findings in each list; what is cut is counted."""

    def cut(block: Block) -> Block:
        if isinstance(block, Table):
            return block.first(limit)
        if isinstance(block, TableBlock):
            return replace(block, make=lambda: block.make().first(limit))
        if isinstance(block, Findings) and len(block.findings) > limit:
            left_out = block.left_out + len(block.findings) - limit
            return replace(block, findings=block.findings[:limit], left_out=left_out)
        return block

    sections = (replace(part, blocks=tuple(map(cut, part.blocks))) for part in document.sections)
    return replace(document, sections=tuple(sections))


def folder_of(source: str) -> str:
    """The folder of an engine's file, for ``Document.folder``; of a member of an archive the archive's folder."""
    return os.path.dirname(next(iter(split_address(source) or (source,))))  # noqa: PTH120 (an address, not always a path)


def _relative(notes: Sequence[Note], folder: str) -> tuple[Note, ...]:
    return tuple(note.seen_from(folder) for note in notes)
