"""SVG files: valid for any name, searchable, self-contained, written whole or not at all."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from tests.factories import engine, layer, t, time
from tests.synthetic.engines import synthetic_engine
from trex.core.errors import TrexError
from trex.core.whole_file import write_whole
from trex.engine_plan import load
from trex.export.svg import render_svg
from trex.graph.build import build_graph
from trex.views.diagram.drawn_graph import drawn_graph
from trex.views.diagram.lettering import text_width
from trex.views.diagram.scene import build_scene
from trex.views.diagram.style import DiagramStyle
from trex.views.table import milliseconds

SVG = "{http://www.w3.org/2000/svg}"
NAMES = [
    "a < b & c > \"d\" 'e'",
    "</title></svg><script>alert(1)</script>",
    "]]><!--",
    "fused\x1ename\x1fwith\x00controls\x7f",
    "half \ud83d pair",
    "emoji 🙂 名前 \u202e right-to-left",
    "line\nbreak\tand tab",
    "x" * 40_000,
    "",
    " ",
]


def scene_of(*layers, inputs=(), outputs=(), style=None, title=""):
    whole = engine(*layers, inputs=inputs, outputs=outputs)
    times = tuple(time(item.name, 0.1 * (i + 1)) for i, item in enumerate(whole.layers))
    plan = SimpleNamespace(working_layers=whole.layers, times=times, engine=whole, name="small")
    return build_scene(build_graph(plan), None, style, title=title)


def parsed(scene):
    return ElementTree.fromstring(render_svg(scene).encode("utf-8"))


def texts(root):
    return [element.text or "" for element in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_any_name_makes_a_valid_file(name):
    odd = layer(name, name, [t(name)], [t(f"{name}'s"), "y"], tactic=name, origins=[name], module=name)
    root = parsed(scene_of(odd, inputs=[name], outputs=["y"], style=DiagramStyle(display_edge_name=True), title=name))
    assert not list(root.iter(f"{SVG}script"))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        *("svg", "title", "style", "defs", "marker", "path", "rect", "text", "g"),
    }
    assert not any(attribute.startswith("on") for element in root.iter() for attribute in element.attrib)


def test_nothing_comes_from_elsewhere():
    text = render_svg(scene_of(layer("a"), inputs=["x"], outputs=["y"]))
    assert not re.search(r"href|@import|url\((?!#)", text)
    assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"]


def test_names_can_be_searched_and_facts_hovered():
    root = parsed(
        scene_of(layer("conv_7", "Convolution", tactic="sm80_kernel"), inputs=["x"], outputs=["y"], title="Net")
    )
    assert {"conv_7", "Convolution", "Net", f"{milliseconds(0.1)} ms · 100.0%", "FP16 1x8x4x4 NCHW"} <= set(texts(root))
    titles = [element.text or "" for element in root.iter(f"{SVG}title")]
    assert any("tactic: sm80_kernel" in title for title in titles)
    assert any(title.startswith("x\nFP16") for title in titles)


def test_size_view_and_paper():
    scene = scene_of(layer("a"), inputs=["x"], outputs=["y"])
    root = parsed(scene)
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    assert root.attrib["viewBox"] == f"0 0 {width} {height}"
    assert scene.width < width and scene.height < height
    assert root.find(f"{SVG}rect").attrib["fill"] == "#fff"


def test_everything_lies_on_the_paper():
    layers = [layer(f"l{i}", f"Type{i}", [f"t{i}"], [f"t{i + 1}"]) for i in range(30)]
    root = parsed(scene_of(*layers, inputs=["t0"], outputs=["t30"], title="long " * 100))
    width = int(root.attrib["width"])
    legend = next(element for element in root.iter(f"{SVG}g") if element.attrib.get("id") == "legend")
    for text in legend.iter(f"{SVG}text"):
        assert float(text.attrib["x"]) + 5 * len(text.text or "") < width


def test_dashes_and_highlights():
    carried = scene_of(layer("a", inputs=["s"], outputs=["u"]), layer("b", inputs=["u"], outputs=["s"]))
    assert "stroke-dasharray" in render_svg(carried)
    marked = scene_of(layer("a"), inputs=["x"], style=DiagramStyle(highlight_layers=("a",)))
    assert 'class="h"' in render_svg(marked)


def test_an_empty_engine_is_a_file_too():
    assert "0 layers" in " ".join(texts(parsed(scene_of())))


def test_the_file_stays_small():
    layers = [layer(f"/block{i}/conv/Conv", "Convolution", [f"t{i}"], [f"t{i + 1}"]) for i in range(300)]
    assert len(render_svg(scene_of(*layers, inputs=["t0"], outputs=["t300"]))) < 3000 * len(layers)


def test_the_file_is_written_whole(tmp_path):
    scene = scene_of(layer("a \ud800"), inputs=["x"], outputs=["y"])
    path = write_whole(tmp_path / "picture.svg", render_svg(scene))
    ElementTree.parse(path)
    assert [each.name for each in tmp_path.iterdir()] == ["picture.svg"]
    with pytest.raises(TrexError, match="folder"):
        write_whole(tmp_path / "missing" / "picture.svg", render_svg(scene))


def test_real_engines(shared_engines):
    for folder in sorted(each for each in shared_engines.iterdir() if each.is_dir()):
        plan = load(folder)
        text = render_svg(build_scene(build_graph(plan), plan))
        root = ElementTree.fromstring(text.encode())
        boxes = [element for element in root.iter(f"{SVG}g") if element.attrib.get("id", "").startswith("n")]
        assert len(boxes) >= len(plan.working_layers)
        assert len(text) < 3000 * (len(plan.working_layers) + 2)
        width, height = int(root.attrib["width"]), int(root.attrib["height"])
        assert height < 3000 or height < 2 * width


def test_frames_have_a_border_a_title_and_facts():
    plan = synthetic_engine("resnet18-int8")
    style = DiagramStyle(group_by="module", close_groups="layer4/1")
    scene = build_scene(drawn_graph(plan, style), plan, style)
    svg = ElementTree.fromstring(render_svg(scene))
    rects = {each.get("id"): each for each in svg.iter(f"{SVG}rect") if (each.get("id") or "").startswith("f")}
    assert rects.keys() == {f"f{number}" for number in range(len(scene.frames))}
    assert [rect.findtext(f"{SVG}title") for rect in rects.values()] == [frame.tooltip for frame in scene.frames]
    words = [each.text for each in svg.iter(f"{SVG}text")]
    assert all(frame.title in words for frame in scene.frames)
    assert len([each for each in svg.iter(f"{SVG}rect") if each.get("class") == "d"]) == 1
    assert 'class="e"' not in render_svg(build_scene(drawn_graph(plan), plan))


def test_facts_that_do_not_fit_go_on_below():
    plan = synthetic_engine("transformer-fp16")
    style = DiagramStyle(fold=True, close_groups="blocks", fold_from=100, most_nodes=5)
    scene = build_scene(drawn_graph(plan, style), plan, style)
    scene = replace(scene, facts=(*scene.facts, *["a fact that is long enough to need room"] * 3))
    svg = ElementTree.fromstring(render_svg(scene))
    lines = [each for each in svg.iter(f"{SVG}text") if each.get("class") == "f"]
    assert len(lines) > 1 and " · ".join(each.text or "" for each in lines) == " · ".join(scene.facts)
    assert all(text_width(each.text or "", 13) < float(svg.get("width", 0)) for each in lines)
    legend = min(float(each.get("y", 0)) for each in svg.iter(f"{SVG}text") if each.get("class") == "g")
    assert legend > max(float(each.get("y", 0)) for each in lines)
