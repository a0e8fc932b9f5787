"""Document → the one table that a format of rows and columns writes, as a DataFrame for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.provenance import COLUMN, Provenance
from trex.export.documents.json import free_key, unique_keys
from trex.export.frame import plain_value, text_cell
from trex.views.document import Document, Findings, TableBlock
from trex.views.findings_frame import finding_records
from trex.views.table import Table, json_key

if TYPE_CHECKING:
    import pandas as pd

PROBLEMS = "problems"
"""The column of what speaks against the figures of a table."""

_Make = Callable[[], Table]


def document_frame(document: Document, fields: Sequence[str], cell: Callable[[Any], Any] = text_cell) -> pd.DataFrame:
    """The chosen table with plain cells. Tables travel without titles: a column says so of predicted engines, and one
    has the problems of the engines' files.

    cell: what becomes of each text. See ``chosen_table`` for fields and errors.
    """
    import pandas as pd

    table = chosen_table(document, fields).for_programs()
    columns = {}
    for index, key in enumerate(map(plain_value, unique_keys(table.columns))):
        columns[key] = _series([row[index] for row in table.rows], cell, table.columns[index].is_number)
    predicted = (kind for kind in Provenance if kind.has_predicted_times and kind.is_stated_in(document.statement))
    notes = [*document.notes, *(note for section in document.sections for note in section.notes)]
    problems = [note.message for note in notes if document.source and note.severity == "problem"]
    of_all = {COLUMN: next((kind.label for kind in predicted), ""), PROBLEMS: "; ".join(dict.fromkeys(problems))}
    for name, text in of_all.items():
        if text and name not in columns:
            columns[name] = pd.Series([cell(text)] * len(table.rows), dtype=object)
    result: pd.DataFrame = pd.DataFrame(columns)
    return result


def _series(values: list[Any], cell: Callable[[Any], Any], is_number: bool) -> pd.Series:
    """Numbers as numbers, with NaN for unknown ones; integers among unknown ones and all else as objects."""
    import pandas as pd

    kinds = {type(value) for value in values if value is not None}
    column: pd.Series
    if not kinds and is_number:
        column = pd.Series(values, dtype="float64")
        return column
    if kinds in ({int}, {float}, {bool}, {int, float}) and (kinds != {int} or None not in values):
        column = pd.Series(values)
        if column.dtype.kind in "ifb":
            return column
    column = pd.Series([cell(value) for value in values], dtype=object)
    return column


def chosen_table(document: Document, fields: Sequence[str]) -> Table:
    """The table that ``fields`` names by its key or by its path in JSON, or else the table to browse, the findings, or
    the only table.

    Raises TrexError that lists the keys for a name that no table or several have, and where there are several or none.
    """
    tables = [*_tables(document)]
    keys = _short_keys(tables)
    if fields:
        named = [table for table in tables if table.is_named(fields[0])]
        if not named:
            near = did_you_mean(fields[0].rpartition(".")[2], keys, f"--fields KEY, one of {', '.join(keys)}")
            raise TrexError(f"there is no table {fields[0]!r}", near)
        if len(fields) > 1:
            raise TrexError("one table is written, not several", f"--fields KEY, one of {', '.join(keys)}")
        if len(named) > 1:
            paths = [table.path for table in named]
            raise TrexError(f"several tables are called {fields[0]!r}", f"--fields PATH, one of {', '.join(paths)}")
        return named[0].make()
    for kind in (TableBlock, Findings, Table):
        here = [table for table in tables if table.kind is kind]
        if len(here) == 1:
            return here[0].make()
        if here:
            break
    if not tables:
        raise TrexError(f"trex {document.command} has no table here", "another format, such as JSON, has all of it")
    raise TrexError("there are several tables", f"--fields KEY, one of {', '.join(keys)}")


class _NamedTable(NamedTuple):
    """path: as in JSON, ``sections.NAME.tables.KEY``; of the findings of several sections ``findings``."""

    kind: type
    path: str
    make: _Make

    @property
    def key(self) -> str:
        return self.path.rpartition(".")[2]

    def is_named(self, field: str) -> bool:
        """Whether the field is the key, SECTION.KEY or the path, where ``*`` is any part."""
        parts, section = field.split("."), self.path.removeprefix("sections.").partition(".")[0]
        return any(
            len(parts) == len(path) and all(part in ("*", known) for part, known in zip(parts, path, strict=True))
            for path in ([self.key], [section, self.key], self.path.split("."))
        )


def _short_keys(tables: Sequence[_NamedTable]) -> list[str]:
    """The tables' keys; the paths of those whose keys are not unique."""
    counts = Counter(table.key for table in tables)
    return [table.key if counts[table.key] == 1 else table.path for table in tables]


def _itself(table: Table) -> Table:
    return table


def _tables(document: Document) -> Iterator[_NamedTable]:
    """All findings are one table."""
    blocks = [(part.name, block) for part in document.sections for block in part.blocks if isinstance(block, Findings)]
    if blocks:
        findings = tuple(finding for _, block in blocks for finding in block.findings)
        names = {name for name, _ in blocks}
        path = f"sections.{names.pop()}.findings" if len(names) == 1 else "findings"
        yield _NamedTable(Findings, path, partial(finding_records, findings))
    for section in document.sections:
        keys: list[str] = []
        for block in section.blocks:
            if isinstance(block, Table):
                key = block.key or json_key(block.title) or section.name
            elif isinstance(block, TableBlock):
                key = json_key(block.name)
            else:
                continue
            keys.append(free_key(key, keys))
            make = partial(_itself, block) if isinstance(block, Table) else block.make
            yield _NamedTable(type(block), f"sections.{section.name}.tables.{keys[-1]}", make)
