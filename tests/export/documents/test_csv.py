"""CSV: read back as written, and inert in a spreadsheet."""

from __future__ import annotations

import csv
import io

import pytest

from tests.simulated_examples import load_simulated
from trex.export.document import render_document
from trex.export.documents.csv import safe_cell
from trex.views.document import Document, Section
from trex.views.layers import layers_document
from trex.views.table import Table, TableColumn


def read(document: Document) -> list[dict[str, str]]:
    text = render_document(document, "csv").decode("utf-8")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def of_cells(*cells: object, name: str = "Name") -> Document:
    table = Table("t", (TableColumn(name),), tuple((cell,) for cell in cells))
    return Document("x", "t", sections=(Section("s", "", (table,)),))


def test_values_are_read_back():
    plan = load_simulated("resnet18-int8")
    rows = read(layers_document(plan.df, plan))
    assert [row["Name"] for row in rows] == list(plan.df["Name"])
    assert [float(row["latency.avg_time"]) for row in rows] == list(plan.df["latency.avg_time"])
    assert list(rows[0]) == [*plan.df.columns, "provenance"]  # the example is simulated


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", " =1", "＝1", "=", "-", "--x", "+1e", "-1-1"]
)
def test_formulas_are_inert(text):
    cell = safe_cell(text)
    assert cell[0] in "'\\"
    (row,) = read(of_cells(text))
    assert row["name"] == cell
    for before in ("a;", 'a;"', "a; "):  # where cells are parted by semicolons
        opened = csv.reader(io.StringIO(render_document(of_cells(before + text), "csv").decode()), delimiter=";")
        assert all(inner.lstrip(' "')[:1] in ("'", "\\") for _, *rest in opened for inner in rest)


@pytest.mark.parametrize("text", ["-1", "+2.5", "-1e-3", "-.5", "conv", "/conv", "a=b", "0x1f", "", "a;b", "-1;-2;c"])
def test_numbers_and_names_stay_as_they_are(text):
    assert safe_cell(text) == text


def test_quotes_commas_and_line_breaks_stay_in_their_cell():
    (row,) = read(of_cells('a "b", c\nd\re\x1e'))
    assert row == {"name": 'a "b", c\\nd\\re\\x1e'}


def test_unknown_is_an_empty_cell():
    assert [row["name"] for row in read(of_cells([1, None], None, float("nan")))] == ["[1, null]", "", ""]


def test_headings_are_inert_too():
    text = render_document(of_cells("a", name="=cmd|x"), "csv").decode()
    assert text == "cmd_x\na\n", "a heading is the key of its column"
    document = Document(
        "x", "t", sections=(Section("s", "", (Table("t", (TableColumn("a", identifier="=1"),), (("a",),)),)),)
    )
    assert render_document(document, "csv").decode() == "'=1\na\n"


def test_control_characters_and_half_surrogates_are_written_as_escapes():
    (row,) = read(of_cells("a\x1e\x1b[31m\u202e\ud800"))
    assert row["name"] == "a\\x1e\\x1b[31m\\u202e\ufffd"
