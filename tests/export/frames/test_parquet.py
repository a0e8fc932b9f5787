"""Parquet: the same values and types when it is read back."""

from __future__ import annotations

import io
import json
import math
import sys

import pandas as pd
import pytest

from trex.core.errors import TrexError
from trex.engine_plan import load_example
from trex.export.frames.parquet import render


def back(frame: pd.DataFrame) -> pd.DataFrame:
    pytest.importorskip("pyarrow")
    return pd.read_parquet(io.BytesIO(render(frame)))


@pytest.mark.parametrize("example", ["resnet18-int8", "transformer-fp16"])
def test_values_are_read_back(example):
    frame = load_example(example).df
    found = back(frame)
    assert list(found.columns) == [*frame.columns, "provenance"]  # the examples are simulated
    for name in frame.columns:
        if frame[name].dtype.kind in "if":
            assert found[name].dtype == frame[name].dtype, name
            assert found[name].equals(frame[name]), name
        else:
            for read, value in zip(found[name], frame[name], strict=True):
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
        ([2**70, 1], [str(2**70), "1"]),
        ([2**60, 1], [2**60, 1]),
        ([[1], {"a": None}], ["[1]", '{"a": null}']),
    ],
)
def test_columns_of_mixed_cells(cells, read):
    found = back(pd.DataFrame({"x": pd.Series(cells, dtype=object)}))["x"]
    assert [None if pd.isna(value) else value for value in found] == read


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(TrexError, match=r"tensorrt-engine-explorer\[parquet\]"):
        render(pd.DataFrame({"a": [1]}))
