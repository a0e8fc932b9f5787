"""The workbook: a sheet per section, native charts, tables with filters, notes."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime
from typing import Any

import pytest

from tests.simulated_examples import load_simulated
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries
from trex.core.note import Note
from trex.export.document import render_document
from trex.views.compare.document import comparison_document, series_document
from trex.views.document import Document, Fact, Facts, PlotBlock, Section, Text
from trex.views.plot import Axis, Bars
from trex.views.report.document import report_document
from trex.views.table import Table, TableColumn

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is absent: pip install openpyxl")
pytest.importorskip("xlsxwriter", reason="xlsxwriter is absent: pip install xlsxwriter")
pytestmark = pytest.mark.filterwarnings("ignore:.*extension is not supported")


def book_of(document: Document) -> Any:
    return openpyxl.load_workbook(io.BytesIO(render_document(document, "xlsx")))


def cells(sheet: Any) -> list[list[Any]]:
    return [[value for value in row if value] for row in sheet.iter_rows(values_only=True)]


def test_a_report_has_a_sheet_per_section_and_its_layers_with_a_filter() -> None:
    plan = load_simulated("resnet18-int8")
    book = book_of(report_document(plan))
    assert book.sheetnames[0] == "Summary" and book.sheetnames[-1] == "Chart data"
    assert {"Performance", "Roofline", "Memory", "Layers"} <= set(book.sheetnames)
    assert len(book["Performance"]._charts) == 14
    layers = book["Layers"]
    assert layers.max_row == len(plan.working_layers) + 1 and layers.auto_filter.ref and layers.freeze_panes == "C2"
    assert [cell.value for cell in layers[1]][:3] == ["#", "Layer", "Time (ms)"]
    assert cells(book["Summary"])[:2] == [["resnet18-int8"], [report_document(plan).subtitle]]


def test_a_chart_says_what_it_leaves_out() -> None:
    plot = Bars(["a"], [1.0], Axis("type"), Axis("time", "ms"), title="Times", note="12 of 25 layers not profiled")
    document = Document("report", "x", sections=(Section("a", "A", (PlotBlock("b", "B", lambda: plot),)),))
    charts = zipfile.ZipFile(io.BytesIO(render_document(document, "xlsx"))).read("xl/charts/chart1.xml").decode()
    assert "Times (12 of 25 layers not profiled)" in charts


def test_one_engine_gives_one_workbook() -> None:
    document = report_document(load_simulated("resnet18-int8"))
    first = render_document(document, "xlsx")
    assert render_document(document, "xlsx") == first
    core = zipfile.ZipFile(io.BytesIO(first)).read("docProps/core.xml").decode()
    assert str(datetime.now().year) not in core


def test_a_comparison_adds_up() -> None:
    comparison = PlanDiff(load_simulated("resnet18-int8"), load_simulated("resnet18-int8-residual"))
    book = book_of(comparison_document(comparison))
    assert (
        book.sheetnames[0] == "Verdict" and len(book["Why"]._charts) == 1 and len(book["Largest changes"]._charts) == 2
    )
    rows = list(book["All matched layers"].iter_rows(values_only=True))
    column = rows[0].index("difference (ms)")
    fall = comparison.waterfall
    total = sum(row[column] for row in rows[1:] if row[column] is not None)
    assert total == pytest.approx(fall.layers_right_ms - fall.layers_left_ms)


def test_a_series_has_the_layers_of_every_pair() -> None:
    base, *others = (load_simulated(f"resnet18-{name}") for name in ("fp16", "int8", "int8-residual"))
    book = book_of(series_document(EngineSeries(base, others)))
    assert len([name for name in book.sheetnames if name.startswith("Matched layers of")]) == 2


def test_sentences_facts_tables_and_notes() -> None:
    table = Table("Times", (TableColumn("layer"), TableColumn("time", "ms", "ms")), (("a", 0.5), ([1, 2], None)))
    sections = (
        Section("", "", (Text(("The answer.",)),)),
        Section(
            "more", "More", (Facts((Fact("Clock", "1.4 GHz"),)), table), (Note("n", "a fact", "a step", "x.json"),)
        ),
        Section("rest", "Rest", (Text(("Only words.",)),)),
    )
    book = book_of(Document("x", "Title", "made up", sections, (Note("m", "about all"),)))
    assert book.sheetnames == ["Summary", "More", "Notes"]
    assert cells(book["Summary"]) == [["Title"], ["made up"], ["The answer."]]
    more = cells(book["More"])
    assert ["Clock", "1.4 GHz"] in more and ["a", 0.5] in more and ["[1, 2]"] in more
    assert ["a fact", "a step", "x.json", "warning", "n"] in more and more[-2:] == [["Rest"], ["Only words."]]
    assert ["about all", "warning", "m"] in cells(book["Notes"])


def test_rows_left_out_are_counted_below_their_table() -> None:
    table = Table("Times", (TableColumn("layer"),), tuple((f"layer {index}",) for index in range(5)), more="--top N")
    book = book_of(Document("x", "Title", "", (Section("more", "More", (table.first(3),)),)))
    assert cells(book["More"])[-2:] == [["layer 2"], ["… 2 more: --top N"]]
