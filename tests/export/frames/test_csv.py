"""CSV: read back as written, and inert in a spreadsheet."""

from __future__ import annotations

import csv
import io

import pandas as pd
import pytest

from trex.engine_plan import load_example
from trex.export.frames.csv import render, safe_cell


def read(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8"), newline="")))


def test_values_are_read_back():
    frame = load_example("resnet18-int8").df
    rows = read(render(frame))
    assert [row["Name"] for row in rows] == list(frame["Name"])
    assert [float(row["latency.avg_time"]) for row in rows] == list(frame["latency.avg_time"])
    assert list(rows[0]) == [*frame.columns, "provenance"]  # the example is simulated


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", " =1", "＝1", "=", "-", "--x", "+1e", "-1-1"]
)
def test_formulas_are_inert(text):
    cell = safe_cell(text)
    assert cell[0] in "'\\"
    (row,) = read(render(pd.DataFrame({"Name": [text]})))
    assert row["Name"] == cell


@pytest.mark.parametrize("text", ["-1", "+2.5", "-1e-3", "-.5", "conv", "/conv", "a=b", "0x1f", ""])
def test_numbers_and_names_are_left_alone(text):
    assert safe_cell(text) == text


def test_headers_are_inert_too():
    data = render(pd.DataFrame({"=1+1": [1]}))
    assert data.startswith(b"'=1+1")


def test_quotes_commas_and_line_breaks_stay_in_their_cell():
    (row,) = read(render(pd.DataFrame({"Name": ['a "b", c\nd\re\x1e'], "x": [1.0]})))
    assert row == {"Name": 'a "b", c\\nd\\re\\x1e', "x": "1.0"}


def test_unknown_is_an_empty_cell():
    (row,) = read(render(pd.DataFrame({"t": [float("nan")], "r": pd.Series([[1, None]], dtype=object)})))
    assert row == {"t": "", "r": "[1, null]"}
