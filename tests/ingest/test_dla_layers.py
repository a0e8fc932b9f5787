"""A profile's rows of the DLA next to graphs that lack them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ingest.spelling.test_dla_names import YOLO
from trex.engine_plan import load

TIMES = dict(zip(YOLO, (0.0852, 0.0085, 7.6931, 0.0017, 0.0029, 0.0072, 0.0026), strict=True))  # ms, issue 3143
PART = "{ForeignNode[Conv_0...Concat_198]}"


def tensor(name: str) -> dict[str, object]:
    return {
        "Name": name,
        "Dimensions": [1, 16, 8, 8],
        "Format/Datatype": "Sixteen wide channel vectorized row major FP16 format",
    }


def write(folder: Path, graph: list[object] | None) -> None:
    if graph is not None:
        text = json.dumps({"Layers": graph, "Bindings": ["images", "head_3", "head_2"]})
        (folder / "yolo.graph.json").write_text(text, encoding="utf-8")
    rows = [{"name": name, "timeMs": 400 * ms, "averageMs": ms, "percentage": 1.0} for name, ms in TIMES.items()]
    (folder / "yolo.profile.json").write_text(json.dumps([{"count": 400}, *rows]), encoding="utf-8")


@pytest.mark.parametrize(
    "graph",
    [
        None,
        [PART],
        [
            {
                "Name": PART, "LayerType": "DLA", "Inputs": [tensor("images")],
                "Outputs": [tensor("head_3"), tensor("head_2")],
            }
        ],
    ],
    ids=["no graph", "names", "detailed"],
)  # fmt: skip
def test_every_row_is_a_layer_with_its_time(tmp_path: Path, graph: list[object] | None) -> None:
    write(tmp_path, graph)
    plan = load(tmp_path)
    assert [(layer.name, layer.type) for layer in plan.engine.layers] == list(YOLO.items())
    assert [layer.index for layer in plan.engine.layers] == list(range(7))
    assert dict(zip(plan.df["Name"], plan.df["latency.avg_time"], strict=True)) == TIMES
    assert "profile-records-unmatched" not in {note.code for note in plan.notes}
    (note,) = [note for note in plan.notes if note.code == "dla-time-in-copies"]
    assert "(7.7 ms)" in note.message and "(0.0085 ms)" in note.message


def test_engines_without_dla_are_as_before(tmp_path: Path) -> None:
    write(tmp_path, [*YOLO])
    assert "dla-rows-from-profile" not in {note.code for note in load(tmp_path).notes}
    assert len(load(tmp_path).layers) == 7
