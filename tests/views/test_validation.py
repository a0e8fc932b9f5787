"""Figures of trex validate as a table."""

from __future__ import annotations

from trex.simulator.validation import kept_figures
from trex.views.table import UNKNOWN_TEXT
from trex.views.validation import validation_table


def test_a_row_for_each_engine() -> None:
    document = kept_figures()
    table = validation_table(document)
    assert [row[0] for row in table.rows] == [entry["engine"] for entry in document["engines"]]
    row = table.records()[0]
    assert row["layers"] == "24 of 24" and row["groups equal"] == 100.0 and row["in error bar"] == "yes"


def test_what_is_not_known_is_a_dash() -> None:
    table = validation_table(kept_figures())
    row = next(row for row in table.rows if row[0] == "trt10.1-alexnet-onnx")
    cells = [column.cell(value) for column, value in zip(table.columns, row, strict=True)]
    assert cells[-4:] == [UNKNOWN_TEXT] * 4
