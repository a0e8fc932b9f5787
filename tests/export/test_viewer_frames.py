"""Frames in the page's data."""

from __future__ import annotations

import json

import pytest

from tests.export.test_html import data_of, plan_of, unshared
from tests.export.test_viewer_members import unpacked
from tests.factories import layer
from tests.simulated_examples import load_simulated
from trex.export.diagram import Drawing
from trex.export.html import render_html
from trex.graph.build import build_graph
from trex.views.diagram.scene import build_scene
from trex.views.diagram.style import DiagramStyle


def unrun(packed: list[int]) -> list[int]:
    return [value for count, value in zip(packed[::2], packed[1::2]) for _ in range(count)]


def test_frames_are_those_of_the_scene():
    drawing = Drawing(load_simulated("resnet18-int8"), DiagramStyle(group_by="module"))
    scene = drawing.scene
    data = data_of(render_html(scene, drawing.graph, drawing.plan))
    frames, strings = data["frames"], unshared(data["strings"])
    assert [strings[place] for place in frames["title"]] == [frame.title for frame in scene.frames]
    assert {strings[place] for place in frames["kind"]} == {"module"}
    assert frames["parent"] == [-1 if frame.parent is None else frame.parent for frame in scene.frames]
    assert frames["height"] == [round(frame.height) for frame in scene.frames]
    assert [x + shift for x, shift in zip(frames["x"], unpacked(frames["titleX"]))] == [
        pytest.approx(frame.title_x, abs=1.1) for frame in scene.frames
    ]
    assert unrun(data["boxes"]["frame"]) == [-1 if box.frame is None else box.frame for box in scene.boxes]
    sources = data["wires"]["captionBox"]
    assert [sum(sources[: i + 1]) for i in range(len(sources))] == [caption.source for caption in scene.captions]


def test_without_frames_nothing_is_said_of_them():
    plan = plan_of(layer("a"), layer("b"))
    graph = build_graph(plan)
    data = data_of(render_html(build_scene(graph, plan), graph, plan))
    assert data["boxes"]["frame"] == [] and data["wires"]["captionBox"] == []
    assert all(part == [] for part in data["frames"].values())
    assert len(json.dumps(data["frames"])) < 120
