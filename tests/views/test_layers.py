"""Layers → Document: the frame's own columns, values and order."""

from __future__ import annotations

import json

from tests.simulated_examples import load_simulated
from trex.export.document import render_document
from trex.views.layers import layers_document


def test_programs_get_the_frames_names_and_nested_values() -> None:
    plan = load_simulated("resnet18-int8")
    frame = plan.df.sort_values("latency.avg_time", ascending=False)[["Name", "latency.avg_time", "Inputs"]].head(3)
    table = json.loads(render_document(layers_document(frame, plan), "json"))["sections"]["layers"]["tables"]["layers"]
    assert [column["key"] for column in table["columns"]] == list(frame.columns)
    assert table["columns"][1] == {
        "key": "latency.avg_time", "name": "latency.avg_time", "unit": "ms", "meaning": "Mean over iterations"
    }  # fmt: skip
    assert [row["Inputs"] for row in table["rows"]] == frame["Inputs"].tolist()


def test_a_terminal_shows_every_row() -> None:
    plan = load_simulated("resnet18-int8")
    text = render_document(layers_document(plan.df[["Name"]], plan), "text").decode()
    assert text.splitlines()[-len(plan.working_layers) :] == plan.df["Name"].tolist()
