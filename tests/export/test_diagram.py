"""The registry of diagram formats: one file, one format, chosen by the file's ending."""

from __future__ import annotations

import pytest

from tests.diagram_files import write_diagram
from tests.factories import engine, layer
from tests.simulated_examples import load_simulated
from trex.core.errors import TrexError
from trex.export.diagram import FORMATS, Drawing, format_of, render_diagram
from trex.export.svg import render_svg
from trex.graph.select import Selection
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.style import DiagramStyle


@pytest.fixture(scope="module")
def plan():
    return load_simulated("resnet18-int8")


def test_the_formats_are_whole():
    assert not FORMATS.broken
    assert {"svg", "html"} <= set(FORMATS)
    endings = [suffix for plug in FORMATS.values() for suffix in plug.value.suffixes]
    assert len(endings) == len(set(endings))
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in endings)
    assert all(plug.doc for plug in FORMATS.values())


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.svg", "svg"),
        ("b/A.SVG", "svg"),
        ("x.html", "html"),
        ("x.y.htm", "html"),
        ("x.json", "json"),
        ("model-explorer.json", "json"),
        ("x.model-explorer.json", "model-explorer"),
        ("x.y.Node-Data.JSON", "node-data"),
        (".json.svg", "svg"),
    ],
)
def test_the_ending_decides(path, name):
    assert format_of(path) == name


@pytest.mark.parametrize(("path", "said"), [("a.gif", "'gif'"), ("a", "no ending"), (".svg", "no ending")])
def test_other_endings_are_refused_with_the_known_ones(path, said):
    with pytest.raises(TrexError, match=said) as error:
        format_of(path)
    assert ".svg" in str(error.value.hint) and ".html" in str(error.value.hint)


def test_a_drawing_makes_its_scene_once(plan):
    drawing = Drawing(plan)
    assert drawing.scene is drawing.scene
    assert render_diagram(drawing, "svg") == render_svg(drawing.scene).encode()
    with pytest.raises(TrexError, match="'nothing'"):
        render_diagram(drawing, "nothing")


@pytest.mark.parametrize("name", ["graphml", "json", "model-explorer", "node-data", "onnx"])
def test_data_is_folded_only_when_that_is_asked_for(name):
    if name == "onnx":
        pytest.importorskip("onnx")
    plan = load_simulated("transformer-fp16")
    large = Drawing(plan, DiagramStyle(fold_from=100))
    assert len(large.graph.layer_nodes) < len(plan.working_layers) == len(large.whole_graph.layer_nodes)
    assert render_diagram(large, name) == render_diagram(Drawing(plan), name)
    assert len(render_diagram(Drawing(plan, DiagramStyle(fold=True, fold_from=100)), name)) < len(
        render_diagram(large, name)
    )


def test_every_format_writes_its_file(plan, tmp_path):
    for name in ("svg", "html"):
        path = write_diagram(plan, tmp_path / f"net.{name}")
        assert path.read_bytes() == render_diagram(Drawing(plan, path=path), name)
    with pytest.raises(TrexError, match="folder"):
        write_diagram(plan, tmp_path / "none" / "net.svg")


def test_pages_of_larger_engines_have_groups_to_open_and_close(plan):
    large = Drawing(load_simulated("transformer-fp16"))
    assert large.view is large.view and large.view.scene.frames and not large.scene.frames
    assert {group.kind for group in large.view.graph.groups} == {"structure"}
    small = Drawing(plan, selection=Selection(module="/layer1"))
    assert not small.view.graph.groups
    for style in (DiagramStyle(group_by="none"), DiagramStyle(group_by="region"), DiagramStyle(fold=True)):
        drawing = Drawing(large.plan, style)
        assert drawing.view.graph is drawing.graph
    unnamed = EnginePlan(engine(*(layer(f"l{i}", inputs=[f"t{i}"], outputs=[f"t{i + 1}"]) for i in range(120))))
    assert not Drawing(unnamed).view.graph.groups
