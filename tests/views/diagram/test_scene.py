"""Scenes: colors, legend, facts, captions, odd graphs."""

from __future__ import annotations

import pytest

from tests.factories import engine, layer, t, time
from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram import items
from trex.views.diagram.drawn_graph import drawn_graph, hard_to_read
from trex.views.diagram.scene import build_scene
from trex.views.diagram.style import DiagramStyle
from trex.views.palette import LAYER_COLORS, PRECISION_COLORS
from trex.views.table import milliseconds


def plan_of(*layers, inputs=("x",), outputs=(), ms=None, **facts):
    whole = engine(*layers, inputs=inputs, outputs=outputs)
    times = tuple(None if ms is None or value is None else time("", value) for value in ms or [None] * len(layers))
    plan = EnginePlan(whole, name="small", **facts)
    plan.working_layers, plan.times = whole.layers, times
    return plan


def scene_of(plan, style=None, **options):
    return build_scene(drawn_graph(plan, style), plan, style, **options)


def small(**options):
    return plan_of(
        layer("a", "Convolution", ["x"], [t("t", type="INT8")], precision="FP16"),
        layer("b", "PointWise", [t("t", type="INT8")], ["y"]),
        outputs=["y"],
        **options,
    )


def legend_texts(scene):
    return {group.title: [entry.text for entry in group.entries] for group in scene.legend}


def test_boxes_follow_execution_and_wear_the_palette():
    scene = scene_of(small(ms=[3.0, 1.0]))
    assert [(box.kind, box.label.kind) for box in scene.boxes] == [
        ("input", "Input"),
        ("layer", "Convolution"),
        ("layer", "PointWise"),
        ("output", "Output"),
    ]
    assert scene.boxes[1].color == LAYER_COLORS["Convolution"]
    assert scene.boxes[1].heat == 1 and scene.boxes[2].heat == pytest.approx(1 / 3)
    assert scene.boxes[1].label.badge == f"{milliseconds(3.0)} ms · 75.0%"
    by_precision = scene_of(small(), DiagramStyle(color_by="precision"))
    assert by_precision.boxes[1].color == PRECISION_COLORS["FP16"]


def test_wires_wear_the_precision_of_their_tensor():
    scene = scene_of(small())
    colors = {(wire.source, wire.target): wire.color for wire in scene.wires}
    assert colors[1, 2] == colors[1, 2] != colors[0, 1]
    assert [caption.text for caption in scene.captions] == [
        "FP16 1x8x4x4 NCHW",
        "INT8 1x8x4x4 NCHW",
        "FP16 1x8x4x4 NCHW",
    ]


def test_the_legend_holds_what_is_used_and_nothing_else():
    texts = legend_texts(scene_of(small(ms=[3.0, 1.0])))
    assert texts == {
        "Layers by type": [
            "Convolution (1)",
            "PointWise (1)",
            "time, against the slowest layer",
            "hottest path: 100 % of the time",
        ],
        "Data": ["input of the engine", "output of the engine"],
        "Tensors by precision": ["FP16", "INT8"],
    }
    assert legend_texts(scene_of(small()))["Layers by type"] == ["Convolution (1)", "PointWise (1)"]
    assert "Layers by precision" in legend_texts(scene_of(small(), DiagramStyle(color_by="precision")))


def test_many_types_share_a_last_entry():
    plan = plan_of(*(layer(f"l{i}", f"Type{i:02}", ["x"], [f"y{i}"]) for i in range(40)))
    entries = legend_texts(scene_of(plan))["Layers by type"]
    assert len(entries) == 25 and entries[-1] == "16 more (16)"


def test_facts():
    assert scene_of(small(ms=[3.0, None])).facts == (
        "2 layers",
        f"{milliseconds(3.0)} ms (sum of the layers)",
        "1 without a time",
    )
    assert scene_of(small()).facts == ("2 layers", "no times measured")
    plan = small()
    plan.metadata = Metadata(synthetic=True)
    assert "synthetic data" in scene_of(plan).facts
    assert scene_of(small(), title="T").title == "T"


