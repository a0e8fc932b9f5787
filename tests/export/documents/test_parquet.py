"""Parquet: the same values and types when it is read back."""

from __future__ import annotations

import io
import json
import math
import sys

import pandas as pd
import pytest

from tests.simulated_examples import load_simulated
from trex.core.errors import TrexError
from trex.export.document import render_document
from trex.views.document import Document, Section
from trex.views.layers import layers_document
from trex.views.table import Table, TableColumn


def back(document: Document) -> pd.DataFrame:
    pytest.importorskip("pyarrow")
    return pd.read_parquet(io.BytesIO(render_document(document, "parquet")))


def of_cells(*cells: object) -> Document:
    table = Table("t", (TableColumn("x"),), tuple((cell,) for cell in cells))
    return Document("x", "t", sections=(Section("s", "", (table,)),))


@pytest.mark.parametrize("example", ["resnet18-int8", "transformer-fp16"])
def test_values_are_read_back(example):
    plan = load_simulated(example)
    frame, table = plan.df, back(layers_document(plan.df, plan))
    assert list(table.columns) == [*frame.columns, "provenance"]  # the examples are simulated
    for name in frame.columns:
        if frame[name].dtype.kind in "if":
            assert table[name].dtype == frame[name].dtype, name
            assert table[name].equals(frame[name]), name
        else:
            for read, value in zip(table[name], frame[name], strict=True):
                if isinstance(value, list | tuple | dict):
                    assert json.loads(read) == json.loads(json.dumps(value)), name
                elif isinstance(value, float) and math.isnan(value):
                    assert pd.isna(read), name
                else:
                    assert read == value or str(value) == read, name


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["a", None], ["a", None]),
        ([1, "a"], ["1", "a"]),
        ([True, None], [True, None]),
        ([1, 2.5], [1.0, 2.5]),
        ([1, None], [1, None]),
        ([2**70, 1], [str(2**70), "1"]),
        ([2**60, 1], [2**60, 1]),
        ([[1], {"a": None}], ["[1]", '{"a": null}']),
    ],
)
def test_columns_of_mixed_cells(cells, read):
    column = back(of_cells(*cells))["x"]
    assert [None if pd.isna(value) else value for value in column] == read


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(TrexError, match=r"tensorrt-engine-explorer\[parquet\]"):
        render_document(of_cells(1), "parquet")
