"""Groups in a scene: frames where they are wanted, closed groups as boxes, and words for both."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.factories import engine, layer, t
from tests.synthetic import CASES
from tests.synthetic.engines import synthetic_engine
from tests.views.diagram.test_nested import apart, around, holds
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.export.svg import render_svg
from trex.graph.grouping import GROUPINGS
from trex.graph.plan_graph import LayerNode
from trex.ingest.spelling.layer_names import parse_name
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.drawn_graph import drawn_graph
from trex.views.diagram.scene import build_scene
from trex.views.diagram.style import DiagramStyle

# Whole runs: too long for the check between two edits.
pytestmark = pytest.mark.slow


def scene_of(plan, **options):
    style = DiagramStyle(**options)
    return build_scene(drawn_graph(plan, style), plan, style)


@pytest.fixture(scope="module")
def resnet():
    return synthetic_engine("resnet18-int8")


@pytest.fixture(scope="module")
def transformer():
    return synthetic_engine("transformer-fp16")


def rectangle(thing):
    return thing.x, thing.y, thing.x + thing.width, thing.y + thing.height


def check_frames(scene):
    parents = [frame.parent for frame in scene.frames]
    whole = (0, 0, scene.width, scene.height)
    for position, frame in enumerate(scene.frames):
        assert frame.parent is None or frame.parent < position
        assert holds(whole if frame.parent is None else rectangle(scene.frames[frame.parent]), rectangle(frame))
        for other in range(position):
            if frame.parent == parents[other]:
                assert apart(rectangle(scene.frames[other]), rectangle(frame))
    for box in scene.boxes:
        inside = set(around(box.frame, parents))
        for position, frame in enumerate(scene.frames):
            check = holds if position in inside else apart
            assert check(rectangle(frame), rectangle(box))
    for wire in scene.wires:
        source, target = scene.boxes[wire.source], scene.boxes[wire.target]
        assert wire.path[0][1] == pytest.approx(source.y + source.height)
        assert wire.path[-1][-1] == pytest.approx(target.y)


def test_plain_pictures_have_no_frames(resnet, transformer):
    for plan in (resnet, transformer):
        assert scene_of(plan).frames == () and scene_of(plan, group_by="none", fold=True).frames == ()


def test_folded_blocks_have_one(transformer):
    (frame,) = scene_of(transformer, fold=True).frames
    assert (frame.title, frame.kind) == ("blocks/0 ×12", "block")
    assert frame.tooltip.startswith("blocks/0 ×12\nrepeated block: 120 layers\ntime: average ")


def test_frames_tell_what_is_in_them(resnet):
    scene = scene_of(resnet, group_by="module")
    check_frames(scene)
    frames = {frame.title: frame for frame in scene.frames}
    assert {"conv1", "layer1", "layer1/0", "layer1/0/conv1", "fc"} <= frames.keys()
    facts = frames["layer1"].tooltip.split("\n")
    assert facts[:2] == ["layer1", "module: 6 layers"] and facts[3] == "within: Convolution ×4, Reformat ×2"
    assert "% of the layers' sum" in facts[2]
    assert [entry.text for group in scene.legend if group.title == "Groups" for entry in group.entries] == [
        "frame: module"
    ]


def test_closed_groups_are_boxes(resnet):
    scene = scene_of(resnet, close_groups="layer[0-9]/1$")
    closed = {box.label.kind: box for box in scene.boxes if box.kind == "group"}
    assert closed.keys() == {f"layer{i}/1" for i in range(1, 5)}
    label = closed["layer1/1"].label
    assert " ms · " in label.badge and label.lines == (("origin", "3 layers: Convolution ×2, Reformat"),)
    assert "closed: drawn as one box" in label.tooltip and "has: " in label.tooltip
    assert "12 of them in 4 closed groups" in scene.facts and "35 layers" in scene.facts
    assert "layer1" in {frame.title for frame in scene.frames}
    check_frames(scene)


def test_shares_stay_those_of_the_whole(resnet):
    def share(box):
        return float(box.label.badge.rpartition("· ")[2].removesuffix("%"))

    for options in ({"close_groups": "all"}, {"open_depth": 1}, {"group_by": "block", "close_groups": "all"}):
        boxes = [box for box in scene_of(resnet, **options).boxes if box.label.badge]
        assert sum(map(share, boxes)) == pytest.approx(100, abs=0.1 * len(boxes))


def test_unmeasured_layers_are_no_zeros():
    layers = [layer(f"l{i}", inputs=[f"t{i}"], outputs=[f"t{i + 1}"], module=f"/m{i // 2}") for i in range(4)]
    plan = EnginePlan(engine(*layers, inputs=["t0"]))
    scene = scene_of(plan, close_groups="m0")
    (box,) = (box for box in scene.boxes if box.kind == "group")
    assert box.label.badge == "" and "time: not measured" in box.label.tooltip and box.heat is None
    assert all("time: not measured" in frame.tooltip for frame in scene.frames)


def test_depth(resnet):
    scene = scene_of(resnet, open_depth=1)
    assert all(frame.parent is None for frame in scene.frames)
    assert {box.label.kind for box in scene.boxes if box.kind == "group"} >= {"layer1/0", "layer1/1"}
    assert len(scene_of(resnet, open_depth=50).boxes) == len(scene_of(resnet).boxes)


def test_closing_without_frames(resnet):
    scene = scene_of(resnet, group_by="none", close_groups="layer")
    assert scene.frames == () and any(box.kind == "group" for box in scene.boxes)


def test_without_modules_regions_are_closed():
    layers = [layer(f"__myl_Add_myl3_{i}", inputs=[f"t{i}"], outputs=[f"t{i + 1}"]) for i in range(3)]
    named = [item if i else layer("first", inputs=["t0"], outputs=["t1"]) for i, item in enumerate(layers)]
    named = [replace(item, name_parts=parse_name(item.name)) for item in named]
    scene = scene_of(EnginePlan(engine(*named, inputs=["t0"])), close_groups="all")
    assert [box.label.kind for box in scene.boxes if box.kind == "group"] == ["Myelin region 3"]


@pytest.mark.parametrize(
    ("pattern", "text", "hint"),
    [("layer1/9", "no group's title matches", "layer1"), ("(", "not a regular expression", "write")],
)
def test_what_cannot_be_closed(resnet, pattern, text, hint):
    with pytest.raises(TrexError, match=text) as error:
        scene_of(resnet, close_groups=pattern)
    assert hint in str(error.value.hint)
    plain = EnginePlan(engine(layer("a"), layer("b")))
    with pytest.raises(TrexError) as error:
        scene_of(plan=plain, close_groups="x")
    assert "--group-by" in str(error.value.hint)


def irregular(count, seed=1, modules=True):
    """Layers, all different, each reading some earlier ones."""
    source = random.Random(seed)
    layers = []
    for i in range(count):
        reads = {i, *(source.randrange(max(0, i - 40), i + 1) for _ in range(source.randint(0, 2)))}
        layers.append(
            layer(
                f"l{i}",
                "Convolution",
                [f"t{read}" for read in reads],
                [t(f"t{i + 1}", [1, i + 1])],
                module=f"/s{i // 500}/b{i // 10}/c{i // 3}" if modules else "",
                Axes=i,
            )
        )
    return EnginePlan(engine(*layers, inputs=["t0"], outputs=[f"t{count}"]))


@pytest.mark.parametrize("modules", [True, False])
def test_large_graphs_stay_within_a_limit_and_say_so(modules):
    plan = irregular(3000, modules=modules)
    scene = scene_of(plan, fold_from=3000, most_nodes=400)
    assert 100 < len(scene.boxes) <= 400
    assert "3,000 layers" in scene.facts and any("closed groups" in fact for fact in scene.facts)
    assert "graphs of 3,000 layers are not drawn whole: --fold-from 0 draws all" in scene.facts
    assert sum(len(node.layers) for node in drawn_graph(plan, scene.style).layer_nodes) == 3000
    assert bool(scene.frames) == modules
    check_frames(scene)
    assert len(scene_of(plan, fold_from=0).boxes) == 3002
    assert len(scene_of(plan, fold_from=3001).boxes) == 3002


def test_a_layer_takes_little_of_an_svg():
    plan = irregular(300)
    assert len(render_svg(scene_of(plan, group_by="module"))) < 3000 * 300


@pytest.mark.parametrize("name", [case.name for case in CASES.values() if not case.expect.error])
def test_every_grouping_of_every_engine(name, tmp_path):
    case = CASES[name]
    plan = load(case.write(tmp_path))
    for by in GROUPINGS:
        for options in ({}, {"fold": True, "display_regions": True}, {"open_depth": 1}, {"close_groups": "all"}):
            style = DiagramStyle(group_by=by, display_constants=True, **options)
            graph = drawn_graph(plan, style)
            scene = build_scene(graph, plan, style)
            check_frames(scene)
            assert sum(len(n.layers) for n in graph.nodes if isinstance(n, LayerNode)) == len(plan.working_layers)


def test_real_engines(shared_engines):
    for folder in sorted(item for item in shared_engines.iterdir() if item.is_dir()):
        plan = load(folder)
        for by in GROUPINGS:
            check_frames(scene_of(plan, group_by=by))
            check_frames(scene_of(plan, group_by=by, close_groups="all", fold=True))


def test_titles_stand_beside_the_wires_that_come_in():
    layers = [layer("a", inputs=["t0"], outputs=["a", "b"], module="/down"),
              layer("c", inputs=["a"], outputs=["c"], module="/down"),
              layer("d", inputs=["c"], outputs=["d"], module="/up"),
              layer("e", inputs=["d", "b"], outputs=["e"], module="/up")]  # fmt: skip
    scene = scene_of(EnginePlan(engine(*layers, inputs=["t0"], outputs=["e"])), group_by="module")
    check_frames(scene)
    (up,) = (frame for frame in scene.frames if frame.title == "up")
    assert up.x < up.title_x < up.x + up.width - 15
    entering = [
        point[0]
        for wire in scene.wires
        for point, after in pairwise([element[-2:] for element in wire.path])
        if point[1] <= up.y <= after[1] and scene.boxes[wire.target].frame == scene.frames.index(up)
    ]
    assert len(entering) == 2 and not any(up.title_x < x < up.title_x + 15 for x in entering)
