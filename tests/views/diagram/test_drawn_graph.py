"""What is drawn: parts, folded blocks, and the words for them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.synthetic.engines import synthetic_engine
from trex.graph.select import Selection
from trex.views.diagram.drawn_graph import drawn_graph, hard_to_read, unmet_wishes
from trex.views.diagram.scene import build_scene
from trex.views.diagram.style import DiagramStyle


@pytest.fixture(scope="module")
def plan():
    return synthetic_engine("transformer-fp16")


def scene_of(plan, style=None, selection=None):
    style = style or DiagramStyle()
    return build_scene(drawn_graph(plan, style, selection), plan, style)


def test_folding_keeps_the_percentages_of_the_whole_plan(plan):
    folded = scene_of(plan, DiagramStyle(fold=True))
    badges = [box.label.badge for box in folded.boxes if box.label.badge]
    shares = [float(badge.rpartition("· ")[2].removesuffix("%")) for badge in badges]
    assert sum(shares) == pytest.approx(100, abs=0.1 * len(shares))
    assert f"{len(plan.working_layers)} layers" in folded.facts
    assert "120 of them in repeated blocks, folded to 10" in folded.facts


@pytest.mark.parametrize(
    "style",
    [
        DiagramStyle(fold=True),
        DiagramStyle(fold=True, color_by="stream"),
        DiagramStyle(group_by="block", close_groups="all"),
    ],
)
def test_the_legend_counts_layers_not_boxes(plan, style):
    entries = scene_of(plan, style).legend[0].entries
    counts = [int(entry.text.rpartition("(")[2].rstrip(")")) for entry in entries if entry.shape == "box"]
    assert sum(counts) == len(plan.working_layers)


def test_the_legend_of_times_counts_boxes(plan):
    """What twelve layers take together is no layer's time."""
    scene = scene_of(plan, DiagramStyle(fold=True, color_by="latency"))
    entries = [entry.text for entry in scene.legend[0].entries if entry.shape == "box"]
    counts = [int(text.rpartition("(")[2].rstrip(")")) for text in entries]
    assert sum(counts) == sum(box.kind == "layer" for box in scene.boxes)


def test_folded_boxes_say_how_many_and_how_long_each(plan):
    boxes = [box for box in scene_of(plan, DiagramStyle(fold=True)).boxes if "×12" in box.label.kind + box.label.badge]
    assert len(boxes) == 10
    for box in boxes:
        (words,) = [text for _, text in box.label.lines if text.startswith("each ")]
        assert " … " in words and "median" in words
        assert box.label.tooltip.startswith("12 similar, one in each repetition of a block")


def test_the_way_back_is_dashed_and_explained(plan):
    scene = scene_of(plan, DiagramStyle(fold=True))
    back = [wire for wire in scene.wires if wire.is_dashed]
    assert back and all("to the next" in wire.tooltip for wire in back)
    assert "goes on to the next repetition of a folded block" in [
        entry.text for group in scene.legend for entry in group.entries
    ]


def test_large_graphs_are_folded_all_the_same(plan):
    assert len(scene_of(plan, DiagramStyle(fold_from=100)).boxes) < 30
    assert len(scene_of(plan, DiagramStyle(fold_from=0)).boxes) > 100


def test_parts_say_of_what_they_are_a_part(plan):
    part = scene_of(plan, selection=Selection(hottest=3))
    assert f"3 of {len(plan.working_layers)} layers" in part.facts
    kinds = {box.kind for box in part.boxes}
    assert {"from", "to"} <= kinds
    assert "from a layer that is not shown" in [entry.text for group in part.legend for entry in group.entries]
    assert all(box.label.lines for box in part.boxes if box.kind in ("from", "to"))


def test_regions_constants_and_loose_layers_by_style(plan):
    plain = drawn_graph(plan)
    regions = drawn_graph(plan, DiagramStyle(display_regions=True))
    assert len(regions.memory_nodes) > len(plain.memory_nodes)
    connected = drawn_graph(plan, DiagramStyle(remove_disconnected_layers=True))
    assert 0 < len(connected.nodes) < len(plain.nodes)
    assert all(connected.edges_from[node.id] or connected.edges_into[node.id] for node in connected.nodes)


def test_highlighting_reaches_folded_layers(plan):
    name = drawn_graph(plan).layer_nodes[-20].layer.name
    style = DiagramStyle(fold=True, highlight_layers=(name,))
    assert [box.is_highlighted for box in scene_of(plan, style).boxes].count(True) == 1
    assert not any(box.is_highlighted for box in scene_of(plan, replace(style, highlight_layers=())).boxes)


@pytest.mark.parametrize(
    ("wish", "code", "hint", "fact"),
    [
        (
            {"group_by": "region"},
            "no-groups",
            "these find some: --group-by module or structure",
            "no region groups to frame",
        ),
        (
            {"group_by": "block", "open_depth": 1},
            "no-groups",
            "these find some: --group-by module or structure",
            "no block groups to frame",
        ),
        ({"fold": True}, "no-repeated-blocks", "", "no repeated blocks to fold"),
    ],
)
def test_what_an_engine_has_not_is_told(wish, code, hint, fact):
    plan, style, selection = synthetic_engine("resnet18-fp16"), DiagramStyle(**wish), Selection(module="/layer2")
    graph = drawn_graph(plan, style, selection)
    (note,) = unmet_wishes(graph, style)
    assert (note.code, note.hint) == (code, hint)
    assert fact in build_scene(graph, plan, style).facts
    assert style.fold or f"--group-by {style.group_by}" in note.message


def test_groups_to_be_closed_where_no_grouping_finds_any(plan):
    style = DiagramStyle(close_groups="all")
    graph = drawn_graph(plan, style, Selection(hottest=1))
    assert [note.code for note in unmet_wishes(graph, style)] == ["no-groups"]
    assert "no groups to close" in build_scene(graph, plan, style).facts


@pytest.mark.parametrize(
    "wish", [{}, {"group_by": "none"}, {"group_by": "module"}, {"group_by": "module", "close_groups": "all"}]
)
def test_nothing_is_told_of_wishes_that_are_met(plan, wish):
    style = DiagramStyle(**wish)
    assert unmet_wishes(drawn_graph(plan, style), style) == ()


def test_only_a_large_picture_is_called_hard_to_read() -> None:
    small, large = (drawn_graph(synthetic_engine(name)) for name in ("resnet18-int8", "transformer-fp16"))
    assert hard_to_read(small) == ()
    many = replace(large, nodes=large.nodes * 2)
    [note] = hard_to_read(many)
    assert note.code == "large-picture"
    assert f"{len(many.nodes)} boxes" in note.message
    assert ".html" in note.hint
