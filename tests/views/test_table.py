"""Tables as data: units, unknown values, columns that appear only when something is known."""

from __future__ import annotations

import math

import pytest

from trex.views.table import UNKNOWN_TEXT, Table, TableColumn, byte_size, milliseconds

NAN = float("nan")


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("text", "a", "a"),
        ("text", 3, "3"),
        ("count", 12345, "12,345"),
        ("number", 3, "3"),
        ("number", 0.1 + 0.2, "0.3"),
        ("number", True, "True"),
        ("ms", 0.00123, "0.0012"),
        ("ms", 2, "2.0000"),
        ("ms", 1234.5678, "1,234.568"),
        ("pct", 12.345, "12.3"),
        ("pct", 100, "100.0"),
        ("pct", -0.04, "0.0"),
        ("bytes", 512, "512 B"),
        ("bytes", 1536, "1.5 KiB"),
        ("bytes", 3 << 30, "3.0 GiB"),
        ("bytes", float("inf"), "inf TiB"),
        ("ms", "not a number", "not a number"),
        ("bytes", [1], "[1]"),
    ],
)
def test_cells_are_written_by_their_kind(kind, value, text):
    assert TableColumn("x", kind).cell(value) == text


@pytest.mark.parametrize("kind", ["text", "count", "number", "ms", "pct", "bytes"])
@pytest.mark.parametrize("value", [None, NAN])
def test_unknown_is_a_dash_and_never_zero(kind, value):
    assert TableColumn("x", kind).cell(value) == UNKNOWN_TEXT


def test_headings_carry_the_unit():
    assert TableColumn("latency.time", "ms", "ms").heading == "latency.time (ms)"
    assert TableColumn("Name").heading == "Name"


def test_records_have_no_nan():
    table = Table("", (TableColumn("a"), TableColumn("b", "ms")), ((1, NAN), (2, math.inf), (3, 0.5)))
    assert table.records() == [{"a": 1, "b": None}, {"a": 2, "b": None}, {"a": 3, "b": 0.5}]


def test_columns_that_nobody_knows_are_for_machines_only():
    columns = (TableColumn("a"), TableColumn("b", "ms", if_known=True), TableColumn("c", "ms"))
    table = Table("", columns, ((1, None, None), (2, NAN, None)))
    assert [column.name for column in table.for_people().columns] == ["a", "c"]
    assert table.for_people().rows == ((1, None), (2, None))
    assert set(table.records()[0]) == {"a", "b", "c"}
    known = Table("", columns, ((1, None, None), (2, 0.5, None)))
    assert known.for_people() is known


def test_sizes_and_times_alone():
    assert byte_size(None) == byte_size(NAN) == milliseconds(None) == milliseconds(NAN) == UNKNOWN_TEXT
    assert byte_size(1023) == "1023 B"
    assert milliseconds(9.99999) == "10.0000"
