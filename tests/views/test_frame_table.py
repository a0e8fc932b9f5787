"""DataFrame → Table: kinds and units come from the declared columns."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from tests.simulated_examples import load_simulated
from trex.plan.columns import COLUMNS
from trex.views.frame_table import frame_table


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return load_simulated("resnet18-int8").df


def test_units_are_those_of_the_declared_columns(frame):
    by_name = {column.name: column for column in frame_table(frame).columns}
    assert (by_name["latency.avg_time"].kind, by_name["latency.avg_time"].unit) == ("ms", "ms")
    assert (by_name["latency.pct_time"].kind, by_name["latency.pct_time"].unit) == ("pct", "%")
    assert (by_name["weights_size"].kind, by_name["weights_size"].unit) == ("bytes", "")
    assert by_name["layer.index"].kind == "number"
    for column in COLUMNS:
        if column.dtype == "object":
            assert by_name[column.name].kind in ("text", "name")


def test_cells_are_plain_values(frame):
    table = frame_table(frame[["layer.index", "Name", "latency.avg_time", "Inputs"]])
    index, name, time, inputs = table.rows[0]
    assert (type(index), type(name), type(time)) == (int, str, float)
    assert inputs == frame["Inputs"][0] and json.loads(table.columns[3].cell(inputs)) == inputs
    assert [column.key for column in table.columns] == ["layer.index", "Name", "latency.avg_time", "Inputs"]


def test_unknown_values():
    table = frame_table(pd.DataFrame({"a": [1.5, float("nan")], "b": pd.Series(["x", float("nan")], dtype=object)}))
    assert table.columns[0].cell(table.rows[1][0]) == "–"
    assert table.rows[1][1] is None


def test_columns_without_rows_and_without_names():
    assert frame_table(pd.DataFrame({"a": [], "b": []})).rows == ()
    assert frame_table(pd.DataFrame()).columns == ()
    assert [c.name for c in frame_table(pd.DataFrame([[1, 2]])).columns] == ["0", "1"]
    twice = pd.DataFrame([[1, "x"]], columns=["a", "a"])
    assert frame_table(twice).rows == ((1, "x"),)
