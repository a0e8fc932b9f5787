"""TacticChanges → Document: which choices of two builds differ, which were ties, and whether their inputs differed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import Any

import pandas as pd

from trex.builder.tactic_changes import TacticChanges
from trex.core.note import Note
from trex.views.document import Document, Section, Text
from trex.views.table import Table, TableColumn

TOP = 10
_FIRST_COLUMNS = 6


def tactic_changes_document(changes: TacticChanges, top: int = TOP) -> Document:
    """top: rows that a terminal shows; every row is in the other formats."""
    lines = [changes.words]
    differences = changes.input_differences
    unknown = [name for name, known in changes.inputs_compared.items() if not known]
    if differences:
        lines.append("Inputs differ, which may be why:")
        lines += [f"· {words}" for words in differences]
    else:
        same = [name for name in changes.inputs_compared if name not in unknown]
        lines.append(f"Inputs match, as far as the logs say: {', '.join(same)}.")
        lines += [f"Not in both logs: {', '.join(unknown)}."] if unknown else []
    data = {
        "base": changes.base.source,
        "new": changes.new.source,
        "common": changes.common,
        "changed": len(changes.changes),
        "ties": changes.ties,
        "is_same": changes.is_same,
        "input_differences": list(differences),
        "inputs_unknown": unknown,
        "only_base": list(changes.only("base")),
        "only_new": list(changes.only("new")),
    }
    table = _table(changes)
    sections = [Section("changes", "", (Text(tuple(lines)),), data=data)]
    if table.rows:
        first = replace(table.with_columns([*range(_FIRST_COLUMNS)]), key="first_changes").first(top)
        sections.append(Section("first", "", (first,)))
        sections.append(Section("details", "Details", (table,), is_folded=True))
    title = " → ".join(_names(changes.base.source, changes.new.source))
    return Document("tactics", title, sections=tuple(sections), notes=_notes(changes), source=changes)


def _table(changes: TacticChanges) -> Table:
    frame = changes.changes
    columns = (
        TableColumn("layer", "name", readable=24),
        TableColumn("operation", "name", if_known=True),
        TableColumn("in engine", if_known=True),
        TableColumn(
            "margin", meaning="how much slower the tactic that the other build chose was, where it was timed",
            readable=24,
        ),
        TableColumn("base", "rate", "ms", identifier="base_ms"),
        TableColumn("new", "rate", "ms", identifier="new_ms"),
        TableColumn("base kernel", if_known=True),
        TableColumn("new kernel", if_known=True),
        TableColumn("formats"),
        TableColumn("base tactic", "name"),
        TableColumn("new tactic", "name"),
        TableColumn("base gap", "rate", "%", if_known=True, identifier="base_gap_pct"),
        TableColumn("new gap", "rate", "%", if_known=True, identifier="new_gap_pct"),
        TableColumn("tie"),
    )  # fmt: skip
    rows = tuple(
        (
            row.layer,
            row.operation or None,
            None if row.in_engine is pd.NA else ("yes" if row.in_engine else "no"),
            row.words,
            row.base_ms,
            row.new_ms,
            row.base_kernel or None,
            row.new_kernel or None,
            row.formats,
            row.base_tactic,
            row.new_tactic,
            _known(row.base_gap_pct),
            _known(row.new_gap_pct),
            "yes" if row.is_tie else "no",
        )
        for row in frame.itertuples(index=False)
    )
    return Table("Changed choices", columns, rows, "changes", is_headed=True)


def _known(value: Any) -> float | None:
    return None if pd.isna(value) else value


def _notes(changes: TacticChanges) -> tuple[Note, ...]:
    notes = []
    for side, (tactics, build) in zip(("base", "new"), changes.sides, strict=True):
        count = len(tactics.log.builds)
        if count > 1:
            message = f"{side} contains {count} builds; build {build + 1} was compared"
            notes.append(Note("several-builds", message, "--build N chooses another", tactics.source))
        notes += [note for note in tactics.notes if note.code != "several-builds"]
    return tuple(notes)


def _names(base: str, new: str) -> tuple[str, str]:
    """Of their files; with the folder where these are equal."""
    paths = PurePath(base), PurePath(new)
    if paths[0].name != paths[1].name:
        return paths[0].name, paths[1].name
    folders = tuple("/".join(path.parts[-2:]) or str(path) for path in paths)
    return folders[0], folders[1]
