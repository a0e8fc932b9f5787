"""Layers of folded and closed nodes in the page's data: every one, tersely."""

from __future__ import annotations

import pytest

from tests.export.test_html import BYTES_A_LAYER, FIXED_BYTES, data_of, unshared
from tests.synthetic import make_transformer
from trex.engine_plan import load
from trex.export.diagram import Drawing
from trex.export.html import render_html
from trex.views.diagram.style import DiagramStyle


def drawing_of(count: int, style: DiagramStyle, folder) -> Drawing:
    for name, content in make_transformer(count).items():
        (folder / name).write_bytes(content)
    return Drawing(load(folder), style)


def unpacked(values) -> list:
    return [values["all"]] * values["n"] if isinstance(values, dict) else values


def summed(values) -> list[int]:
    found, at = [], 0
    for value in unpacked(values):
        at += value
        found.append(at)
    return found


@pytest.mark.parametrize("style", [DiagramStyle(fold=True), DiagramStyle(close_groups="layer/[0-9]$")])
def test_every_layer_is_there_with_its_own_time(style, tmp_path):
    drawing = drawing_of(300, style, tmp_path)
    data = data_of(render_html(drawing.scene, drawing.graph, drawing.plan))
    several = [node for node in drawing.graph.layer_nodes if node.folded or node.closed]
    wanted = {layer.index: (layer, time) for node in several for layer, time in zip(node.layers, node.times) if time}
    members = data["members"]
    index = summed(members["index"])
    assert index == sorted(wanted)
    assert unshared(members["name"]) == [wanted[i][0].name for i in index]
    assert unpacked(members["average"]) == [pytest.approx(wanted[i][1].average_ms, rel=1e-5) for i in index]
    assert members["shown"] == []
    strings = unshared(data["strings"])
    assert [strings[place] for place in summed(members["module"])] == [wanted[i][0].module for i in index]
    nodes = summed(members["node"])
    assert all(wanted[i][0] in drawing.graph.layer_nodes[node].layers for i, node in zip(index, nodes))
    types = [name for name, _ in data["types"]]
    own = unpacked(data["layers"]["type"])
    assert [types[own[node] + shift] for node, shift in zip(nodes, unpacked(members["type"]))] == [
        wanted[i][0].type for i in index
    ]
    assert members["closed"] == [i for i, node in enumerate(drawing.graph.layer_nodes) if node.closed]


def test_a_layer_without_a_time_is_unknown_not_zero(tmp_path):
    drawing = drawing_of(60, DiagramStyle(fold=True, latency_type="median_time"), tmp_path)
    drawing.plan.__dict__["times"] = tuple(None for _ in drawing.plan.working_layers)
    data = data_of(render_html(drawing.scene, drawing.graph, drawing.plan))
    assert set(unpacked(data["members"]["average"])) == {None}


@pytest.mark.parametrize("style", [DiagramStyle(fold=True), DiagramStyle(group_by="module")], ids=["folded", "framed"])
@pytest.mark.parametrize("count", [1000, pytest.param(5000, marks=pytest.mark.slow)])
def test_the_page_stays_small(style, count, tmp_path):
    drawing = drawing_of(count, style, tmp_path)
    size = len(render_html(drawing.scene, drawing.graph, drawing.plan).encode())
    assert size < FIXED_BYTES + BYTES_A_LAYER * count
    assert size < 180_000 + BYTES_A_LAYER * count