def test_carried_values_are_dashed_and_in_the_legend():
    plan = plan_of(layer("read", inputs=["s"], outputs=["u"]), layer("write", inputs=["u"], outputs=["s"]), inputs=())
    scene = scene_of(plan)
    assert [wire.is_dashed for wire in scene.wires] == [True, False]
    assert "carried over" in legend_texts(scene)["Tensors by precision"][-1]


def test_dangling_data_has_one_box_per_reader():
    plan = plan_of(
        layer("a", inputs=["x", "w1", "w2"], outputs=["t"]),
        layer("b", inputs=["t", "w1"], outputs=["y"]),
        outputs=["y"],
    )
    scene = scene_of(plan)
    assert [box.label.kind for box in scene.boxes if box.kind == "dangling"] == [
        "No writer reported ×2",
        "No writer reported",
    ]
    ends = [(scene.boxes[wire.source].kind, scene.boxes[wire.target].label.lines[0][1]) for wire in scene.wires]
    assert ends.count(("dangling", "a")) == 1 and ends.count(("dangling", "b")) == 1


def test_very_many_bindings_without_a_wire_share_a_box(monkeypatch):
    """A file may name hundreds of thousands; a wired one and the first ones keep boxes of their own."""
    monkeypatch.setattr(items, "MOST_ALONE", 3)
    plan = plan_of(
        layer("a", inputs=["x"], outputs=["y"]), inputs=("x", *(f"i{j}" for j in range(200))), outputs=("y", "o1", "o2")
    )
    scene = scene_of(plan)
    kinds = [(box.kind, box.label.kind) for box in scene.boxes if box.kind in ("input", "output")]
    assert (
        kinds == [("input", "Input")] * 3 + [("input", "Input ×197"), ("input", "Input")] + [("output", "Output")] * 3
    )
    assert len(scene.wires) == 2 and any("and 157 more" in box.label.tooltip for box in scene.boxes)
    assert not hard_to_read(drawn_graph(plan)), "boxes count, not nodes"


def test_style_chooses():
    plan = plan_of(layer("a", inputs=["x"], outputs=["y"]), layer("alone", inputs=[], outputs=[]), outputs=["y"])
    assert len(scene_of(plan).boxes) == 4
    assert len(scene_of(plan, DiagramStyle(remove_disconnected_layers=True)).boxes) == 3
    assert not scene_of(plan, DiagramStyle(display_edge_details=False)).captions
    marked = scene_of(plan, DiagramStyle(highlight_layers=("alone",)))
    assert [box.label.lines[0][1] for box in marked.boxes if box.is_highlighted] == ["alone"]
    with pytest.raises(TrexError, match="color_by"):
        DiagramStyle(color_by="mood")
    with pytest.raises(TrexError, match="latency_type"):
        DiagramStyle(latency_type="fastest")


def test_wires_that_say_the_same_say_it_once():
    plan = plan_of(layer("split", inputs=["x"], outputs=["q", "k", t("v", type="INT8")]), outputs=["q", "k", "v"])
    texts = [caption.text for caption in scene_of(plan).captions]
    assert sorted(texts) == ["FP16 1x8x4x4 NCHW", "FP16 1x8x4x4 NCHW (×2)", "INT8 1x8x4x4 NCHW"]


def test_captions_of_many_outputs_are_limited():
    plan = plan_of(layer("many", inputs=["x"], outputs=[t(f"y{i}", [i]) for i in range(50)]))
    plan.engine = engine(*plan.working_layers, inputs=["x"], outputs=[f"y{i}" for i in range(50)])
    assert len(scene_of(plan).captions) == 1 + 6


def test_chosen_latency():
    plan = small(ms=[3.0, 1.0])
    assert scene_of(plan, DiagramStyle(latency_type="time")).boxes[1].label.badge.startswith(f"{milliseconds(30.0)} ms")


def test_an_empty_engine_is_a_picture_too():
    scene = scene_of(plan_of(inputs=()))
    assert scene.boxes == () and scene.facts == ("0 layers",)


def test_a_names_only_engine_stands_in_one_column():
    scene = scene_of(plan_of(*(layer(f"l{i}", inputs=[], outputs=[]) for i in range(50)), inputs=()))
    assert not scene.wires and len({box.y for box in scene.boxes}) == 50
    assert scene.width < 400
