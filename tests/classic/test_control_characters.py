"""TensorRT's separators 0x1E and 0x1F: nowhere in what notebooks write to files, still in the raw record."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

import trex
from tests.raw_records import graph_file, layer

SEPARATOR = re.compile("[\x1e\x1f]")
METADATA = "[ONNX Layer: /a]\x1e[ONNX Layer: /b]\x1f[ONNX Layer: /c]"


@pytest.fixture
def plan(tmp_path: Path) -> trex.EnginePlan:
    return trex.EnginePlan(graph_file(tmp_path, [layer("a\x1eb", inputs=["x"], outputs=["y"], Metadata=METADATA)]))


def test_separators_are_in_the_raw_record_only(plan: trex.EnginePlan, tmp_path: Path) -> None:
    (one,) = plan.layers
    readable = "[ONNX Layer: /a]+[ONNX Layer: /b]+[ONNX Layer: /c]"
    assert one.metadata == trex.Layer(one.raw_dict).metadata == plan.df["Metadata"][0] == readable
    assert one.raw_dict["Metadata"] == METADATA
    (record,), _ = trex.import_graph_file(next(tmp_path.glob("*.json")))
    assert record["Metadata"] == readable and record["Name"] == "a+b"


def test_operations_are_those_of_the_raw_record(plan: trex.EnginePlan) -> None:
    assert plan.layers[0].origins == ("/a", "/b", "/c")
    again = trex.fix_df(pd.DataFrame([{"Name": "a", "LayerType": "kgen", "Metadata": plan.df["Metadata"][0]}]))
    assert again["layer.origins"][0] == ("/a", "/b", "/c")


def test_frames_and_clean_records_have_no_separators(address: str, tmp_path: Path) -> None:
    plan = trex.load(address)
    for name in ("Name", "Metadata", "tactic"):
        assert not any(SEPARATOR.search(text) for text in plan.df[name] if isinstance(text, str)), name


def test_a_frame_can_be_written_by_pandas(plan: trex.EnginePlan, tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    path = tmp_path / "plan.xlsx"
    plan.df.to_excel(path)
    assert pd.read_excel(path)["Metadata"][0].count("+") == 2
