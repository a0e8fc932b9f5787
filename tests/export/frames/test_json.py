"""JSON: one object per layer, numbers as numbers."""

from __future__ import annotations

import io
import json
import math

import pandas as pd

from trex.engine_plan import load_example
from trex.export.frames.json import render


def test_values_are_read_back():
    frame = load_example("transformer-fp16").df
    rows = json.loads(render(frame))
    assert [list(row) for row in rows] == [[*frame.columns, "provenance"]] * len(frame)  # the example is simulated
    for name in frame.columns:
        for row, value in zip(rows, frame[name], strict=True):
            if isinstance(value, float) and math.isnan(value):
                assert row[name] is None
            else:
                assert row[name] == (list(value) if isinstance(value, tuple) else value), name


def test_a_reader_of_frames_reads_it():
    frame = load_example("resnet18-int8").df
    back = pd.read_json(io.BytesIO(render(frame)), orient="records", precise_float=True)
    assert list(back["latency.avg_time"]) == list(frame["latency.avg_time"])


def test_nothing_unprintable_is_written_raw():
    data = render(pd.DataFrame({"Name": ["a\x1b\x9b\u202e\x1e"]})).decode()
    assert all(line.isprintable() for line in data.splitlines())
    assert json.loads(data) == [{"Name": "a\x1b\x9b\u202e\x1e"}]


def test_columns_of_the_same_name_are_both_kept():
    assert json.loads(render(pd.DataFrame([[1, 2]], columns=["a", "a"]))) == [{"a": 1, "a_2": 2}]
