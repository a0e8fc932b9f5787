"""Long diagrams in columns: nothing is lost, cuts are between boxes, the whole has the form of a screen."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from tests.factories import engine, layer, t
from tests.synthetic.engines import synthetic_engine
from trex.export.svg import render_svg
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.columns import COLUMN_GAP, fold_into_columns
from trex.views.diagram.drawn_graph import drawn_graph
from trex.views.diagram.lettering import text_width
from trex.views.diagram.scene import Wire, build_scene
from trex.views.diagram.style import DiagramStyle

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module", params=["none", "module"])
def scene(request):
    plan, style = synthetic_engine("transformer-fp16"), DiagramStyle(group_by=request.param)
    return build_scene(drawn_graph(plan, style), plan, style)


def crossings(wires: Iterable[Wire], height: float) -> set[tuple[str, bool, bool, float]]:
    """Where wires go straight through a height, by their looks."""
    return {
        (wire.color, wire.is_dashed, wire.is_hot, end[-2])
        for wire in wires
        for start, end in pairwise(wire.path)
        if start[-2] == end[-2] and min(start[-1], end[-1]) <= height < max(start[-1], end[-1])
    }


def test_everything_is_in_its_column(scene):
    columns = fold_into_columns(scene)
    assert len(columns) > 2
    assert [a.bottom for a, _ in pairwise(columns)] == [b.top for _, b in pairwise(columns)]
    assert (columns[0].top, columns[-1].bottom) == (0, scene.height)
    for part in ("boxes", "captions"):
        both = sorted(id(item) for column in columns for item in getattr(column, part))
        assert both == sorted(map(id, getattr(scene, part)))
    ends = {(wire.source, wire.target, wire.path[-1]) for column in columns for wire in column.wires}
    assert ends == {(wire.source, wire.target, wire.path[-1]) for wire in scene.wires}
    for column in columns:
        for height in (column.top, (column.top + column.bottom) / 2, column.bottom - 0.5):
            assert crossings([*column.wires, *column.passing], height) == crossings(scene.wires, height)
    assert sorted(number for column in columns for number, _ in column.frames) == list(range(len(scene.frames)))
    for column in columns:
        for box in column.boxes:
            assert column.left <= box.x and box.x + box.width <= column.right
            assert column.top <= box.y and box.y + box.height <= column.bottom


def test_a_value_that_every_layer_reads_passes_a_column_once():
    read = t("in")
    layers = [layer(f"l{i}", "ElementWise", [t(f"t{i}"), read], [t(f"t{i + 1}")]) for i in range(300)]
    graph = drawn_graph(EnginePlan(engine(*layers, inputs=("in", "t0"), outputs=("t300",))))
    columns = fold_into_columns(build_scene(graph))
    assert len(columns) > 8 and sum(len(column.wires) for column in columns) < 2 * 602
    assert [len(column.passing) for column in columns[1:-1]] == [1] * (len(columns) - 2)


def test_the_form_is_that_of_a_screen(scene):
    columns = fold_into_columns(scene)
    width = sum(column.width + COLUMN_GAP for column in columns)
    assert 0.6 < width / max(column.height for column in columns) < 3
    assert max(column.height for column in columns) < 1.5 * scene.height / len(columns)


def test_cuts_are_outside_of_blocks(scene):
    frames = [frame for frame in scene.frames if frame.parent is not None]
    for column in fold_into_columns(scene)[:-1]:
        assert not any(frame.y < column.bottom < frame.y + frame.height for frame in frames)


def test_short_diagrams_stay_whole():
    plan = synthetic_engine("transformer-fp16")
    folded = DiagramStyle(fold=True)
    assert fold_into_columns(build_scene(drawn_graph(plan, folded), plan, folded)) == ()


def test_the_picture_says_where_it_goes_on_and_its_legend_is_inside(scene):
    root = ElementTree.fromstring(render_svg(scene))
    texts = [text.text or "" for text in root.iter(f"{SVG}text")]
    count = len(fold_into_columns(scene)) - 1
    assert texts.count("goes on in the next column →") == texts.count("← from the column before") == count
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert height < 0.5 * scene.height
    legend = next(group for group in root.iter(f"{SVG}g") if group.get("id") == "legend")
    assert len(list(legend)) > 6
    for text in legend.iter(f"{SVG}text"):
        assert float(text.attrib["x"]) + text_width(text.text or "", 11) < width and float(text.attrib["y"]) < height
