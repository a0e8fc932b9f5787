"""Performance → Reading: the sections that have something to tell of one engine, as data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trex.core.note import Note
from trex.perf.performance import Performance
from trex.views.performance.section import Content, Detail, sections_of
from trex.views.summary import Fact
from trex.views.table import Table, plain_number

SCHEMA = "trex.perf/1"
_FEW = 2


@dataclass(frozen=True, slots=True)
class Reading:
    """title: the engine's name. statement: what must be said first (nothing was measured), or empty. device: its name.

    sections: (name, title, content) in their order. folder: where the engine's files are, for shorter addresses.
    """

    title: str
    statement: str
    device: str
    sections: tuple[tuple[str, str, Content], ...]
    folder: str = ""

    @property
    def headlines(self) -> tuple[tuple[str, str], ...]:
        """(title, first sentence) of each section that has one; none where there are few enough to read at once."""
        if len(self.sections) <= _FEW:
            return ()
        return tuple((title, content.statements[0]) for _, title, content in self.sections if content.statements)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready data with a versioned schema; units stand in the keys, what is unknown is null."""
        return {
            "schema": SCHEMA,
            "engine": self.title,
            "statement": self.statement,
            "device": self.device or None,
            "headlines": [{"section": title, "statement": statement} for title, statement in self.headlines],
            "sections": {name: section_dict(title, content) for name, title, content in self.sections},
        }


def read_performance(performance: Performance, detail: Detail, names: Sequence[str] = ()) -> Reading:
    """The chosen sections, all without names. Raises TrexError for a section that does not exist."""
    plan = performance.plan
    device = performance.device
    return Reading(
        title=plan.name,
        statement=plan.provenance.statement,
        device=device.name if device is not None else "",
        sections=tuple(sections_of(performance, detail, names)),
        folder=os.path.dirname(plan.engine.source.partition("!")[0]),  # noqa: PTH120 (an address)
    )


def section_dict(title: str, content: Content) -> dict[str, Any]:
    """One section as plain data."""
    return {
        "title": title,
        "statements": list(content.statements),
        "facts": {_key(fact.label): _value(fact) for fact in content.facts},
        "tables": {_key(table.title): _rows(table) for table in content.tables},
        "derivations": [{"figure": figure, "derivation": text} for figure, text in content.derivations],
        "notes": [_note(note) for note in content.notes],
        "data": content.data,
    }


def _value(fact: Fact) -> Any:
    return fact.text if fact.value is None else fact.value


def _rows(table: Table) -> list[dict[str, Any]]:
    """Records of a table whose keys end in the column's unit."""
    names = [_key(f"{column.name} {column.unit}" if column.unit else column.name) for column in table.columns]
    return [dict(zip(names, map(plain_number, row), strict=True)) for row in table.rows]


def _note(note: Note) -> dict[str, str]:
    return {
        "code": note.code,
        "severity": note.severity,
        "message": note.message,
        "hint": note.hint,
        "where": note.where,
    }


def _key(label: str) -> str:
    words = label.lower().replace("#", "index").replace("%", "pct").replace("/", " per ")
    return "_".join("".join(c if c.isalnum() else " " for c in words).split())
