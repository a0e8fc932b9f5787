"""Document → the one table that a format of rows and columns writes, as a DataFrame for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.provenance import COLUMN, Provenance
from trex.export.documents.json import unique_keys
from trex.export.frame import plain_value, text_cell
from trex.views.document import Document, Findings, TableBlock
from trex.views.findings_frame import finding_records
from trex.views.table import Table, json_key

if TYPE_CHECKING:
    import pandas as pd

_Make = Callable[[], Table]


def document_frame(document: Document, fields: Sequence[str], cell: Callable[[Any], Any] = text_cell) -> pd.DataFrame:
    """The chosen table with plain cells; a column says so of predicted engines, as tables travel without titles.

    cell: what becomes of each text. See ``chosen_table`` for fields and errors.
    """
    import pandas as pd

    table = chosen_table(document, fields).for_programs()
    columns = {}
    for index, key in enumerate(map(plain_value, unique_keys(table.columns))):
        columns[key] = _series([row[index] for row in table.rows], cell, table.columns[index].is_number)
    predicted = (kind for kind in Provenance if kind.has_predicted_times and kind.is_stated_in(document.statement))
    label = next((kind.label for kind in predicted), "")
    if label and COLUMN not in columns:
        columns[COLUMN] = pd.Series([label] * len(table.rows), dtype=object)
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
    """The table that ``fields`` names by its key, or else the table to browse, the findings, or the only table.

    Raises TrexError that lists the keys for a name that no table has, and where there are several or none.
    """
    tables = [*_tables(document)]
    keys = [key for _, key, _ in tables]
    if fields:
        wanted = fields[0].rpartition(".")[2]
        make = next((make for _, key, make in tables if key == wanted), None)
        if make is None or len(fields) > 1:
            what = f"there is no table {fields[0]!r}" if make is None else "one table is written, not several"
            raise TrexError(what, did_you_mean(wanted, keys, f"--fields KEY, one of {', '.join(keys)}"))
        return make()
    for kind in (TableBlock, Findings, Table):
        here = [make for other, _, make in tables if other is kind]
        if len(here) == 1:
            return here[0]()
        if here:
            break
    if not tables:
        raise TrexError(f"trex {document.command} has no table here", "another format, such as JSON, has all of it")
    raise TrexError("there are several tables", f"--fields KEY, one of {', '.join(keys)}")


def _itself(table: Table) -> Table:
    return table


def _tables(document: Document) -> Iterator[tuple[type, str, _Make]]:
    """(kind of block, key as in JSON, what makes the table); all findings are one table."""
    blocks = [block for section in document.sections for block in section.blocks if isinstance(block, Findings)]
    if blocks:
        findings = tuple(finding for block in blocks for finding in block.findings)
        yield Findings, "findings", partial(finding_records, findings)
    for section in document.sections:
        for block in section.blocks:
            if isinstance(block, Table):
                yield Table, block.key or json_key(block.title) or section.name, partial(_itself, block)
            elif isinstance(block, TableBlock):
                yield TableBlock, json_key(block.name), block.make
