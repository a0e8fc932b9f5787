"""Long diagrams in columns: nothing is lost, cuts are between boxes, the whole has the form of a screen."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from tests.synthetic.engines import synthetic_engine
from trex.export.svg import render_svg
from trex.views.diagram.columns import COLUMN_GAP, fold_into_columns
from trex.views.diagram.drawn_graph import drawn_graph
from trex.views.diagram.lettering import text_width
from trex.views.diagram.scene import build_scene
from trex.views.diagram.style import DiagramStyle

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module", params=["none", "module"])
def scene(request):
    plan, style = synthetic_engine("transformer-fp16"), DiagramStyle(group_by=request.param)
    return build_scene(drawn_graph(plan, style), plan, style)


def test_everything_is_in_its_column(scene):
    columns = fold_into_columns(scene)
    assert len(columns) > 2
    assert [a.bottom for a, _ in pairwise(columns)] == [b.top for _, b in pairwise(columns)]
    assert (columns[0].top, columns[-1].bottom) == (0, scene.height)
    for part in ("boxes", "captions"):
        both = sorted(id(item) for column in columns for item in getattr(column, part))
        assert both == sorted(map(id, getattr(scene, part)))
    assert {id(wire) for column in columns for wire in column.wires} == set(map(id, scene.wires))
    assert sorted(number for column in columns for number, _ in column.frames) == list(range(len(scene.frames)))
    for column in columns:
        for box in column.boxes:
            assert column.left <= box.x and box.x + box.width <= column.right
            assert column.top <= box.y and box.y + box.height <= column.bottom


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
