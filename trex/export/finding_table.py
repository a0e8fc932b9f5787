"""Findings → Table: one row per finding, for formats without prose."""

from __future__ import annotations

from trex.views.document import Findings
from trex.views.table import Table, TableColumn


def findings_table(block: Findings) -> Table:
    """A column for every key of the findings' data."""
    records = [finding.as_dict() for finding in block.findings]
    keys = list(dict.fromkeys(key for record in records for key in record))
    columns = tuple(TableColumn(key, "ms" if key.endswith("_ms") else "text", identifier=key) for key in keys)
    return Table(block.title, columns, tuple(tuple(record.get(key) for key in keys) for record in records), "findings")
